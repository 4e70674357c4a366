"""Whether the host is there, what time of day it is, and whether it is quiet hours."""

from aora import ticks
from aora._shim import const

HERE = 0
MISSED = 1  # 10 s without a sign: a small mark
GONE = 2  # 60 s: dim and grey
LOST = 3  # 10 min: dark

_LIMITS = (10000, 60000, 600000)
_DAY = const(1440)
_MINUTE_MS = const(60000)


class Presence:
    """`stage` is HERE..LOST, `quiet` true in quiet hours or when a person wants it so."""

    def __init__(self, settings, now):
        self.stage = HERE
        self.quiet = False
        self._settings = settings
        self._heard = now
        self._minute = -1  # of the day; -1 until a host told it
        self._minute_at = now
        self._hours = False  # what the clock says
        self._wish = -1  # what a person wants against the clock, until the clock agrees

    def heard(self, now):
        """The host gave a sign of life."""
        self._heard = now
        self.stage = HERE

    def told(self, minute, now):
        """The host told the time, in minutes of the day."""
        if 0 <= minute < _DAY:
            self._minute = minute
            self._minute_at = now

    def toggle(self):
        """A person wants it the other way round."""
        self._wish = 0 if self.quiet else 1
        self.quiet = self._wish == 1

    def tick(self, now):
        silent = ticks.diff(now, self._heard)
        while self.stage < LOST and silent >= _LIMITS[self.stage]:
            self.stage += 1
        while self._minute >= 0 and ticks.diff(now, self._minute_at) >= _MINUTE_MS:
            self._minute = (self._minute + 1) % _DAY
            self._minute_at = ticks.add(self._minute_at, _MINUTE_MS)
        hours = self._in_hours()
        if hours != self._hours:
            self._hours = hours
            self._wish = -1
        self.quiet = self._wish == 1 if self._wish >= 0 else hours

    def _in_hours(self):
        start = self._settings.quiet_from
        end = self._settings.quiet_to
        minute = self._minute
        if start < 0 or minute < 0:
            return False
        if start <= end:
            return start <= minute < end
        return minute >= start or minute < end
