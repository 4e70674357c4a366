"""The face on the panel: takes records, draws frames, sends what changed, a chunk at a time."""

from array import array

import machine

from aora._shim import micropython, ptr16, ptr32
from aora.display import memory
from aora.display.canvas import Canvas
from aora.display.panel import Panel
from aora.display.stage import Stage, tables
from aora.face import outline as ol
from aora.face import palette
from aora.face import scene as sc
from aora.protocol import CODE_OF, STATES
from aora.record import Record

# Looks, for Screen.look().
DOUBT = sc.DOUBT
GONE = sc.GONE
MARK = sc.SIGN
QUIET = sc.QUIET
SEATS = sc.SEATS

_LONG = 1 << 20  # older than any transition

# What may have become of a shape.
_WAS = 1  # it had an outline
_IS = 2  # it has one
_WHOLE = 4  # all of it is sent
_RECOLOURED = 8
_MOVED = 16  # and nothing else, but perhaps for the colour


@micropython.viper
def _differs(shapes: ptr16, before: ptr16, slot: int, slots: int) -> int:
    """The next slot, from `slot` on, whose shape is not what it was; -1 for none."""
    while slot < slots:
        at = slot * 14
        # All that is not there looks the same.
        if int(shapes[at]) or int(before[at]):
            i = 0
            while i < 14:
                if int(shapes[at + i]) != int(before[at + i]):
                    return slot
                i += 1
        slot += 1
    return 0 - 1


@micropython.viper
def _change(shapes: ptr16, before: ptr16, at: int, way: ptr16) -> int:
    """What has become of a shape: the sum of what holds of _WAS .. _MOVED, and `way` how far.

    It is what it was from now on.
    """
    was = int(before[at])
    now = int(shapes[at])
    how = 0
    # Text, or a zigzag, two of which cross a row more often than a canvas keeps.
    if was == 4 or (was == 3 and int(before[at + 13]) == 1):
        how = 4
    if now == 4 or (now == 3 and int(shapes[at + 13]) == 1):
        how = 4
    if was != 0 and was != 4:
        how += 1
    if now != 0 and now != 4:
        how += 2
    if int(before[at + 1]) != int(shapes[at + 1]):
        how += 8
    way[0] = int(shapes[at + 2]) - int(before[at + 2])
    way[1] = int(shapes[at + 3]) - int(before[at + 3])
    same = 1 if was == now and how & 3 == 3 else 0
    i = at
    while i < at + 14:
        if i > at + 3 and int(before[i]) != int(shapes[i]):
            same = 0
        before[i] = int(shapes[i])
        i += 1
    return how + same * 16


