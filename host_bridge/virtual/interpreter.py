"""The MicroPython unix build as a child process that plays the board's processor."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

SHIMS = Path(__file__).parent / "shims"
_SHIMS_HEAP = 54 * 1024  # what the shims take; the firmware has the asked heap to itself
_EVENT_ROOM = 1 << 20

# The terminal becomes the child's controlling one: the child ends when the other side goes.
_LAUNCH = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.path.insert(0, sys.argv[1])
import micropython_run
sys.exit(micropython_run.run_main(["micropython", *sys.argv[2:]]))
"""


class NoMicroPython(RuntimeError):
    """There is no MicroPython for this machine; the text says what to install."""


def build_folder() -> str:
    """Where the unix build's module is; NoMicroPython when it is nowhere."""
    spec = importlib.util.find_spec("micropython_run")
    if spec is None or spec.origin is None:
        raise NoMicroPython(
            "no MicroPython build here: pip install 'aora-face[virtual]' "
            "(Linux on x86-64, macOS on arm64)"
        )
    return str(Path(spec.origin).parent)


def heap_bytes(text: str) -> int:
    """Bytes of a size such as `200k`."""
    scale = {"k": 1024, "m": 1024 * 1024}.get(text[-1:].lower(), 1)
    return int(text.rstrip("kKmM")) * scale


class Interpreter:
    """One run of the interpreter, from start to exit. `events` is where its pins are told."""

    def __init__(self, terminal: int, inputs: int, heap: str, config: dict[str, Any]) -> None:
        self.events, theirs = socket.socketpair(socket.AF_UNIX, _datagrams())
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _EVENT_ROOM)
        config = {**config, "events": theirs.fileno(), "inputs": inputs}
        size = heap_bytes(heap) + _SHIMS_HEAP
        words = ["-X", f"heapsize={size}", "-i", str(SHIMS / "start.py")]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCH, build_folder(), *words],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            pass_fds=(theirs.fileno(), inputs),
            cwd=config["flash"],
            env={**os.environ, "AORA_VIRTUAL": json.dumps(config)},
            start_new_session=True,
        )
        theirs.close()
        self.events.setblocking(False)

    def interrupt(self) -> None:
        """Ctrl-C."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> int:
        """Ends it at once, whatever it does; answers the exit code, negative for a signal."""
        self._process.kill()
        return self.wait()

    def wait(self) -> int:
        """The exit code of an interpreter that is ending by itself."""
        code = self._process.wait()
        self.events.close()
        return code


def _datagrams() -> int:
    """Sockets that keep what was written together together."""
    return socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
