"""What the board does to its pins, as datagrams to the host process.

A datagram is a head of 16 bytes (kind, three small numbers, microseconds, two words) and a
payload. It goes out in one write, so that a keyboard interrupt at any place cannot tear it.
Nothing here allocates.
"""

from time import ticks_us

import micropython

SPI, PIN, PWM, BITS, WATCHDOG, TEXT = range(1, 7)
ROOM = const(4096)
_HEAD = const(16)

_frame = bytearray(_HEAD + ROOM)
_none = bytearray(0)
_out = None


def connect(fd):
    """Sends to this inherited descriptor from now on."""
    global _out
    _out = open(fd, "wb").write


@micropython.viper
def _head(head: int, time: int, x: int, y: int):
    words = ptr32(_frame)
    words[0] = head
    words[1] = time
    words[2] = x
    words[3] = y


@micropython.viper
def _copy(source: ptr8, start: int, size: int):
    frame = ptr8(_frame)
    for i in range(size):
        frame[_HEAD + i] = source[start + i]


def send(kind, a=0, b=0, x=0, y=0, payload=_none):
    """Sends one event; a payload longer than ROOM goes as several, in order."""
    left = len(payload)
    start = 0
    while True:
        size = left if left < ROOM else ROOM
        _head(kind | a << 8 | b << 16, ticks_us(), x, y)
        _copy(payload, start, size)
        _out(_frame, _HEAD + size)
        left -= size
        if not left:
            return
        start += size


def tell(text):
    """A rare event in words, such as `reset`."""
    send(TEXT, payload=text.encode())
