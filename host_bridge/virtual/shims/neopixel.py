"""WS2812 driver with the interface of the one that MicroPython ships."""

from machine import bitstream

_TIMINGS = ((800, 1700, 1600, 900), (400, 850, 800, 450))


class NeoPixel:
    ORDER = (1, 0, 2, 3)

    def __init__(self, pin, n, bpp=3, timing=1):
        self.pin = pin
        self.n = n
        self.bpp = bpp
        self.buf = bytearray(n * bpp)
        self.timing = _TIMINGS[1 if timing else 0] if isinstance(timing, int) else timing
        pin.init(pin.OUT)

    def __len__(self):
        return self.n

    def __setitem__(self, i, v):
        at = i * self.bpp
        for channel in range(self.bpp):
            self.buf[at + self.ORDER[channel]] = v[channel]

    def __getitem__(self, i):
        at = i * self.bpp
        return tuple(self.buf[at + self.ORDER[channel]] for channel in range(self.bpp))

    def fill(self, v):
        for i in range(self.n):
            self[i] = v

    def write(self):
        bitstream(self.pin, 0, self.timing, self.buf)
