"""Dozing off when nothing happens: drowsy, then sleeping, then a moment of waking."""

from aora import ticks
from aora.protocol import STATES

AWAKE = -1
DROWSY = STATES.index("drowsy")
SLEEPING = STATES.index("sleeping")
WAKING = STATES.index("waking")

DROWSY_MS = 45000
SLEEP_MS = 120000
WAKING_MS = 900
LIMIT_PRIORITY = 10  # of the winner: a state may stand in for nothing above it


class Idle:
    """`state` is AWAKE or the state that stands in for the arbiter's."""

    def __init__(self, drowsy_ms=DROWSY_MS, sleep_ms=SLEEP_MS, waking_ms=WAKING_MS, now=0):
        self.drowsy_ms = drowsy_ms
        self.sleep_ms = sleep_ms
        self.waking_ms = waking_ms
        self.state = AWAKE
        self._heard = now  # the last input
        self._woken = now

    def input(self, now):
        """An accepted line or a button: what sleeps wakes."""
        if self.state == DROWSY or self.state == SLEEPING:
            self.state = WAKING
            self._woken = now
        self._heard = now

    def tick(self, now):
        """Moves on with time; answers `state`."""
        quiet = ticks.diff(now, self._heard)
        if self.state == WAKING:
            if ticks.diff(now, self._woken) >= self.waking_ms:
                self.state = AWAKE
        elif self.state != SLEEPING and quiet >= self.sleep_ms:
            self.state = SLEEPING
        elif self.state == AWAKE and quiet >= self.drowsy_ms:
            self.state = DROWSY
        return self.state

    def deadline(self, now):
        """Milliseconds until `tick` may change the state; -1 for never."""
        if self.state == SLEEPING:
            return -1
        if self.state == WAKING:
            left = self.waking_ms - ticks.diff(now, self._woken)
        else:
            limit = self.sleep_ms
            if self.state == AWAKE and self.drowsy_ms < limit:
                limit = self.drowsy_ms
            left = limit - ticks.diff(now, self._heard)
        return left if left > 0 else 0
