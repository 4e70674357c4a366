"""The face on the panel: takes records, draws frames, sends what changed, a chunk at a time."""

from array import array

import machine

from aora import ticks
from aora._shim import micropython, ptr16
from aora.display import memory
from aora.display.canvas import Canvas
from aora.display.panel import Panel
from aora.face import expressions as ex
from aora.face import motion, palette
from aora.face import outline as ol
from aora.face import scene as sc
from aora.face.caption import Caption
from aora.face.dial import EdgeDial
from aora.face.layout import Layout
from aora.hud import Hud
from aora.protocol import CODE_OF, STATES
from aora.record import Record

# Looks, for Screen.look().
DOUBT = sc.DOUBT
GONE = sc.GONE
MARK = sc.SIGN
QUIET = sc.QUIET
SEATS = sc.SEATS

_LONG = 1 << 20  # older than any transition
_CHUNK = 3840  # bytes on the bus until input is looked at
_WINDOW = 500
_SLEEP_MS = 62000  # asleep this long, the panel goes dark
_SLEEPING = STATES.index("sleeping")


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
def _note(shapes: ptr16, before: ptr16, at: int):
    i = at
    while i < at + 14:
        before[i] = int(shapes[i])
        i += 1


@micropython.viper
def _meets(boxes: ptr16, clip: ptr16, slot: int, slots: int) -> int:
    """The next slot, from `slot` on, whose box meets the clip; -1 for none."""
    while slot < slots:
        at = slot * 4
        left = ((int(boxes[at]) & 0xFFFF) ^ 0x8000) - 0x8000
        top = ((int(boxes[at + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
        right = ((int(boxes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
        low = ((int(boxes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
        if left < int(clip[2]) and right > int(clip[0]):
            if top < int(clip[3]) and low > int(clip[1]):
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
        self._layout = layout = Layout(panel.width, panel.height, board.PANEL["round"])
        self._canvas = Canvas(panel.width, panel.height)
        self._scene = sc.Scene(layout, sc.SHAPES.index(settings.shape))
        self._caption = Caption(layout.cells, layout.lines, layout.tall)
        self._dial = EdgeDial(layout)
        self._before = array("h", self._scene.shapes)
        self._boxes = array("h", bytes(8 * sc.SLOTS))
        self._points = ol.points_buffer()
        self._pose = motion.new_pose()
        self._spare = motion.new_pose()
        self._hud = Hud()
        self._tables = (
            palette.table(settings.colour, settings.shape == "screen"),
            palette.table(settings.colour, grey=True),
        )
        self._settings = settings
        self._seed = motion.seed_of(settings)
        self._state = self._was = STATES.index("idle")
        self._since = self._was_since = self._said = -1
        self._look = 0
        self._rects = self._rect = 0
        self._sending = False
        self._all = True
        self._duty = _backlight(board.PINS["bl"])
        self._percent = 0
        self._off = self._asleep = False
        panel.colours(self._tables[0])
        panel.wake()

    @property
    def size(self):
        """Width and height in pixels, as seen."""
        return self._panel.width, self._panel.height

    def show(self, record, now):
        """The face has the record's state, caption and dial from now on."""
        state = record.state
        if state != self._state or self._since < 0:
            self._was = state if self._since < 0 else self._state
            self._was_since = self._since if self._since >= 0 else now
            self._state = state
            self._since = now
        self._caption.set(record.tips, record.tips_len)
        self._hud.copy_from(record.hud)
        self._said = now

    def look(self, flags, now):
        """What is to be seen beside the state: any of DOUBT, GONE, MARK, QUIET, SEATS."""
        if (flags ^ self._look) & GONE:
            self._panel.colours(self._tables[1 if flags & GONE else 0])
            self._all = True
        self._look = flags

    def brightness(self, percent):
        """The panel's light at once, 0..100."""
        self._percent = percent
        self._light()

    def dark(self, on):
        """Turns the panel's light off, or on again."""
        self._off = on
        self._light()

    def crash(self, reason):
        """Shows, at once and without care for memory, why the firmware stopped."""
        record = Record()
        record.code = CODE_OF[STATES.index("alerting")]
        text = reason.strip().split("\n")[-1].encode()[: len(record.tips)]
        record.tips[: len(text)] = text
        record.tips_len = len(text)
        self._rect = self._rects = 0
        self._sending = False
        self._all = True
        self.show(record, 0)
        self.begin(_LONG)
        while self.push():
            pass
        self._off = False
        self.brightness(100)

    def _light(self):
        if self._duty:
            # The eye sees light by its square root, nearly.
            percent = 0 if self._off or self._asleep else self._percent
            self._duty(percent * percent * 65535 // 10000)

    def begin(self, now):
        """Draws the frame of `now`; True if there is something to push()."""
        if self._since < 0:
            self._since = self._was_since = self._said = now
        self._compose(now)
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
        self._rects = canvas.changes() if canvas.damages else 0
        self._rect = 0
        return self._rects > 0

    def push(self):
        """Sends up to a chunk of the frame; True while more remains."""
        panel = self._panel
        canvas = self._canvas
        room = _CHUNK
        while self._rect < self._rects:
            if not self._sending:
                panel.open(canvas, canvas.rects, self._rect * 5)
                self._sending = True
            before = panel.left
            left = panel.send(canvas)
            if not left:
                panel.close()
                self._sending = False
                self._rect += 1
            # A window takes about as long as so many bytes.
            room -= before - left + _WINDOW
            if room <= 0 and self._rect < self._rects:
                return True
        if self._rects:
            self._rects = self._rect = 0
            panel.frame_ends()
        return False

    def _compose(self, now):
        t = ticks.diff(now, self._since)
        motion.pose_at(
            self._state,
            t,
            self._was,
            ticks.diff(now, self._was_since),
            now,
            self._seed,
            motion.PACES[self._settings.motion],
            self._pose,
            self._spare,
        )
        scene = self._scene
        asleep = self._state == _SLEEPING and t > _SLEEP_MS
        if asleep:
            self._pose[ex.ACCENT] = ex.NO_ACCENT
        if asleep != self._asleep:
            self._asleep = asleep
            self._light()
        scene.compose(self._pose, self._look)
        self._text(now)
        self._dial.compose(scene, self._hud, ticks.diff(now, self._said), self._look & SEATS)
        scene.mark(self._look & MARK)

    def _text(self, now):
        caption = self._caption
        pose = self._pose
        colours = palette.TEXT << 4 | palette.FAINT
        if pose[ex.LIT] >= 50:
            colours = palette.INK << 4 | palette.AMBER
        elif pose[ex.DESK] >= 50 or pose[ex.FRAME] >= 50 or pose[ex.GATE] >= 50:
            colours = palette.INK << 4 | palette.RIM
        shown = caption.rows and not self._look & QUIET
        place = caption.place(ticks.diff(now, self._said))
        self._scene.text(shown, colours, place, caption.revision)

    def _damage(self):
        """Finds the shapes that changed: where to draw anew, and what to send."""
        shapes = self._scene.shapes
        before = self._before
        canvas = self._canvas
        boxes = self._boxes
        points = self._points
        slot = _differs(shapes, before, 0, sc.SLOTS)
        while slot >= 0:
            at = slot * ol.FIELDS
            text = shapes[at] == ol.TEXT or before[at] == ol.TEXT
            canvas.touch(boxes, slot * 4)
            if text:
                canvas.differ(boxes, slot * 4)
            elif ol.outline(before, at, points):
                canvas.edges(points, ol.POINTS)
                if before[at + ol.COLOUR] != shapes[at + ol.COLOUR]:
                    canvas.mark()
            ol.bounds(shapes, at, points, boxes, slot * 4)
            canvas.touch(boxes, slot * 4)
            if text:
                canvas.differ(boxes, slot * 4)
            elif shapes[at]:
                canvas.edges(points, ol.POINTS)
            canvas.mark()
            _note(shapes, before, at)
            slot = _differs(shapes, before, slot + 1, sc.SLOTS)

    def _draw(self):
        """Draws all shapes inside the clip."""
        shapes = self._scene.shapes
        canvas = self._canvas
        boxes = self._boxes
        points = self._points
        slot = _meets(boxes, canvas.clip, 0, sc.SLOTS)
        while slot >= 0:
            at = slot * ol.FIELDS
            if ol.outline(shapes, at, points):
                canvas.polygon(points, ol.POINTS, shapes[at + ol.COLOUR])
            elif shapes[at] == ol.TEXT:
                self._caption.paint(
                    canvas.pixels,
                    canvas.stride,
                    canvas.clip,
                    boxes,
                    slot * 4,
                    shapes[at + ol.R],
                    shapes[at + ol.COLOUR],
                )
            slot = _meets(boxes, canvas.clip, slot + 1, sc.SLOTS)
