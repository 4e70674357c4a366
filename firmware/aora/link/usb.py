"""The serial link over USB: standard input and output, a byte at a time.

A board's `readinto(n)` waits until n bytes are there, and a write waits for a host that does
not read: one byte, after a poll, never waits.
"""

import select
import sys

from aora._scan import collect
from aora._shim import const
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
_POLLOUT = const(4)
_BURST = const(64)  # bytes taken or sent in one call, so that drawing is never held up for long


class Usb:
    """`line` collects input; `out` holds what is to be sent."""

    ring = RING

    def __init__(self, line):
        self.line = line
        self.out = Writer()
        self._byte = bytearray(1)

    def read(self):
        """Takes bytes that are there, a burst at the most; True when they end a line."""
        byte = self._byte
        buffer = self.line.buffer
        state = self.line.state
        i = 0
        while i < _BURST:
            ready = 0
            for event in _readable(0):
                ready = event[1]
            if not ready & _POLLIN or not _readinto(byte):
                return False
            if collect(buffer, state, byte[0]):
                return True
            i += 1
        return False

    def pump(self):
        """Sends what the host takes now, a burst at the most."""
        out = self.out
        i = 0
        while i < _BURST and out.pending():
            ready = 0
            for event in _writable(0):
                ready = event[1]
            if not ready & _POLLOUT:
                return
            self._byte[0] = out.peek()
            if not _write(self._byte):
                return
            out.drop()
            i += 1

    def wait(self, ms):
        """Sleeps until there is input, at most `ms`."""
        for _ in _readable(ms):
            pass
