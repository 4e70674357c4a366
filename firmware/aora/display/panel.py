"""A panel on SPI: wakes it, sets windows, sends parts of a canvas as 16-bit colours."""

import sys
import time

import machine

from aora._shim import forget, micropython, ptr16
from aora.display import memory
from aora.display.turn import controller, turned

_CASET = 0x2A
_RASET = 0x2B
_RAMWR = 0x2C

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
        chip = controller(board.PANEL["driver"])
        self._steps = chip.WAKE
        self._turn(board.PANEL, settings, chip.GRAM)
        forget(chip.__name__[len("aora.") :])
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
            from aora.display.blocking import Blocking

            return Blocking(spi, self._dc, self._column, self._row)

    def _turn(self, panel, settings, gram):
        self._madctl, wide, self.height, self._column, self._row = turned(panel, settings, gram)
        self._full_width = wide
        self.width = wide & ~1
        self._inversion = 0x21 if settings.invert else 0x20

    def wake(self):
        """Runs the controller's start, with an empty picture; the panel is still dark."""
        left = _RESET_MS - time.ticks_diff(time.ticks_ms(), self._reset_at)
        if left > 0:
            time.sleep_ms(left)
        steps = self._steps
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
        right, low = self._column + self._full_width - 1, self._row + self.height - 1
        self.command(_CASET, self._column.to_bytes(2, "big") + right.to_bytes(2, "big"))
        self.command(_RASET, self._row.to_bytes(2, "big") + low.to_bytes(2, "big"))
        self.command(_RAMWR)
        self._begin()
        self._dc(1)
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
