"""What hangs on the pins: the panel, the ring, the light behind the panel."""

from __future__ import annotations

import struct

from host_bridge.boards import Board
from host_bridge.virtual.panel import decoder
from host_bridge.virtual.ring import RingDecoder

SPI, PIN, PWM, BITS, WATCHDOG, TEXT = range(1, 7)
FLOATING = 2  # the level of a pin that nothing drives
_HEAD = struct.Struct("<BBBxIII")
_PIECE = struct.Struct("<HH")  # flags and size of what was written to SPI at once
_PANEL_MAX_HZ = {"st7789": 62_500_000, "gc9a01": 100_000_000}


class Wiring:
    """Takes the events of the shims' `_wire` and hands each to what the pin leads to.

    `pins` has each output's level (2: nothing drives it), `pwm` duty of 65535 and hertz, `spi`
    the last configuration of each block. `faults` says what real hardware would not have taken.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self.panel = decoder(board.PANEL)
        self.ring = RingDecoder(board.RING["leds"], board.RING["order"])
        self.faults: list[str] = []
        self._spans = 0
        self._last_us = 0
        self.power_on()

    def power_on(self) -> None:
        """Everything is as when the supply came up."""
        self._power_chip: dict[int, int] = {}
        self.panel.power_on()
        self.ring.power_on()
        self.restart()

    def restart(self) -> None:
        """The chip's pins are back to inputs. Panel and ring keep what they had."""
        self.pins: dict[int, int] = {}
        self.pwm: dict[int, tuple[int, int]] = {}
        self.spi: dict[int, dict[str, int]] = {}
        self.clock = 0

    @property
    def backlight(self) -> float:
        """Brightness of the panel's light, 0 to 1."""
        pin = self._board.PINS["bl"]
        if pin is None:
            return float(self._supplied())
        if pin in self.pwm:
            return self.pwm[pin][0] / 65535
        return float(self.pins.get(pin) == 1)

    def event(self, data: bytes) -> tuple[int, int, str]:
        """Takes one event; answers kind, a number and a text, for what is not about pins."""
        kind, a, b, t_us, x, y = _HEAD.unpack_from(data)
        if kind == SPI:
            self._written(data, self._unwrapped(t_us))
        elif kind == PIN:
            self._level(a, b)
        elif kind == PWM:
            self.pwm[a] = (x, y)
        elif kind == BITS:
            timing = (x & 0xFFFF, x >> 16, y & 0xFFFF, y >> 16)
            self._bits(a, data[_HEAD.size :], self._unwrapped(t_us), timing)
        elif kind == TEXT:
            return kind, 0, self._told(data[_HEAD.size :].decode())
        return kind, x, ""

    def _unwrapped(self, t_us: int) -> int:
        """Microseconds that go on where the 32 bits of an event start anew."""
        if t_us < self._last_us & 0xFFFFFFFF and self._last_us - t_us > 1 << 31:
            self._spans += 1
        self._last_us = t_us
        return (self._spans << 32) + t_us

    def _written(self, pieces: bytes, t_us: int) -> None:
        listens = self._supplied() and not self._held_in_reset()
        at = _HEAD.size
        while at < len(pieces):
            flags, size = _PIECE.unpack_from(pieces, at)
            at += _PIECE.size
            data_not_command, unselected, here = flags & 1, flags & 2, flags & 4
            if not here:
                self._fault("SPI on pins that the panel does not hang on")
            elif listens and not unselected:
                self.panel.feed(data_not_command, pieces[at : at + size], t_us)
            at += size

    def _held_in_reset(self) -> bool:
        pin = self._board.PINS["rst"]
        return pin is not None and self.pins.get(pin) == 0

    def _supplied(self) -> bool:
        """Whether the panel has power: its pins are set, or its power chip was told."""
        told = dict(self._board.PMIC.get("registers", ()))
        return self._power_chip.items() >= told.items() and all(
            self.pins.get(pin) == level for pin, level in self._board.POWER.items()
        )

    def _level(self, pin: int, level: int) -> None:
        self.pins[pin] = level
        self.pwm.pop(pin, None)
        if pin == self._board.PINS["rst"] and level == 0:
            self.panel.reset()
        if pin in self._board.POWER and not self._supplied():
            self.panel.power_on()

    def _bits(self, pin: int, data: bytes, t_us: int, timing: tuple[int, int, int, int]) -> None:
        if pin == self._board.RING["pin"]:
            self.ring.feed(data, t_us, timing)
        else:
            self._fault(f"LED bits on GPIO {pin}: no ring there")

    def _told(self, text: str) -> str:
        word, *numbers = text.split()
        if word == "freq":
            self.clock = int(numbers[0])
            return ""
        if word == "i2c":
            self._power_chip[int(numbers[0])] = int(numbers[1])
            return ""
        if word != "spi":
            return text
        block, baudrate, polarity, phase, here = map(int, numbers)
        self.spi[block] = {"baudrate": baudrate, "polarity": polarity, "phase": phase}
        fastest = _PANEL_MAX_HZ[self._board.PANEL["driver"]]
        if here and baudrate > fastest:
            self._fault(f"SPI at {baudrate:,} Hz: the panel takes {fastest:,}")
        if here and polarity != phase:
            self._fault(f"SPI with polarity {polarity} and phase {phase}: the panel reads rubbish")
        return ""

    def _fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)
