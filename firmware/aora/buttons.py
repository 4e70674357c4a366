"""Buttons: short and long presses, debounced, from pins that are low while pressed."""

from machine import Pin

from aora import ticks
from aora._shim import const

SHORT = b"short"
LONG = b"long"
_DEBOUNCE_MS = const(30)
_LONG_MS = const(700)
BOOT_MS = 100  # reading BOOT halts the flash for a moment: not too often
_BOOTSEL = "bootsel"


def _reader(pin):
    if pin == _BOOTSEL:
        import rp2

        return rp2.bootsel_button, 1
    return Pin(pin, Pin.IN, Pin.PULL_UP).value, 0


class Button:
    """`poll` answers SHORT when it is let go, LONG once it has been held, else None."""

    def __init__(self, name, pin):
        self.name = name.encode()
        self._read, self._pressed = _reader(pin)
        self._every = BOOT_MS if pin == _BOOTSEL else _DEBOUNCE_MS
        self._at = 0
        # One that is down from the start is stuck or not there: it counts once it has been up.
        self._down = self._long = True
        self._since = 0

    def poll(self, now):
        if 0 <= ticks.diff(now, self._at) < self._every:
            return None
        self._at = now
        down = self._read() == self._pressed
        if down and not self._down:
            self._down = True
            self._long = False
            self._since = now
        elif down and not self._long and ticks.diff(now, self._since) >= _LONG_MS:
            self._long = True
            return LONG
        elif not down and self._down:
            self._down = False
            return None if self._long else SHORT
        return None


def buttons_of(board):
    """The board's buttons, in order of their names."""
    return [Button(name, board.BUTTONS[name]) for name in sorted(board.BUTTONS)]
