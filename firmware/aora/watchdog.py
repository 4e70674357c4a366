"""A watchdog that lets go when somebody breaks in.

Only where it can be stopped: elsewhere it would cut off mpremote, and every flash, in between.
"""

import machine

from aora._shim import const

TIMEOUT_MS = 8000
# MCU -> address that clears bits of the watchdog's control register
_CLEAR = {"rp2040": 0x4005B000, "rp2350": 0x400DB000}
_ENABLE = const(1 << 30)


class Watchdog:
    """Resets a board that hangs for TIMEOUT_MS."""

    def __init__(self, mcu):
        self._clear = _CLEAR.get(mcu)
        self.feed = machine.WDT(timeout=TIMEOUT_MS).feed if self._clear else _nothing

    def stop(self):
        if self._clear:
            machine.mem32[self._clear] = _ENABLE


def _nothing():
    pass
