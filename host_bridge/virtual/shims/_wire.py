"""What the board does to its pins, as datagrams to the host process.

A datagram is a head of 16 bytes (kind, three small numbers, microseconds, two words) and a
payload. It goes out in one write, so that a keyboard interrupt at any place cannot tear it.
SPI's payload is pieces: flags and size in two halfwords, then what was written; some may wait
for the next ones. Nothing here allocates.
"""

from time import ticks_us

import micropython

SPI, PIN, PWM, BITS, WATCHDOG, TEXT = range(1, 7)
ROOM = const(4096)
_HEAD = const(16)
_PIECE = const(4)

_frame = bytearray(_HEAD + ROOM)
_none = bytearray(0)
_out = None
_held = 0  # bytes of pieces that wait


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
def _copy(to: int, source: ptr8, start: int, size: int):
    frame = ptr8(_frame)
    for i in range(size):
        frame[_HEAD + to + i] = source[start + i]


@micropython.viper
def _piece(to: int, flags: int, size: int):
    frame = ptr8(_frame)
    frame[_HEAD + to] = flags
    frame[_HEAD + to + 1] = 0
    frame[_HEAD + to + 2] = size & 255
    frame[_HEAD + to + 3] = size >> 8


def send(kind, a=0, b=0, x=0, y=0, payload=_none):
    """Sends one event; a payload longer than ROOM goes as several, in order."""
    if _held:
        _flush()
    left = len(payload)
    start = 0
    while True:
        size = left if left < ROOM else ROOM
        _head(kind | a << 8 | b << 16, ticks_us(), x, y)
        _copy(0, payload, start, size)
        _out(_frame, _HEAD + size)
        left -= size
        if not left:
            return
        start += size


def write(flags, payload, waits):
    """Sends what was written to SPI, with what waited; this itself may wait for more."""
    global _held
    left = len(payload)
    start = 0
    while True:
        room = ROOM - _PIECE - _held
        size = left if left < room else room
        _piece(_held, flags, size)
        _copy(_held + _PIECE, payload, start, size)
        _held += _PIECE + size
        left -= size
        start += size
        if left or not waits or _held > ROOM - _PIECE:
            _flush()
        if not left:
            return


def _flush():
    global _held
    size = _held
    _held = 0
    _head(SPI, ticks_us(), 0, 0)
    _out(_frame, _HEAD + size)


def tell(text):
    """A rare event in words, such as `reset`."""
    send(TEXT, payload=text.encode())
