"""The board's USB serial port, as two pseudo-terminals with the cable between them.

The host opens the outer one by a symlink that stays the same; the firmware has the inner one as
its terminal. Bytes are carried from one to the other here, which is where a board's USB stack
is: it makes the keyboard interrupt, drops output that nobody reads, and can be unplugged.

Not modelled: DTR and RTS (an open port counts as DTR), the baud rate, break. The board's input
holds 4 KB where an RP2 has 512 bytes; output waits half a second for a host that does not read,
then is dropped, as there, but behind about 30 KB of the system's own buffers. What the firmware
writes is dropped by the stand-in for its standard output; the interpreter's prompt, here.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import select
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path

_INTERRUPT = b"\x03"
_ISIG = 3, termios.ISIG  # place among the attributes, and the flag
_CHUNK = 4096
_WAIT_S = 0.5  # for a host that does not read
_SETTLE_S = 0.05  # after an interrupt: a second one at once would end the interpreter


class Inner:
    """The firmware's terminal. `slave` is for the interpreter's standard streams."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.make_interrupts(True)

    def make_interrupts(self, on: bool) -> None:
        """The terminal's state at a start: raw, but Ctrl-C interrupts."""
        state = termios.tcgetattr(self.slave)
        place, flag = _ISIG
        state[place] = state[place] | flag if on else state[place] & ~flag
        state[6][termios.VINTR] = _INTERRUPT
        termios.tcsetattr(self.slave, termios.TCSANOW, state)

    def interrupt(self) -> bytes | None:
        """The byte that interrupts now; None while the firmware takes all bytes as they are."""
        state = termios.tcgetattr(self.slave)
        place, flag = _ISIG
        return state[6][termios.VINTR] if state[place] & flag else None

    def write(self, data: bytes) -> int:
        """Types; answers how many bytes there was room for."""
        return _write(self.master, data)

    def read(self) -> bytes:
        return _read(self.master)

    def clear(self) -> None:
        """Forgets what was typed and not read."""
        termios.tcflush(self.slave, termios.TCIFLUSH)

    def close(self) -> None:
        os.close(self.slave)
        os.close(self.master)


class Outer:
    """The port a host opens. Unplugged, it is gone, and a host that had it gets an error."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.patient = False  # the firmware itself waits for a host that does not read
        self.master = -1
        self._stuck_since: float | None = None
        self._was_open = False

    @property
    def plugged(self) -> bool:
        return self.master >= 0

    def plug(self) -> None:
        """A new device under the same name."""
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        name = os.ttyname(slave)
        os.close(slave)  # from now on the master tells whether a host has it open
        fresh = self.link.with_name(self.link.name + ".new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(name)
        fresh.replace(self.link)
        self._was_open = False

    def unplug(self) -> None:
        """Hangs up."""
        self.link.unlink(missing_ok=True)
        if self.plugged:
            os.close(self.master)
        self.master = -1

    def opened(self) -> bool:
        """Whether a host has the port open."""
        if not self.plugged:
            return False
        poll = select.poll()
        poll.register(self.master, 0)
        now = not any(event & select.POLLHUP for _, event in poll.poll(0))
        if now != self._was_open:
            self._was_open = now
            self._stuck_since = None
            if not now:
                self._forget()
        return now

    def _forget(self) -> None:
        """What a host did not read before it closed the port is gone."""
        with contextlib.suppress(OSError):
            slave = os.open(self.link, os.O_RDWR | os.O_NOCTTY)
            termios.tcflush(slave, termios.TCIFLUSH)
            tty.setraw(slave)
            os.close(slave)

    def read(self) -> bytes:
        return _read(self.master)

    def write(self, data: bytes) -> int:
        """Passes output on; answers how much was taken. Nobody there, or nobody reading a prompt
        for half a second: all of it is, and lost."""
        if not self.opened():
            return len(data)
        sent = _write(self.master, data)
        now = time.monotonic()
        if sent == len(data):
            self._stuck_since = None
        elif sent or self._stuck_since is None:
            self._stuck_since = now
        elif not self.patient and now - self._stuck_since >= _WAIT_S:
            return len(data)
        return sent


class Cable:
    """Carries bytes between the two, and turns Ctrl-C into an interrupt."""

    def __init__(
        self,
        inner: Inner,
        outer: Outer,
        strike: Callable[[], None],
        hear: Callable[[bytes], bytes],
    ) -> None:
        self.inner, self.outer = inner, outer
        self._strike, self._hear = strike, hear
        self.ready = False  # the firmware takes input
        self.to_board = b""
        self.to_host = b""
        self._struck = 0.0

    def wants_input(self) -> bool:
        return self.outer.plugged and len(self.to_board) < _CHUNK

    def wants_output(self) -> bool:
        return not self.to_host

    def waits(self) -> bool:
        """Whether something lies here that has to be tried again soon."""
        return bool(self.to_host) or bool(self.to_board and self.ready)

    def from_host(self) -> None:
        self.to_board += self.outer.read()
        self.push()

    def from_board(self) -> None:
        self.to_host += self._hear(self.inner.read())
        self.push()

    def push(self) -> None:
        """Moves on what can be moved."""
        if self.to_host:
            self.to_host = self.to_host[self.outer.write(self.to_host) :]
        while self.to_board and self.ready and time.monotonic() - self._struck > _SETTLE_S:
            if not self._type():
                return

    def _type(self) -> bool:
        """Types up to the next interrupt; False when the firmware has no room for more."""
        has_interrupt = _INTERRUPT in self.to_board
        key = self.inner.interrupt() if has_interrupt else None
        head, found, rest = self.to_board.partition(key) if key else (self.to_board, b"", b"")
        if found:
            # As on a board: what was typed before it and not read yet is dropped.
            self.inner.clear()
            self._struck = time.monotonic()
            self.to_board = rest.lstrip(key)
            self._strike()
            return True
        taken = self.inner.write(head)
        self.to_board = self.to_board[taken:]
        return taken == len(head)

    def clear(self) -> None:
        """Forgets all that is under way."""
        self.to_board = self.to_host = b""
        self.ready = False


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return b""
    except OSError as error:
        if error.errno != errno.EIO:  # a terminal that nobody has open
            raise
        return b""


def _write(fd: int, data: bytes) -> int:
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return len(data)
