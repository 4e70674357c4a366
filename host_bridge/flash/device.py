"""A board in its raw REPL, by mpremote's own transport."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from host_bridge.flash import FlashError
from host_bridge.flash.plan import STAGE, Survey, staged
from host_bridge.links.serial import close_serial, open_serial

CHUNK = 1536  # bytes a line: 2 KB of base64, small enough to compile on any board
ANSWER_S = 10  # no step on a board takes longer
BREAK_IN_S = 8
FULL = "ENOSPC", "[Errno 28]", "OSError: 28"

_BOARD = Path(__file__).parent / "board"


class Interrupted(FlashError):
    """The board went away in the middle of a sentence."""


class Full(FlashError):
    """The board's flash has no room for what it was sent."""


class Held(FlashError):
    """A program on the board does not let go of it."""


@contextlib.contextmanager
def talking() -> Iterator[None]:
    """Turns whatever a lost board does to mpremote and pyserial into `Interrupted`."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # mpremote prints what it did not expect
            yield
    except TransportExecError as error:
        said = error.error_output.strip().splitlines()
        if any(word in error.error_output for word in FULL):
            raise Full("the board is full") from error
        raise FlashError(f"the board said: {said[-1] if said else 'nothing'}") from error
    except (TransportError, OSError, struct.error, IndexError, UnicodeDecodeError) as error:
        raise Interrupted("the board went away: was the cable pulled?") from error


class Device:
    """An open port with the board's own Python at its end. Close it, or use `with`."""

    def __init__(self, port: str) -> None:
        self.port = port
        try:
            self._transport = SerialTransport(port, timeout=ANSWER_S)
        except (OSError, TransportError) as error:
            raise FlashError(_why_closed(port)) from error
        self._line.write_timeout = ANSWER_S

    @property
    def _line(self) -> serial.Serial:
        return cast(serial.Serial, self._transport.serial)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the port up; a board that is gone is closed too."""
        with contextlib.suppress(OSError, TransportError):
            self._transport.close()

    def break_in(self) -> None:
        """Stop what runs and enter the raw REPL of a board that has forgotten it; `Held` if
        the program does not let go."""
        self._stop()
        try:
            with talking():
                self._transport.exit_raw_repl()
                self._transport.enter_raw_repl(soft_reset=True, timeout_overall=ANSWER_S)
        except Interrupted as error:
            if isinstance(error.__cause__, OSError):
                raise
            self._stop()  # its boot.py hangs as well: go on with what is in memory
        self.run(board_script("begin.py"))

    def _stop(self) -> None:
        deadline = time.monotonic() + BREAK_IN_S
        while True:
            try:
                with talking():
                    interrupt(self._line)
                    self._line.reset_input_buffer()
                    self._transport.enter_raw_repl(soft_reset=False, timeout_overall=2)
                return
            except Interrupted as error:
                if isinstance(error.__cause__, OSError):
                    raise
                if time.monotonic() > deadline:
                    raise Held("the program on the board does not let go of it") from error

    def run(self, code: str) -> str:
        """Run code on the board; what it printed. Its exceptions are `FlashError`s."""
        with talking():
            return self._transport.exec(code).decode("utf-8", "replace")

    def survey(self) -> Survey:
        """Ask the board what it is and what lies on it, in one round trip."""
        found = Survey()
        for line in self.run(board_script("survey.py")).splitlines():
            kind, *values = ast.literal_eval(line)
            if kind == "file":
                path, size, hash_ = values
                found.files[path] = size
                if hash_:
                    found.hashes[path] = hash_
            elif kind == "folder":
                found.folders.add(values[0])
            else:
                setattr(found, kind, values[0])
        return found

    def put(self, path: str, data: bytes) -> None:
        """Write a file; a board without room for it is `Full`."""
        with talking():
            run = self._transport.exec
            run(f"import binascii\nf=open({path!r},'wb')\nw=f.write\na=binascii.a2b_base64")
            for at in range(0, len(data), CHUNK):
                run(f"w(a({base64.b64encode(data[at : at + CHUNK])!r}))")
            run("f.close()")

    def read(self, path: str) -> bytes:
        """A file of the board, in one round trip."""
        code = (
            "import binascii\n"
            f"with open({path!r},'rb') as f:\n"
            " while True:\n"
            "  b=f.read(384)\n"
            "  if not b:break\n"
            "  print(binascii.b2a_base64(b).decode().strip())\n"
        )
        return b"".join(base64.b64decode(line) for line in self.run(code).split())

    def remove(self, paths: list[str]) -> None:
        """Remove files, whether they are there or not."""
        self.run(
            f"import os\nfor p in {paths!r}:\n try:os.remove(p)\n except OSError:pass\n"
            f"try:os.rmdir({STAGE!r})\nexcept OSError:pass"
        )

    def stage(self, files: dict[str, bytes]) -> None:
        """Send files beside those in use."""
        self.run(f"import os\ntry:os.mkdir({STAGE!r})\nexcept OSError:pass")
        for path, data in files.items():
            self.put(staged(path), data)

    def prepare(self, steps: list[str]) -> None:
        """Write down what putting the stage in place takes."""
        self.put(f"{STAGE}/steps", "\n".join(steps).encode())

    def commit(self) -> None:
        """Put what lies in the stage in place: on the board, by what its boot.py does."""
        self.run(f"import os\nos.rename('{STAGE}/steps','{STAGE}/ready')")
        self.run(board_script("boot.py"))

    def reset(self) -> None:
        """Start the board anew; the port may vanish for a moment."""
        with contextlib.suppress(FlashError), talking():
            self._transport.exec_raw_no_follow("import machine\nmachine.reset()")
            time.sleep(0.2)
        self.close()


def interrupt(line: serial.Serial) -> None:
    """Ctrl-C in several rhythms: a program that catches one is often hit while it does."""
    for pause in (0.0005, 0.001, 0.003, 0.008):
        line.write(b"\x03")
        time.sleep(pause)
    line.write(b"\r\x03")


def board_script(name: str) -> str:
    """A script for the board, without the comments."""
    lines = (_BOARD / name).read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


def _why_closed(port: str) -> str:
    """Why mpremote could not open a port, and who has it."""
    try:
        close_serial(open_serial(port))
    except OSError as error:
        return error.strerror or str(error)
    return f"{port} cannot be opened"