@micropython.viper
def _meets(boxes: ptr16, clip: ptr32, slot: int, slots: int) -> int:
    """The next slot, from `slot` on, whose box meets the clip; -1 for none."""
    while slot < slots:
        at = slot * 4
        left = ((int(boxes[at]) & 0xFFFF) ^ 0x8000) - 0x8000
        top = ((int(boxes[at + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
        right = ((int(boxes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
        low = ((int(boxes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
        if left < clip[2] and right > clip[0]:
            if top < clip[3] and low > clip[1]:
                return slot
        slot += 1
    return 0 - 1


def _backlight(pin):
    """What sets the backlight's share of time, or None."""
    if pin is None:
        return None
    pwm = machine.PWM(machine.Pin(pin))
    pwm.freq(1000)
    pwm.duty_u16(0)
    return pwm.duty_u16


class Screen:
    """`show()` and `look()` say what is to be seen, `begin()` and `push()` bring it out."""

    def __init__(self, board, settings):
        memory.reserve(board)
        self._panel = panel = Panel(board, settings)
        self._canvas = Canvas(panel.width, panel.height, panel.window)
        self._stage = stage = Stage(panel.width, panel.height, board.PANEL["round"], settings)
        self.show = stage.show
        self._before = array("h", stage.shapes)
        self._boxes = array("h", bytes(8 * sc.SLOTS))
        self._both = array("h", bytes(8))  # around a shape's box before and now
        self._way = array("h", bytes(4))  # how far it moved
        # Outlines as they are on the panel: a dial's cells take turns in the last one.
        self._points = memory.take((sc.DIAL + 1) * ol.PLACES * 2)
        self._tables = tables(settings)
        self._sending = False
        self._all = True
        self._duty = _backlight(board.PINS["bl"])
        self._percent = 0
        self._off = self._dozing = False
        panel.colours(self._tables[0])
        panel.wake()

    def look(self, flags, now):
        """What is to be seen beside the state: any of DOUBT, GONE, MARK, QUIET, SEATS."""
        if (flags ^ self._stage.looks) & GONE:
            self._panel.colours(self._tables[1 if flags & GONE else 0])
            self._all = True
        self._stage.looks = flags

    def brightness(self, percent):
        """The panel's light at once, 0..100."""
        self._percent = percent
        self._light()

    def dark(self, on):
        """Turns the panel's light off, or on again."""
        self._off = on
        self._light()

    def _light(self):
        if self._duty:
            # The eye sees light by its square root, nearly.
            percent = 0 if self._off or self._dozing else self._percent
            self._duty(percent * percent * 65535 // 10000)

    def begin(self, now):
        """Draws the frame of `now`; True if there is something to push()."""
        stage = self._stage
        stage.compose(now)
        if stage.dozing != self._dozing:
            self._dozing = stage.dozing
            self._light()
        canvas = self._canvas
        if self._all:
            self._all = False
            canvas.touch_all()
        self._damage()
        i = 0
        while i < canvas.damages:
            canvas.open(i, palette.GROUND)
            self._draw()
            i += 1
        count = canvas.changes() if canvas.damages else 0
        if count:
            self._panel.start(canvas, count)
        self._sending = count > 0
        return self._sending

    def push(self):
        """Sends a part of the frame, about 5 KB; True while more remains."""
        if self._sending:
            self._sending = self._panel.send(self._canvas)
        return self._sending

    def crash(self, reason):
        """Shows, at once and without care for memory, why the firmware stopped."""
        record = Record()
        record.code = CODE_OF[STATES.index("alerting")]
        text = reason.strip().split("\n")[-1].encode()[: len(record.tips)]
        record.tips[: len(text)] = text
        record.tips_len = len(text)
        self._all = True
        self.show(record, 0)
        self.begin(_LONG)
        while self.push():
            pass
        self._off = False
        self.brightness(100)

    def _damage(self):
        """Finds the shapes that changed: where to draw anew, and what to send."""
        shapes = self._stage.shapes
        before = self._before
        slot = _differs(shapes, before, 0, sc.SLOTS)
        while slot >= 0:
            self._differ(slot, shapes, slot * ol.FIELDS)
            slot = _differs(shapes, before, slot + 1, sc.SLOTS)

    def _differ(self, slot, shapes, at):
        canvas = self._canvas
        points = self._points
        to = self._outline(slot, self._before)
        how = _change(shapes, self._before, at, self._way)
        if how & _WHOLE:
            canvas.differ(self._boxes, slot * 4)
        elif how & _WAS:
            canvas.edges(points, to)
            if how & _RECOLOURED:
                canvas.mark()
        if how & _MOVED:
            ol.move(points, to, self._way)
        elif how & _IS:
            ol.outline(shapes, at, points, to)
        if how & _IS:
            ol.bounds(points, to, self._boxes, slot * 4, self._both)
            canvas.touch(self._both, 0)
        else:
            self._frame(shapes, at, slot * 4)
        if how & _WHOLE:
            canvas.differ(self._boxes, slot * 4)
            return
        if how & _IS:
            canvas.edges(points, to)
        canvas.mark()

    def _outline(self, slot, shapes):
        """Where among the points the slot's outline is."""
        if slot < sc.DIAL:
            return slot * ol.PLACES
        ol.outline(shapes, slot * ol.FIELDS, self._points, sc.DIAL * ol.PLACES)
        return sc.DIAL * ol.PLACES

    def _frame(self, shapes, at, box):
        """Damages what has no outline, text or nothing, and sets its box."""
        boxes = self._boxes
        self._canvas.touch(boxes, box)
        shown = shapes[at] == ol.TEXT
        boxes[box] = shapes[at + ol.X] >> 4 if shown else 0
        boxes[box + 1] = shapes[at + ol.Y] >> 4 if shown else 0
        boxes[box + 2] = (shapes[at + ol.X] + shapes[at + ol.W]) >> 4 if shown else 0
        boxes[box + 3] = (shapes[at + ol.Y] + shapes[at + ol.H]) >> 4 if shown else 0
        self._canvas.touch(boxes, box)

    def _draw(self):
        """Draws all shapes inside the clip."""
        shapes = self._stage.shapes
        canvas = self._canvas
        boxes = self._boxes
        slot = _meets(boxes, canvas.clip, 0, sc.SLOTS)
        while slot >= 0:
            at = slot * ol.FIELDS
            if shapes[at] == ol.TEXT:
                self._stage.caption.paint(
                    canvas.pixels,
                    canvas.stride,
                    canvas.clip,
                    boxes,
                    slot * 4,
                    shapes[at + ol.R],
                    shapes[at + ol.COLOUR],
                )
            else:
                to = self._outline(slot, shapes)
                canvas.polygon(self._points, to, shapes[at + ol.COLOUR])
            slot = _meets(boxes, canvas.clip, slot + 1, sc.SLOTS)
