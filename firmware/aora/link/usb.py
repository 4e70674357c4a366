"""The serial link over USB: standard input and output, a byte at a time.

A board's `readinto(n)` waits until n bytes are there, and a write waits for a host that does
not read: one byte, after a poll, never waits.
"""

import select
import sys

from aora._shim import const, micropython, ptr8  # noqa: F401
from aora.link.writer import Writer

RING = 512  # bytes that MicroPython's USB input holds before the host has to wait

_inputs = select.poll()
_inputs.register(sys.stdin, select.POLLIN)
_outputs = select.poll()
_outputs.register(sys.stdout, select.POLLOUT)
# Bound once: binding a method in each call allocates, and so does the first poll.
_readable = _inputs.ipoll
_writable = _outputs.ipoll
_readable(0)
_writable(0)
_readinto = sys.stdin.buffer.readinto
_write = sys.stdout.buffer.write

_POLLIN = const(1)
_BURST = const(64)  # bytes taken or sent in one call, so that drawing is never held up for long


class Usb:
    """`line` collects input; `out` holds what is to be sent."""

    ring = RING

    def __init__(self, line):
        self.line = line
        self.out = Writer()
        self._byte = bytearray(1)
        self._burst = bytearray(_BURST)

    def read(self):
        """Takes bytes that are there, a burst at the most; True when they end a line."""
        count = _fill(self._burst, _readable, _readinto, self._byte)
        return self.line.take(self._burst, count) if count else False

    def pump(self):
        """Sends what the host takes now, a burst at the most."""
        self.out.send(_writable, _write, _BURST)

    def wait(self, ms):
        """Sleeps until there is input, at most `ms`."""
        for _ in _readable(ms):
            pass


@micropython.viper
def _fill(burst: ptr8, readable, readinto, byte) -> int:
    """Reads bytes as long as they are there, up to a line's end; answers how many."""
    one = ptr8(byte)  # pyright: ignore[reportCallIssue]
    count = 0
    while count < _BURST:
        ready = 0
        for event in readable(0):
            ready = int(event[1]) & _POLLIN
        if not ready or not readinto(byte):
            break
        burst[count] = one[0]
        count += 1
        if one[0] == 0x0A:
            break
    return count
