"""The large buffers, as one piece: taken before the rest is loaded, while memory is whole.

A piece of this size is not to be had later from a heap in which modules lie about.
"""

from aora._shim import micropython, ptr8

_PAIRS = 1024  # the table of pairs
_CHUNKS = 2 * 1920  # for the bus
_OUTLINES = 31 * 128  # of a screen's shapes
_arena = memoryview(b"")
_scratch = 0  # bytes at the start of the arena
_used = 0


@micropython.viper
def _zero(part: ptr8, size: int):
    i = 0
    while i < size:
        part[i] = 0
        i += 1


def _size(width, height):
    """What a canvas takes for good: see Canvas."""
    return height * (width // 2 + width // 16 + 2) + 256


def reserve(board):
    """Claims what this board's panel needs, whichever way it is turned."""
    global _arena, _scratch, _used
    width, height = board.PANEL["width"], board.PANEL["height"]
    _used = _scratch = max(width * 32, height * 32, _CHUNKS)
    size = _scratch + max(_size(width, height), _size(height, width)) + _PAIRS + _OUTLINES
    if len(_arena) < size:
        _arena = memoryview(bytearray(size))


def scratch(size):
    """`size` bytes that hold nothing from one step to the next: drawing and sending take turns."""
    return _arena[:size]


def take(size):
    """The next `size` bytes, zeroed, at an address that is a multiple of four; or MemoryError."""
    global _used
    start = _used
    _used = start + (size + 3 & ~3)
    if _used > len(_arena):
        raise MemoryError("more than was reserved")
    part = _arena[start : start + size]
    _zero(part, size)
    return part
