"""What stands in for `sys`, `os`, `micropython` and `print` where the unix port differs.

A board's standard input waits for all the bytes asked for; its text output ends lines with
CR LF, its buffer writes bytes as they are.
"""

import builtins
import io
import os
import select
import sys
import termios

import micropython
from _config import CONFIG

_FILENO = const(10)  # the request that lets `poll` wait on the descriptor itself
_ISIG = const(1)
_WAIT_MS = const(500)
_native_print = print


class _Stream(io.IOBase):
    def __init__(self, fd):
        self._fd = fd

    def ioctl(self, request, argument):
        return self._fd if request == _FILENO else 0

    def close(self):
        pass

    def flush(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        pass


class _Input(_Stream):
    def __init__(self, raw):
        super().__init__(0)
        self._readinto = raw.readinto

    def readinto(self, buf, size=-1):
        want = len(buf) if size < 0 else size
        got = self._readinto(buf, want)
        while got < want:
            got += self._readinto(memoryview(buf)[got:], want - got)
        return got

    def read(self, size=-1):
        if size < 0:
            raise MemoryError()  # a board would wait for ever
        data = bytearray(size)
        self.readinto(data)
        return bytes(data)

    def readline(self, size=-1):
        line = b""
        while size < 0 or len(line) < size:
            line += self.read(1)
            if line[-1] in b"\r\n":
                break
        return line


class _TextInput(_Stream):
    def __init__(self, raw):
        super().__init__(0)
        self.buffer = _Input(raw)

    def readinto(self, buf, size=-1):
        got = self.buffer.readinto(buf, size)
        for i in range(got):
            if buf[i] == 13:
                buf[i] = 10
        return got

    def read(self, size=-1):
        return self.buffer.read(size).replace(b"\r", b"\n").decode()

    def readline(self, size=-1):
        return self.buffer.readline(size).replace(b"\r", b"\n").decode()


class _Output(_Stream):
    """Waits half a second for room, as a board does for a host that does not read, then drops."""

    def __init__(self, raw):
        super().__init__(1)
        self._write = raw.write
        room = select.poll()
        room.register(raw, select.POLLOUT)
        self._room = room.ipoll
        self._room(0)

    def write(self, data, start=-1, size=-1):
        for _ in self._room(_WAIT_MS):
            if size >= 0:
                return self._write(data, start, size)
            return self._write(data) if start < 0 else self._write(data, start)
        return len(data)


class _TextOutput(_Stream):
    def __init__(self, raw):
        super().__init__(1)
        self.buffer = _Output(raw)
        self._write = self.buffer.write

    def write(self, data, *span):
        text = data if isinstance(data, str) else bytes(data).decode()
        self._write(text.replace("\n", "\r\n"))
        return len(data)


class _Namespace:
    """A module's names, to change some of them."""

    def __init__(self, module, hidden=()):
        for name in dir(module):
            if name not in hidden and not name.startswith("__"):
                setattr(self, name, getattr(module, name))


def _kbd_intr(char):
    """The terminal makes the interrupt here, so it is the terminal that stops making it."""
    state = termios.tcgetattr(0)
    state[3] = state[3] | _ISIG if char >= 0 else state[3] & ~_ISIG
    if char >= 0:
        state[6][0] = bytes((char,))
    termios.tcsetattr(0, termios.TCSANOW, state)


def _print(*values, **how):
    how.setdefault("file", sys.modules["sys"].stdout)
    _native_print(*values, **how)


def install():
    """Puts the stand-ins where `import` finds them first."""
    port = "rp2" if CONFIG["mcu"].startswith("rp2") else "esp32"
    system = _Namespace(sys, ("argv", "atexit", "executable", "getsizeof"))
    system.platform = port
    system.stdin = _TextInput(sys.stdin.buffer)
    system.stdout = _TextOutput(sys.stdout.buffer)
    system.stderr = system.stdout
    files = _Namespace(os, ("getenv", "putenv", "unsetenv", "system", "errno"))
    release = ".".join(str(part) for part in sys.implementation.version[:3])
    names = (port, port, release, sys.version.split("; ")[-1], CONFIG["machine"])
    files.uname = lambda: names
    files.sync = lambda: None
    upython = _Namespace(micropython)
    upython.kbd_intr = _kbd_intr
    sys.modules["sys"] = system
    sys.modules["os"] = files
    sys.modules["micropython"] = upython
    builtins.print = _print
