"""The large buffers, as one piece: taken before the rest is loaded, while memory is whole.

A piece of this size is not to be had later from a heap in which modules lie about.
"""

_CHUNKS = 2 * 1920 + 1024  # two chunks for the bus, the table of pairs
_arena = memoryview(b"")
_used = 0


def _size(width, height):
    """What a canvas and its bookkeeping take: see Canvas."""
    return height * (width // 2 + width // 16 + 1 + 33) + 128


def reserve(board):
    """Claims what this board's panel needs, whichever way it is turned."""
    global _arena, _used
    width, height = board.PANEL["width"], board.PANEL["height"]
    size = max(_size(width, height), _size(height, width)) + _CHUNKS
    _used = 0
    if len(_arena) < size:
        _arena = memoryview(bytearray(size))


def take(size):
    """The next `size` bytes, zeroed, at an address that is a multiple of four."""
    global _used
    start = _used
    _used = start + (size + 3 & ~3)
    part = _arena[start : start + size]
    i = 0
    while i < size:
        part[i] = 0
        i += 1
    return part
