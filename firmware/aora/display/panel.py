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
_AWAKE_MS = 5  # and one that was asleep, none for this long


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


class Bus:
    """The wires to a board's panel, which is powered and let go of its reset."""

    def __init__(self, board):
        _power(board)
        pins = board.PINS
        self._cs = _output(pins["cs"], 1) if pins["cs"] is not None else None
        self.dc = _output(pins["dc"], 1)
        rst = _output(pins["rst"], 0) if pins["rst"] is not None else None
        wires = board.SPI
        self.spi = machine.SPI(
            wires["id"],
            baudrate=wires["baudrate"],
            sck=machine.Pin(wires["sck"]),
            mosi=machine.Pin(wires["mosi"]),
            miso=None,  # the default pin may be DC: the panel says nothing anyway
        )
        self.write = self.spi.write
        self._one = bytearray(1)
        if rst:
            time.sleep_ms(1)
            rst(1)
        else:
            self.command(0x01)
        self._reset_at = time.ticks_ms()
        self.awake_at = 0  # since when, if it is
        self.dark_ms = 0  # how long it has to be, to show its picture

    def wake(self, steps):
        """Runs the controller's start."""
        left = _RESET_MS - time.ticks_diff(time.ticks_ms(), self._reset_at)
        if left > 0:
            time.sleep_ms(left)
        at = pause = 0
        while at < len(steps):
            time.sleep_ms(pause)
            end = at + 2 + steps[at + 1]
            self.command(steps[at], steps[at + 2 : end])
            pause = steps[end]
            at = end + 1
        self.awake_at = time.ticks_ms()
        self.dark_ms = pause
        time.sleep_ms(min(pause, _AWAKE_MS))

    def command(self, number, data=None):
        self._one[0] = number
        self.begin()
        self.write(self._one)
        self.dc(1)
        if data:
            self.write(data)
        self.end()

    def begin(self):
        if self._cs:
            self._cs(0)
        self.dc(0)

    def end(self):
        if self._cs:
            self._cs(1)


def _power(board):
    if sys.platform == "rp2":
        # Both clocks: the peripherals' alone would stay at 48 MHz, and SPI at 24.
        machine.freq(125_000_000, 125_000_000)
    for pin, level in board.POWER.items():
        machine.Pin(pin, machine.Pin.OUT, value=level)
    chip = getattr(board, "PMIC", None)
    if chip:
        bus = machine.I2C(chip["id"], scl=machine.Pin(chip["scl"]), sda=machine.Pin(chip["sda"]))
        for register, value in chip["registers"]:
            bus.writeto_mem(chip["address"], register, bytes((value,)))


_ahead = None  # the bus of a panel that was reset before there is a Panel for it


def reset(board):
    """Resets the panel ahead of its Panel: until it takes commands, other things can be done."""
    global _ahead
    _ahead = Bus(board)


def wake(board):
    """Wakes the panel that was reset ahead: again it takes a while."""
    steps = controller(board.PANEL["driver"]).WAKE
    _ahead.wake(steps)  # pyright: ignore[reportOptionalMemberAccess]


class Panel:
    """The board's panel, turned as set; `width` and `height` as they are seen, width even."""

    def __init__(self, board, settings):
        global _ahead
        self._bus = bus = _ahead or Bus(board)
        _ahead = None
        self.command = bus.command
        chip = controller(board.PANEL["driver"])
        self._steps = chip.WAKE
        self._turn(board.PANEL, settings, chip.GRAM)
        forget(chip.__name__[len("aora.") :])
        self._pairs = memory.take(1024)
        self._sender = self._made_sender(bus, board.SPI["id"], board.PINS["dc"])
        self.window = self._sender.WINDOW

    def _made_sender(self, bus, number, dc):
        """The fastest way to send rectangles that this chip has."""
        try:
            from aora.display.dma import Stream

            return Stream(number, dc, self._column, self._row)
        except ImportError:
            from aora.display.blocking import Blocking

            return Blocking(bus.spi, bus.dc, self._column, self._row)

    def _turn(self, panel, settings, gram):
        self._madctl, wide, self.height, self._column, self._row = turned(panel, settings, gram)
        self._full_width = wide
        self.width = wide & ~1
        self._inversion = 0x21 if settings.invert else 0x20

    def wake(self):
        """Ends the controller's start, and sets it as turned; the panel is still dark."""
        if not self._bus.awake_at:
            self._bus.wake(self._steps)
        self.command(0x36, bytes((self._madctl,)))
        self.command(self._inversion)
        if self._full_width > self.width:
            self._blacken(self._column + self.width)
        self._shown = False

    def _blacken(self, column):
        """Empties a column of the glass that is never drawn on."""
        low = self._row + self.height - 1
        self.command(_CASET, column.to_bytes(2, "big") * 2)
        self.command(_RASET, self._row.to_bytes(2, "big") + low.to_bytes(2, "big"))
        self.command(_RAMWR, bytes(self.height * 2))

    def colours(self, rgb565):
        """Takes 16 colours; pixels sent from now on have them."""
        _pairs(rgb565, self._pairs)

    def start(self, canvas, count):
        """The first `count` rectangles of a canvas are to be sent."""
        self._bus.begin()
        self._sender.start(self._pairs, canvas, count)

    def send(self, canvas):
        """Sends some of them; True while more remain."""
        if self._sender.send(canvas):
            return True
        self._sender.finish()
        self._bus.end()
        if not self._shown:
            self._appear()
        self.command(0x00)  # after each frame: tells who decodes
        return False

    def _appear(self):
        left = self._bus.dark_ms - time.ticks_diff(time.ticks_ms(), self._bus.awake_at)
        if left > 0:
            time.sleep_ms(left)
        self.command(0x29)
        self._shown = True
