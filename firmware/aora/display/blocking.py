"""Rectangles through SPI.write, which waits until they are out: for any chip."""

from array import array

from aora._shim import micropython, ptr8, ptr32
from aora.display import memory

_CASET = b"\x2a"
_RASET = b"\x2b"
_RAMWR = b"\x2c"
_CHUNK = 1920  # bytes on the bus at a time
_ROOM = 5760  # bytes until input is looked at
_WINDOW = 500  # a window takes as long as so many


@micropython.viper
def _expand(
    pixels: ptr8, pairs: ptr32, out: ptr32, src: int, stride: int, wide: int, place: ptr32
):
    """Expands place[1] bytes of a rectangle `wide` bytes across, from byte place[0] of it on."""
    o = 0
    count = int(place[1])
    row = int(place[0]) // wide
    column = int(place[0]) - row * wide
    src += row * stride + column
    in_row = wide - column
    while count > 0:
        n = in_row if in_row < count else count
        count -= n
        while n >= 8:
            out[o] = pairs[pixels[src]]
            out[o + 1] = pairs[pixels[src + 1]]
            out[o + 2] = pairs[pixels[src + 2]]
            out[o + 3] = pairs[pixels[src + 3]]
            out[o + 4] = pairs[pixels[src + 4]]
            out[o + 5] = pairs[pixels[src + 5]]
            out[o + 6] = pairs[pixels[src + 6]]
            out[o + 7] = pairs[pixels[src + 7]]
            o += 8
            src += 8
            n -= 8
        while n > 0:
            out[o] = pairs[pixels[src]]
            o += 1
            src += 1
            n -= 1
        src += stride - wide
        in_row = wide


@micropython.viper
def _window(write, dc, span, left: int, right: int, top: int, low: int):
    """Addresses a window, first and last column and row, and opens it for pixels."""
    s = ptr8(span)  # pyright: ignore[reportCallIssue]
    dc(0)
    write(_CASET)
    s[0] = left >> 8
    s[1] = left & 255
    s[2] = right >> 8
    s[3] = right & 255
    dc(1)
    write(span)
    dc(0)
    write(_RASET)
    s[0] = top >> 8
    s[1] = top & 255
    s[2] = low >> 8
    s[3] = low & 255
    dc(1)
    write(span)
    dc(0)
    write(_RAMWR)
    dc(1)


class Blocking:
    """Sends a canvas' rectangles, a part of them at a time.

    Lengths are made of views that exist from the start: a slice would allocate.
    """

    WINDOW = 4  # marks of a canvas, four bytes each, that it is worth sending to save a window

    def __init__(self, spi, dc, column, row):
        self._write = spi.write
        self._dc = dc
        self._column = column
        self._row = row
        self._span = bytearray(4)
        self._place = array("i", (0, 0))
        self._chunk = chunk = memory.scratch(_CHUNK)
        self._coarse = [chunk[: 64 * k] for k in range(_CHUNK // 64 + 1)]
        self._fine = [chunk[: 4 * k] for k in range(16)]
        self._rect = self._count = self._left = self._wide = self._src = 0

    def start(self, pairs, canvas, count):
        """The first `count` rectangles are to be sent, in the colours of these pairs."""
        self._pairs = pairs
        self._rect = self._left = 0
        self._count = count

    def send(self, canvas):
        """Sends some; True while more remain."""
        room = _ROOM
        while self._rect < self._count:
            if not self._left:
                self._open(canvas, self._rect * 5)
                room -= _WINDOW
            room -= self._part(canvas)
            if not self._left:
                self._rect += 1
            if room <= 0:
                return self._rect < self._count
        return False

    def finish(self):
        """Returns once all is out."""

    def _open(self, canvas, at):
        rects = canvas.rects
        left = rects[at]
        top = rects[at + 1]
        column = left + self._column
        row = top + self._row
        self._wide = (rects[at + 2] - left) >> 1
        self._left = self._wide * (rects[at + 3] - top) * 4
        self._src = top * canvas.stride + (left >> 1)
        self._place[0] = 0
        last = column + self._wide * 2 - 1
        _window(
            self._write, self._dc, self._span, column, last, row, row + rects[at + 3] - top - 1
        )

    def _part(self, canvas):
        size = self._left if self._left < _CHUNK else _CHUNK
        if size > 60:
            size &= ~63
        place = self._place
        place[1] = size >> 2
        _expand(
            canvas.pixels, self._pairs, self._chunk, self._src, canvas.stride, self._wide, place
        )
        self._write(self._coarse[size >> 6] if size >= 64 else self._fine[size >> 2])
        place[0] += size >> 2
        self._left -= size
        return size
