"""Runs a command for `aora wrap`: everything passes through, and the face hears how it goes."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any

from host_bridge import paths, shell, tables
from host_bridge.client import Client, NoBridge, Refused
from host_bridge.config import SessionSettings

TOUCH_S = 45  # a session is forgotten after 120 s without a word
GAP_S = 0.25  # between two messages about progress
CHUNK = 65536
LOOK_S = 0.1  # between two looks whether somebody wants wrap to end
LAST_S = 1  # for what a command writes when it is told to end
WORKING, PROGRESS, TESTING, DONE, FAILED = "32", "47", "45", "33", "34"
NOT_FOUND, NOT_ALLOWED = 127, 126  # what a shell answers
KEYS = ("SIGINT", "SIGQUIT")  # a terminal sends these to all that is in its foreground
SIGNALS = ("SIGTERM", "SIGHUP", *KEYS)  # not every system has each

_TESTS = re.compile(r"\b(test|tests|pytest|check|tox|nox|jest|vitest)\b")
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_PARTS = re.compile(rb"(?<![\w./-])(\d{1,7})\s?/\s?(\d{1,7})(?![\w./-])")
_PERCENT = re.compile(rb"(?<![\w.])(\d{1,3}(?:\.\d+)?)\s?%")


def progress(text: bytes) -> float | None:
    """The share done, 0 to 1, that the last line with one says; None if none does."""
    for line in reversed(re.split(rb"[\r\n]+", _ESCAPES.sub(b"", text))):
        shares = [float(found) / 100 for found in _PERCENT.findall(line)]
        parts = [(int(part), int(whole)) for part, whole in _PARTS.findall(line)]
        shares += [part / whole for part, whole in parts if whole > 0 and part <= whole]
        fitting = [share for share in shares if share <= 1]
        if fitting:
            return fitting[-1]
    return None


class Teller:
    """Tells the bridge from a thread of its own: a bridge that is slow or gone delays nothing."""

    def __init__(self, session: str, name: str, code: str, captions: bool) -> None:
        self._session, self._name, self._code, self._captions = session, name, code, captions
        self._news: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._share: float | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def output(self, text: bytes) -> None:
        """Looks for progress in what the command printed."""
        share = progress(text)
        if share is not None and share != self._share:
            self._share = share
            hud = {"kind": "progress", "value": round(share, 4)}
            self._news.put({**self._state(PROGRESS), "hud": hud})

    def finish(self, status: int) -> None:
        """Tells the end, and waits for it to be told, a second at the most."""
        self._news.put(self._state(FAILED, f"exit {status}") if status else self._state(DONE))
        self._news.put(None)
        self._thread.join(1)

    def _state(self, code: str, more: str = "") -> dict[str, Any]:
        tips = ": ".join(word for word in (self._name, more) if word)
        return (
            {"aoraBotId": code, "tips": tips} if tips and self._captions else {"aoraBotId": code}
        )

    def _run(self) -> None:
        client = Client(timeout=1)
        self._tell(client, self._state(self._code))
        while True:
            try:
                news = self._latest(self._news.get(timeout=TOUCH_S))
            except queue.Empty:
                news = [{"touch": True}]
            for message in news:
                if message is None:
                    return
                self._tell(client, message)

    def _latest(self, first: dict[str, Any] | None) -> list[dict[str, Any] | None]:
        """What is to be told now: of many words about progress the last."""
        if first is not None and first.get("aoraBotId") == PROGRESS:
            threading.Event().wait(GAP_S)
        news = [first]
        with contextlib.suppress(queue.Empty):
            while True:
                news.append(self._news.get_nowait())
        last = [n for n in news if n is not None and n.get("aoraBotId") == PROGRESS][-1:]
        return [n for n in news if n is None or n.get("aoraBotId") != PROGRESS or n in last]

    def _tell(self, client: Client, message: dict[str, Any]) -> None:
        with contextlib.suppress(NoBridge, Refused, ValueError):
            client.state({"session_id": self._session, **message})


class Signals:
    """What wrap is sent is meant for the command, which gets it unless it has it already.

    What comes before there is a command waits for it; what was ignored before stays ignored.
    """

    def __init__(self, shared: bool) -> None:
        self.passed = False
        self._shared = shared  # the command is in wrap's own foreground
        self._early: list[int] = []
        self._send: Callable[[int], None] = self._early.append

    def __enter__(self) -> Signals:
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        heeded = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._take) for number in heeded}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def pass_to(self, send: Callable[[int], None]) -> None:
        """From now on they go there."""
        self._send = send
        for number in self._early:
            send(number)

    def _take(self, number: int, _: object) -> None:
        if not (self._shared and signal.Signals(number).name in KEYS and _is_in_foreground()):
            self.passed = True
            self._send(number)


def _is_in_foreground() -> bool:
    """True if what the keys of a terminal send reaches wrap and all that it has started."""
    if sys.platform == "win32":
        return True
    with contextlib.suppress(OSError), open("/dev/tty", "rb", 0) as terminal:
        return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    return False


def run(command: list[str], session: str = "") -> int:
    """Runs the command; its exit status as a shell gives it."""
    name = shell.look(shlex.join(command)).word
    words = " ".join([os.path.basename(command[0]), *command[1:]])
    code = TESTING if _TESTS.search(words) else WORKING
    teller = Teller(session or f"{name or 'wrap'}-{os.getpid()}", name, code, _has_captions())
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed: what goes there is lost
            setattr(sys, stream, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    in_terminal = sys.platform != "win32" and sys.stdout.isatty()
    with Signals(shared=not in_terminal) as signals:
        try:
            status = (_run_in_terminal if in_terminal else _run)(command, teller, signals)
        except OSError as error:
            print(f"aora wrap: {command[0]}: {error.strerror}", file=sys.stderr)
            status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_ALLOWED
        teller.finish(status)
    return status


def _has_captions() -> bool:
    """False if config.toml wants no captions, or nobody can tell what it wants."""
    path = paths.home() / "config.toml"
    try:
        config = tables.load(path) if path.is_file() else {}
        return SessionSettings.from_config(config).captions != "off"
    except (OSError, ValueError):
        return False


def _run(command: list[str], teller: Teller, signals: Signals) -> int:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=_own_pipe(sys.stderr))
    signals.pass_to(process.send_signal)
    over, ending = os.pipe()
    pumps = [
        threading.Thread(target=_pump, args=(source, target.fileno(), over, teller), daemon=True)
        for source, target in ((process.stdout, sys.stdout), (process.stderr, sys.stderr))
        if source is not None
    ]
    for pump in pumps:
        pump.start()
    status = _status(process.wait())
    os.close(ending)
    for pump in pumps:
        while pump.is_alive() and not signals.passed:
            pump.join(LOOK_S)
        pump.join(LAST_S)  # a reader that takes nothing does not hold what is told to end
    return status


def _own_pipe(stream: Any) -> int | None:
    """A terminal is left to the command itself, so that it knows that it has one."""
    return None if stream.isatty() else subprocess.PIPE


def _pump(source: IO[bytes], target: int, over: int, teller: Teller) -> None:
    """Copies until one side ends: a command whose reader is gone hears of it by SIGPIPE."""
    with source, contextlib.suppress(OSError):
        for data in _chunks(source.fileno(), over):
            _write(target, data)
            teller.output(data)


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]


def _status(code: int) -> int:
    return 128 - code if code < 0 else code


if sys.platform == "win32":

    def _chunks(source: int, over: int) -> Iterator[bytes]:
        """What comes until nobody holds the pipe open: only sockets can be waited for here."""
        return iter(lambda: os.read(source, CHUNK), b"")

else:
    import fcntl
    import pty
    import select
    import termios
    import tty

    def _chunks(source: int, over: int) -> Iterator[bytes]:
        """What comes until `over` ends, and what the pipe holds then.

        Others that the command has started may keep the pipe open, and go on writing.
        """
        while over not in select.select([source, over], [], [])[0]:
            data = os.read(source, CHUNK)
            if not data:
                return
            yield data
        held = fcntl.ioctl(source, termios.FIONREAD, b"\0\0\0\0")
        left = int.from_bytes(held, sys.byteorder)
        while left > 0 and (data := os.read(source, min(left, CHUNK))):
            yield data
            left -= len(data)

    def _run_in_terminal(command: list[str], teller: Teller, signals: Signals) -> int:
        """The command gets a terminal of its own, of the same size; keys are passed on.

        What of its input and errors is no terminal, it has as it is.
        """
        if not shutil.which(command[0]):
            raise FileNotFoundError(2, "no such command", command[0])
        kept = [(os.dup(fd), fd) for fd in (0, 2) if not os.isatty(fd)]
        pid, terminal = pty.fork()
        if pid == 0:
            try:
                for copy, fd in kept:
                    os.dup2(copy, fd)
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it
                os.execvp(command[0], command)
            finally:
                os._exit(NOT_ALLOWED)
        signals.pass_to(lambda number: _send(pid, number))
        _same_size(terminal)
        signal.signal(signal.SIGWINCH, lambda *_: _same_size(terminal))
        with _raw_keys():
            _relay(terminal, teller)
        status = os.waitpid(pid, 0)[1]
        signals.pass_to(lambda _: None)  # the number may be another's from now on
        return _status(os.waitstatus_to_exitcode(status))

    def _send(pid: int, number: int) -> None:
        """What keys send is for all that the command runs, as it is in any terminal."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if signal.Signals(number).name in KEYS else os.kill)(pid, number)

    def _same_size(terminal: int) -> None:
        with contextlib.suppress(OSError):
            size = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)

    @contextlib.contextmanager
    def _raw_keys() -> Iterator[None]:
        """Keys reach the command as they are pressed, Ctrl-C included."""
        if not sys.stdin.isatty():
            yield
            return
        before = termios.tcgetattr(0)
        tty.setraw(0)
        try:
            yield
        finally:
            with contextlib.suppress(termios.error):  # the terminal may be gone
                termios.tcsetattr(0, termios.TCSAFLUSH, before)

    def _relay(terminal: int, teller: Teller) -> None:
        sources = [terminal, 0] if os.isatty(0) else [terminal]
        while True:
            ready, _, _ = select.select(sources, [], [])
            if 0 in ready and not _type(terminal):
                sources.remove(0)
            if terminal in ready:
                data = _read(terminal)
                if not data:  # the command has closed its side
                    return
                try:
                    _write(sys.stdout.fileno(), data)
                except OSError:  # the outer terminal is gone, and the command hears of it
                    os.close(terminal)
                    return
                teller.output(data)

    def _type(terminal: int) -> bool:
        """Passes keys on; False when none can come any more."""
        keys = _read(0)
        with contextlib.suppress(OSError):
            _write(terminal, keys)
        return bool(keys)

    def _read(terminal: int) -> bytes:
        """A terminal whose other side is gone has nothing to read."""
        try:
            return os.read(terminal, CHUNK)
        except OSError:
            return b""
