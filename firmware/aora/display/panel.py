"""A panel on SPI: wakes it, sets windows, sends parts of a canvas as 16-bit colours."""

import sys
import time
from array import array

import machine

from aora._shim import micropython, ptr8, ptr16, ptr32
from aora.display import memory
from aora.display.turn import controller, turned

_CASET = b"\x2a"
_RASET = b"\x2b"
_RAMWR = b"\x2c"
_CHUNK = 1920  # bytes on the bus at a time
_ROOM = 5760  # bytes until input is looked at
_WINDOW = 500  # a window takes as long as so many

_RESET_MS = 120  # a panel that was awake takes no command for this long


@micropython.viper
def _pairs(colours: ptr16, pairs: ptr16):
    """The two 16-bit colours, high byte first, of each byte of a canvas."""
    i = 0
    while i < 256:
        a = int(colours[i >> 4])
        b = int(colours[i & 15])
        pairs[i * 2] = ((a & 0xFF) << 8) | (a >> 8)
        pairs[i * 2 + 1] = ((b & 0xFF) << 8) | (b >> 8)
        i += 1


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


class _Blocking:
    """Sends a canvas' rectangles through SPI.write, which waits until they are out.

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
        self._chunk = chunk = memory.take(_CHUNK)
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


def _output(number, level):
    return machine.Pin(number, machine.Pin.OUT, value=level)


class Panel:
    """The board's panel, turned as set; `width` and `height` as they are seen, width even."""

    def __init__(self, board, settings):
        self._power(board)
        pins = board.PINS
        self._cs = _output(pins["cs"], 1) if pins["cs"] is not None else None
        self._dc = _output(pins["dc"], 1)
        self._rst = _output(pins["rst"], 0) if pins["rst"] is not None else None
        bus = board.SPI
        spi = machine.SPI(
            bus["id"],
            baudrate=bus["baudrate"],
            sck=machine.Pin(bus["sck"]),
            mosi=machine.Pin(bus["mosi"]),
            miso=None,  # the default pin may be DC: the panel says nothing anyway
        )
        self._write = spi.write
        self.controller = controller(board.PANEL["driver"])
        self._turn(board.PANEL, settings)
        self._one = bytearray(1)
        self._pairs = memory.take(1024)
        self._sender = self._made_sender(spi, bus["id"], pins["dc"])
        self.window = self._sender.WINDOW
        if self._rst:
            time.sleep_ms(1)
            self._rst(1)
        else:
            self.command(0x01)
        self._reset_at = time.ticks_ms()

    def _power(self, board):
        if sys.platform == "rp2":
            # Both clocks: the peripherals' alone would stay at 48 MHz, and SPI at 24.
            machine.freq(125_000_000, 125_000_000)
        for pin, level in board.POWER.items():
            machine.Pin(pin, machine.Pin.OUT, value=level)
        chip = getattr(board, "PMIC", None)
        if chip:
            bus = machine.I2C(
                chip["id"], scl=machine.Pin(chip["scl"]), sda=machine.Pin(chip["sda"])
            )
            for register, value in chip["registers"]:
                bus.writeto_mem(chip["address"], register, bytes((value,)))

    def _made_sender(self, spi, number, dc):
        """The fastest way to send rectangles that this chip has."""
        try:
            from aora.display.dma import Stream

            return Stream(number, dc, self._column, self._row)
        except ImportError:
            return _Blocking(spi, self._dc, self._column, self._row)

    def _turn(self, panel, settings):
        self._madctl, wide, self.height, self._column, self._row = turned(
            panel, settings, self.controller.GRAM
        )
        self._full_width = wide
        self.width = wide & ~1
        self._inversion = 0x21 if settings.invert else 0x20

    def wake(self):
        """Runs the controller's start, with an empty picture; the panel is still dark."""
        left = _RESET_MS - time.ticks_diff(time.ticks_ms(), self._reset_at)
        if left > 0:
            time.sleep_ms(left)
        steps = self.controller.WAKE
        at = 0
        while at < len(steps):
            end = at + 2 + steps[at + 1]
            self.command(steps[at], steps[at + 2 : end])
            time.sleep_ms(steps[end])
            at = end + 1
        self.command(0x36, bytes((self._madctl,)))
        self.command(self._inversion)
        self._empty()
        self._shown = False

    def _empty(self):
        """Blackens all of the glass, an odd last column too: it is never drawn on."""
        self._begin()
        right, low = self._column + self._full_width - 1, self._row + self.height - 1
        _window(self._write, self._dc, bytearray(4), self._column, right, self._row, low)
        black = bytes(self._full_width * 2)
        for _ in range(self.height):
            self._write(black)
        self._end()

    def command(self, number, data=None):
        self._one[0] = number
        self._begin()
        self._write(self._one)
        self._dc(1)
        if data:
            self._write(data)
        self._end()

    def _begin(self):
        if self._cs:
            self._cs(0)
        self._dc(0)

    def _end(self):
        if self._cs:
            self._cs(1)

    def colours(self, rgb565):
        """Takes 16 colours; pixels sent from now on have them."""
        _pairs(rgb565, self._pairs)

    def start(self, canvas, count):
        """The first `count` rectangles of a canvas are to be sent."""
        self._begin()
        self._sender.start(self._pairs, canvas, count)

    def send(self, canvas):
        """Sends some of them; True while more remain."""
        if self._sender.send(canvas):
            return True
        self._sender.finish()
        self._end()
        # The first frame lets the picture appear; a NOP after each tells who decodes.
        self.command(0x00 if self._shown else 0x29)
        self._shown = True
        return False
