"""The LED ring: seats or a dial, faded, with gamma, within a budget of current.

A WS2812's channel draws about 20 mA at full and a LED about 1 mA while dark. Levels here are
light, 0..4095 a channel; the eye's curve is in the tables and in the brightness.
"""

from array import array

import machine

from aora import hud as huds
from aora import ticks
from aora._shim import micropython, ptr8, ptr32
from aora.protocol import BROKEN, DONE, NEEDS_YOU, NOTHING, REFUSED, WORKING
from aora.seats import EMPTY, seats_for

_TIMING = (400, 850, 800, 450)  # ns, high and low of a zero and of a one
_FADE_MS = 320
_SLOW_MS = 4000  # one breath of a seat that works
_FULL_MA = 20
_IDLE_MA = 1

# class -> light of the seat's outer two LEDs and of its centre, in percent.
_OUTER = bytearray(6)
_CENTRE = bytearray(6)
_CENTRE[NOTHING] = 2
_CENTRE[WORKING] = 7
_OUTER[DONE] = _CENTRE[DONE] = 12
_OUTER[NEEDS_YOU] = _CENTRE[NEEDS_YOU] = 60
_OUTER[BROKEN] = 45
_OUTER[REFUSED] = 45
_FRONT = 8  # the seat on the face has 8/5 of its light
_DIAL = 30  # percent

# Light of red, green and blue, 0..255, by class, then by tone of a dial, then grey. No red is
# saturated: its share stays below four fifths.
_COLOURS = bytes(
    (110, 120, 140)
    + (30, 130, 230)
    + (0, 170, 80)
    + (220, 100, 0)
    + (210, 54, 10)
    + (150, 36, 120)
    + (30, 150, 220)
    + (220, 100, 0)
    + (210, 54, 10)
    + (60, 60, 60)
)
_TONE = 6
_GREY = 9


@micropython.viper
def _set(goal: ptr32, led: int, colours: ptr8, colour: int, light: int):
    """The LED's goal: `light` 0..4095 of a colour; what is lit stays at least just lit."""
    i = 0
    while i < 3:
        part = int(colours[colour * 3 + i])
        level = part * light >> 8
        if level < 16 and light > 0 and part >= 100:
            level = 16
        goal[led * 3 + i] = level
        i += 1


@micropython.viper
def _fade(level: ptr32, goal: ptr32, count: int, share: int) -> int:
    """Moves all levels `share` 256ths of the way; answers whether some are still on it."""
    moving = 0
    i = 0
    while i < count:
        far = int(goal[i]) - int(level[i])
        if far:
            step = far * share >> 8
            if step == 0 or share >= 256:
                step = far if share >= 256 or (far < 16 and far > 0 - 16) else far >> 3
            level[i] = int(level[i]) + step
            if step != far:
                moving = 1
        i += 1
    return moving


@micropython.viper
def _emit(level: ptr32, order: ptr8, out: ptr8, leds: int, most: int) -> int:
    """Writes the bytes in the LEDs' order, together at most `most`; answers whether one is new."""
    total = 0
    i = 0
    while i < leds * 3:
        total += int(level[i])
        i += 1
    scale = 4096
    if total > most * 16:
        scale = most * 4096 // (total >> 4)
    size = int(order[0])
    fresh = 0
    i = 0
    while i < leds:
        c = 0
        while c < size:
            value = 0
            place = int(order[c + 1])
            if place < 3:
                value = (int(level[i * 3 + place]) * scale) >> 16
            at = i * size + c
            if int(out[at]) != value:
                out[at] = value
                fresh = 1
            c += 1
        i += 1
    return fresh


class Ring:
    """`seats()` or `dial()` say what is to be seen, each frame; `write()` sends it if new."""

    def __init__(self, board, settings):
        self._settings = settings
        self._leds = leds = settings.leds
        self._each = seats_for(leds)[1]
        self._pin = machine.Pin(board.RING["pin"], machine.Pin.OUT, value=0)
        names = board.RING["order"]
        self._order = bytes([len(names)] + ["RGBW".index(name) for name in names])
        self._goal = array("i", [0] * (leds * 3))
        self._level = array("i", [0] * (leds * 3))
        self._out = bytearray(leds * len(names))
        self._levels = bytearray(leds)
        self._send = machine.bitstream
        self._most = max(0, settings.budget_ma - leds * _IDLE_MA) * 255 // _FULL_MA
        self.most = 100  # percent that it may shine at all, whatever is set
        self._at = -1
        self._fresh = True

    def seats(self, seats, now, gone=False):
        """Draws the seats, in grey when the host is gone; True while something changes."""
        goal = self._goal
        i = 0
        while i < len(goal):
            goal[i] = 0
            i += 1
        i = 0
        while i < seats.count:
            look = seats.look[i]
            if look != EMPTY:
                self._seat(i, look, _FRONT if i == seats.front else 5, now, gone)
            i += 1
        return self._step(now)

    def dial(self, hud, elapsed_ms, now):
        """Draws a dial; True while something changes."""
        levels = self._levels
        tone = huds.dial(hud, self._leds, elapsed_ms, levels)
        light = self._light() * _DIAL // 100
        i = 0
        while i < self._leds:
            level = levels[i]
            _set(
                self._goal,
                self._place(i),
                _COLOURS,
                _TONE + tone,
                light * level // 255 * level // 255,
            )
            i += 1
        return self._step(now)

    def write(self):
        """Sends the colours if they are new."""
        if self._fresh:
            self._fresh = False
            self._send(self._pin, 0, _TIMING, self._out)

    def off(self):
        """Dark, at once; what comes next fades in."""
        i = 0
        while i < len(self._goal):
            self._goal[i] = self._level[i] = 0
            i += 1
        i = 0
        while i < len(self._out):
            self._out[i] = 0
            i += 1
        self._fresh = True
        self._at = -1
        self.write()

    def _light(self):
        """The light of a full channel at the set brightness: half of it looks half as bright."""
        percent = self._settings.ring_brightness
        if percent > self.most:
            percent = self.most
        return percent * percent * 4095 // 10000

    def _place(self, led):
        settings = self._settings
        return (settings.ring_offset + settings.ring_dir * led) % self._leds

    def _seat(self, seat, look, share, now, gone):
        light = self._light() * share // 5
        outer = light * _OUTER[look] // 100
        centre = light * _CENTRE[look] // 100
        if look == WORKING and self._settings.motion != "still":
            t = now % _SLOW_MS
            t = t if t < _SLOW_MS // 2 else _SLOW_MS - t
            centre = centre * (1000 + t) // (1000 + _SLOW_MS // 2)
        colour = _GREY if gone else look
        first = seat * self._each
        # On a ring with four to a seat the fourth stays dark, between it and the next.
        _set(self._goal, self._place(first), _COLOURS, colour, self._most_of(outer))
        _set(self._goal, self._place(first + 1), _COLOURS, colour, self._most_of(centre))
        _set(self._goal, self._place(first + 2), _COLOURS, colour, self._most_of(outer))

    def _most_of(self, light):
        return light if light < 4095 else 4095

    def _step(self, now):
        gone = ticks.diff(now, self._at) if self._at >= 0 else 20
        share = gone * 768 // _FADE_MS if 0 <= gone < _FADE_MS else 256
        if share > 256 or self._settings.motion == "still":
            share = 256
        self._at = now
        moving = _fade(self._level, self._goal, len(self._goal), share)
        if _emit(self._level, self._order, self._out, self._leds, self._most):
            self._fresh = True
        return self._fresh or bool(moving)
