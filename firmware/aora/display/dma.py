"""Rectangles by DMA on RP2: one chunk goes out while the next is being expanded.

Windows are set through the registers of SPI and pins: by methods each takes as long as 4 KB.
"""

import os
from array import array

from rp2 import DMA

from aora._shim import const, micropython, ptr8, ptr16, ptr32
from aora.display import memory

# SPI block -> its base address and the DMA request of its transmitter; then the places of the
# words that set and clear pins, and the DMA's busy bit.
_RP2040 = ((0x4003C000, 16), (0x40040000, 18)), 5, 6, 1 << 24
_RP2350 = ((0x40080000, 24), (0x40088000, 26)), 6, 8, 1 << 26
_PINS = 0xD0000000
_DATA = const(0x08)
_CHUNK = const(1920)  # bytes, two of them: 0.25 ms at 62.5 MHz, longer than to expand them

# Places in the state.
_RECT = const(0)  # the rectangle that is being sent
_COUNT = const(1)
_SENT = const(2)  # bytes of the canvas that are sent of it
_FLIP = const(3)  # which chunk is free
_STRIDE = const(4)
_COLUMN = const(5)
_ROW = const(6)
_DC = const(7)
_SET = const(8)
_CLEAR = const(9)
_BUSY = const(10)


@micropython.viper
def _send(
    pixels: ptr8,
    pairs: ptr32,
    chunks: ptr32,
    rects: ptr16,
    state: ptr32,
    dma: ptr32,
    spi: ptr32,
    pins: ptr32,
) -> int:
    """Sends what fits between two looks at the input; answers whether more remains."""
    room = 1280  # pairs of pixels; a window takes about as long as 32
    dc = state[_DC]
    while state[_RECT] < state[_COUNT]:
        at = state[_RECT] * 5
        left = int(rects[at])
        top = int(rects[at + 1])
        wide = (int(rects[at + 2]) - left) >> 1
        count = wide * (int(rects[at + 3]) - top)
        sent = state[_SENT]
        if sent == 0:
            first = left + state[_COLUMN]
            last = first + wide * 2 - 1
            command = 0x2A
            while dma[3] & state[_BUSY] or spi[3] & 0x10:
                pass
            while command < 0x2D:
                pins[state[_CLEAR]] = dc
                spi[2] = command
                while spi[3] & 0x10:
                    pass
                pins[state[_SET]] = dc
                if command < 0x2C:
                    spi[2] = first >> 8
                    spi[2] = first & 255
                    spi[2] = last >> 8
                    spi[2] = last & 255
                    first = top + state[_ROW]
                    last = first + int(rects[at + 3]) - top - 1
                    while spi[3] & 0x10:
                        pass
                command += 1
            room -= 32
        row = sent // wide
        column = sent - row * wide
        src = (top + row) * state[_STRIDE] + (left >> 1) + column
        while sent < count and room > 0:
            size = count - sent
            if size > _CHUNK // 4:
                size = _CHUNK // 4
            sent += size
            room -= size
            out = state[_FLIP] * (_CHUNK // 4)
            end = out + size
            while out < end:
                n = wide - column
                if n > end - out:
                    n = end - out
                column += n
                while n >= 8:
                    chunks[out] = pairs[pixels[src]]
                    chunks[out + 1] = pairs[pixels[src + 1]]
                    chunks[out + 2] = pairs[pixels[src + 2]]
                    chunks[out + 3] = pairs[pixels[src + 3]]
                    chunks[out + 4] = pairs[pixels[src + 4]]
                    chunks[out + 5] = pairs[pixels[src + 5]]
                    chunks[out + 6] = pairs[pixels[src + 6]]
                    chunks[out + 7] = pairs[pixels[src + 7]]
                    out += 8
                    src += 8
                    n -= 8
                while n > 0:
                    chunks[out] = pairs[pixels[src]]
                    out += 1
                    src += 1
                    n -= 1
                if column == wide:
                    column = 0
                    src += state[_STRIDE] - wide
            while dma[3] & state[_BUSY]:
                pass
            dma[0] = int(chunks) + state[_FLIP] * _CHUNK
            dma[7] = size * 4  # the count starts it
            state[_FLIP] = 1 - state[_FLIP]
        if sent < count:
            state[_SENT] = sent
            return 1
        state[_SENT] = 0
        state[_RECT] = state[_RECT] + 1
        if room <= 0 and state[_RECT] < state[_COUNT]:
            return 1
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
        self._pins = _PINS
        self._chunks = memory.scratch(2 * _CHUNK)
        self._pairs = None
        self._state = array("i", (0, 0, 0, 0, 0, column, row, 1 << dc) + chip[1:])
        self._dma = dma = DMA()
        control = dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        dma.config(write=self._spi + _DATA, ctrl=control)
        self._registers = dma.registers  # pyright: ignore[reportAttributeAccessIssue]

    def start(self, pairs, canvas, count):
        """The first `count` rectangles are to be sent, in the colours of these pairs."""
        self._pairs = pairs
        state = self._state
        state[_RECT] = state[_SENT] = 0
        state[_COUNT] = count
        state[_STRIDE] = canvas.stride

    def send(self, canvas):
        """Sends some; True while more remain."""
        return (
            _send(
                canvas.pixels,
                self._pairs,
                self._chunks,
                canvas.rects,
                self._state,
                self._registers,
                self._spi,
                self._pins,
            )
            != 0
        )

    def finish(self):
        """Returns once all is out, to the last bit."""
        _drain(self._state, self._registers, self._spi)
