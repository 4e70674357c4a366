"""Chunks by DMA on RP2: one goes out while the next is being expanded."""

import os

from rp2 import DMA

from aora._shim import micropython, ptr32

# SPI block -> its base address and the DMA request of its transmitter.
_RP2040 = ((0x4003C000, 16), (0x40040000, 18))
_RP2350 = ((0x40080000, 24), (0x40088000, 26))
_DATA = 0x08


@micropython.viper
def _drain(base: ptr32):
    """Waits until the transmitter is idle, then drops what came in meanwhile."""
    while int(base[3]) & 0x10:
        pass
    while int(base[3]) & 0x04:
        spare = int(base[2])  # noqa: F841
    base[8] = 3


class Overlapped:
    """Two chunk buffers, sent in turn without waiting."""

    OVERLAPS = True

    def __init__(self, number, *chunks):
        blocks = _RP2350 if "RP2350" in os.uname()[4] else _RP2040
        self._base, request = blocks[number]
        self.chunks = chunks
        self._dma = dma = DMA()
        control = dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        dma.config(write=self._base + _DATA, ctrl=control)
        self._busy = dma.active

    def fits(self, size):
        """The most of `size` bytes that can go at once."""
        return size

    def send(self, which, size):
        dma = self._dma
        dma.read = self.chunks[which]  # pyright: ignore[reportAttributeAccessIssue]
        dma.count = size  # pyright: ignore[reportAttributeAccessIssue]
        self._busy(1)

    def wait(self):
        """Returns once all is out, to the last bit."""
        while self._busy():
            pass
        _drain(self._base)
