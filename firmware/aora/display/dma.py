"""Rectangles by DMA on RP2: one chunk goes out while the next is being expanded.

Windows are set through the registers of SPI and pins: by methods each takes as long as 4 KB.
"""

import os
from array import array

from rp2 import DMA
from uctypes import addressof

from aora._shim import const, micropython, ptr16, ptr32
from aora.display import memory
from aora.display.thumb import expand, window

# SPI block -> its base address and the DMA request of its transmitter; then the addresses of the
# words that set and clear pins, as signed words, and the DMA's busy bit.
_RP2040 = ((0x4003C000, 16), (0x40040000, 18)), -0x2FFFFFEC, -0x2FFFFFE8, 1 << 24
_RP2350 = ((0x40080000, 24), (0x40088000, 26)), -0x2FFFFFE8, -0x2FFFFFE0, 1 << 26
_DATA = const(0x08)
_CHUNK = const(1920)  # bytes, two of them: 0.25 ms at 62.5 MHz, longer than to expand them

# Places in the state; from 5 to 9 are column and row of the glass, the pin of DC as a bit, and
# the words that set and clear it.
_RECT = const(0)  # the rectangle that is being sent
_COUNT = const(1)
_SENT = const(2)  # pairs of pixels that are sent of it
_FLIP = const(3)  # which chunk is free
_STRIDE = const(4)
_BUSY = const(10)
_RECTS = const(12)  # addresses, after SPI's
_PIXELS = const(13)
_FROM = const(14)
_TO = const(15)
_PAIRS = const(16)
_LEFT = const(17)  # pairs until the row ends
_SIZE = const(18)  # pairs in the chunk
_WIDE = const(19)
_SKIP = const(20)  # bytes from a row's end to the next one


@micropython.viper
def _send(job, rects: ptr16, dma: ptr32, spi: ptr32, chunks: int) -> int:
    """Sends what fits between two looks at the input; answers whether more remains.

    A chunk is expanded while the one before it goes out, and only then its window set.
    """
    state = ptr32(job)  # pyright: ignore[reportCallIssue]
    room = 1280  # pairs of pixels; a window takes about as long as 32
    while state[_RECT] < state[_COUNT]:
        at = state[_RECT] * 5
        wide = (int(rects[at + 2]) - int(rects[at])) >> 1
        count = wide * (int(rects[at + 3]) - int(rects[at + 1]))
        sent = state[_SENT]
        row = sent // wide if sent else 0
        place = (int(rects[at + 1]) + row) * state[_STRIDE] + (int(rects[at]) >> 1)
        size = count - sent
        if size > _CHUNK // 4:
            size = _CHUNK // 4
        state[_FROM] = state[_PIXELS] + place + sent - row * wide
        state[_TO] = chunks + state[_FLIP] * _CHUNK
        state[_LEFT] = (row + 1) * wide - sent
        state[_SIZE] = size
        state[_WIDE] = wide
        state[_SKIP] = state[_STRIDE] - wide
        expand(job)
        while dma[3] & state[_BUSY]:
            pass
        if sent == 0:
            while spi[3] & 0x10:
                pass
            window(job)
            room -= 32
        dma[0] = state[_TO]
        dma[7] = size * 4  # the count starts it
        state[_FLIP] = 1 - state[_FLIP]
        state[_SENT] = sent + size
        if sent + size == count:
            state[_SENT] = 0
            state[_RECT] = state[_RECT] + 1
        room -= size
        if room <= 0:
            return 1 if state[_RECT] < state[_COUNT] else 0
    return 0


@micropython.viper
def _drain(state: ptr32, dma: ptr32, spi: ptr32):
    """Waits until the transmitter is idle, then drops what came in meanwhile."""
    while dma[3] & state[_BUSY] or spi[3] & 0x10:
        pass
    while spi[3] & 0x04:
        spare = spi[2]  # noqa: F841
    spi[8] = 3


class Stream:
    """Sends a canvas' rectangles, a part of them at a time."""

    WINDOW = 24  # marks of a canvas, four bytes each, that take as long as to set a window

    def __init__(self, number, dc, column, row):
        chip = _RP2350 if "RP2350" in os.uname()[4] else _RP2040
        self._spi, request = chip[0][number]
        self._chunks = addressof(memory.scratch(2 * _CHUNK))
        state = (0, 0, 0, 0, 0, column, row, 1 << dc) + chip[1:] + (self._spi,) + (0,) * 9
        self._state = array("i", state)
        self._dma = dma = DMA()
        control = dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        dma.config(write=self._spi + _DATA, ctrl=control)
        self._registers = dma.registers  # pyright: ignore[reportAttributeAccessIssue]

    def start(self, pairs, canvas, count):
        """The first `count` rectangles are to be sent, in the colours of these pairs."""
        state = self._state
        state[_RECT] = state[_SENT] = 0
        state[_COUNT] = count
        state[_STRIDE] = canvas.stride
        state[_RECTS] = addressof(canvas.rects)
        state[_PIXELS] = addressof(canvas.pixels)
        state[_PAIRS] = addressof(pairs)

    def send(self, canvas):
        """Sends some; True while more remain."""
        return _send(self._state, canvas.rects, self._registers, self._spi, self._chunks) != 0

    def finish(self):
        """Returns once all is out, to the last bit."""
        _drain(self._state, self._registers, self._spi)
