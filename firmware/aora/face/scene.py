"""A face at a moment as shapes: the pose laid out on a panel, in drawing order.

The shapes are SLOTS records of outline.FIELDS ints; a renderer draws those that changed.
"""

from array import array

from aora._shim import micropython, ptr16
from aora.face import expressions as ex
from aora.face import outline as ol
from aora.face import palette as pal
from aora.face.accents import ACCENTS, draw
from aora.face.outline import lids, put, put_flat

# Slots, in drawing order. Nothing is in the first: its X, Y, W and H are the face's middle and
# scale, and whether the panel is round.
BACK = 1  # the lit ground
BODY = 2
CREST = 3
SPOT = 4
GLOW = 5  # three bands of light over the head
CHEEKS = 8  # two
EYES = 10  # five each: eye, hollow or second stroke, pupil, glint, brow
MOUTH = 20
TONGUE = 21
BEHIND = 22  # an accent's shapes
DESK = BEHIND + ACCENTS  # or the frame
TEXT = DESK + 1
DIAL = TEXT + 1
CELLS = 24
MARK = DIAL + CELLS
SLOTS = MARK + 1

# Looks beside the state.
DOUBT = 1
GONE = 2
SIGN = 4
QUIET = 8
SEATS = 16

BLOB = 0
PEBBLE = 1
SCREEN = 2
SHAPES = ("blob", "pebble", "screen")

_GLOWS = (pal.GREEN, pal.SKY, pal.PURPLE)
_FULL = 100


class Scene:
    """The shapes of a face on a layout, in one of the characters' shapes."""

    def __init__(self, layout, character):
        self.layout = layout
        self.character = character
        self.shapes = array("h", bytes(SLOTS * ol.FIELDS * 2))
        self.shapes[ol.W] = layout.scale
        self.shapes[ol.H] = layout.round

    def compose(self, pose, look):
        """Lays out a pose; text, dial and mark have their own functions."""
        shapes = self.shapes
        _clear(shapes, MARK * ol.FIELDS)
        layout = self.layout
        lit = pose[ex.LIT] >= 50
        shapes[ol.X] = layout.x * 16 + pose[ex.SHIFT_X] * layout.scale
        shapes[ol.Y] = layout.y * 16 + pose[ex.SHIFT_Y] * layout.scale
        self._ground(pose)
        if self.character != SCREEN:
            self._body(pose, lit)
        draw(shapes, pose[ex.ACCENT], pose[ex.PHASE], BEHIND)
        # What is alive is the face: a body's rim is long, and would cost the bus more.
        shapes[ol.X] += pose[ex.FACE_X] * layout.scale
        shapes[ol.Y] += pose[ex.FACE_Y] * layout.scale
        ink = pal.INK if lit else pal.EYE
        self._eye(pose, look, -1, EYES, ink)
        self._eye(pose, look, 1, EYES + 5, ink)
        self._mouth(pose, ink)
        self._desk(pose)

    def _ground(self, pose):
        shapes = self.shapes
        layout = self.layout
        wide = layout.width
        high = layout.height
        if pose[ex.LIT]:
            part = pose[ex.LIT]
            w = wide * part // 70
            h = high * part // 70
            left = (wide - w) // 2
            put_flat(shapes, BACK, pal.LIT, left, (high - h) // 2, w, h, 100 - part)
        if pose[ex.GLOW]:
            self._glow(pose[ex.GLOW])

    def _glow(self, part):
        """Bands of light over the head, each a wide flat arch."""
        layout = self.layout
        band = layout.cell_h * 16 // 60
        i = 0
        while i < 3:
            slot = GLOW + i
            at = slot * ol.FIELDS
            shapes = self.shapes
            put_flat(shapes, slot, _GLOWS[i], 0, 0, layout.width, 0, 0)
            middle = band * i + band // 2 - layout.cell_h * (_FULL - part) // _FULL
            shapes[at] = ol.STROKE
            shapes[at + 3] = (middle + layout.cell_h // 2) * 16
            shapes[at + 4] = layout.width * 20
            shapes[at + 5] = -layout.cell_h * 16
            shapes[at + 6] = (band + 1) * 16
            shapes[at + 13] = ol.SMILE
            i += 1

    def _body(self, pose, lit):
        shapes = self.shapes
        colour = pal.OWN if lit else pal.BODY
        rim = pal.PAPER if lit else pal.RIM
        lean = pose[ex.LEAN]
        puff = pose[ex.SQUASH]
        at = BODY * ol.FIELDS
        if self.character == BLOB:
            put(shapes, BODY, ol.BOX, colour, 0, 20 + puff // 2, 214 + puff, 196 - puff, 92, 0)
            shapes[at + ol.TAPER] = 8
            sway = pose[ex.GAZE_X] // 3 + lean * 2
            put(shapes, CREST, ol.LINE, colour, 0, -78 + puff, sway // 2, -86 + puff, 22, 0)
            put(shapes, SPOT, ol.BOX, rim, sway, -92 + puff, 16, 16, 100, 0)
        else:
            put(shapes, BODY, ol.BOX, colour, 0, 22 + puff // 2, 232 + puff, 172 - puff, 70, 0)
            lids(shapes, BODY, -300, 0, 84, 0)
            put(shapes, CREST, ol.BOX, rim, -70, -44 + puff, 44, 16, 100, -22)
            put(shapes, SPOT, ol.BOX, rim, -34, -54 + puff, 14, 10, 100, 0)
        shapes[at + ol.TILT] = lean // 2

    def _eye(self, pose, look, side, slot, ink):
        shapes = self.shapes
        wide = pose[ex.EYE_W]
        high = pose[ex.EYE_H]
        odd = pose[ex.ODD] * side >> 1
        wide += odd
        high += odd
        # Without pupils the eyes themselves go where they look.
        share = 2 if self.character != SCREEN else 1
        x = side * (35 + pose[ex.EYE_W] * 2 // 9) + pose[ex.GAZE_X] // share
        if share == 1:
            x += pose[ex.LOOK_X]
        y = pose[ex.GAZE_Y] // share + (x * pose[ex.LEAN] >> 6)
        kind = pose[ex.EYES]
        if kind != ex.ROUND and look & DOUBT:
            ink = pal.FAINT  # a stroke cannot be hollow
        if kind == ex.CROSS:
            arm = high * 5 // 12
            put(shapes, slot, ol.LINE, ink, x - arm, y - arm, x + arm, y + arm, 16, 0)
            put(shapes, slot + 1, ol.LINE, ink, x - arm, y + arm, x + arm, y - arm, 16, 0)
        elif kind != ex.ROUND:
            bend = -high if kind == ex.ARCH else high
            put(shapes, slot, ol.STROKE, ink, x, y, wide - 14, bend, 14, pose[ex.LEAN])
        else:
            self._round_eye(pose, look, side, slot, ink, x, y, wide, high)
        if pose[ex.BLUSH]:
            put(
                shapes,
                CHEEKS + (side > 0),
                ol.BOX,
                pal.BLUSH,
                side * 76,
                48,
                pose[ex.BLUSH],
                14,
                100,
                0,
            )

    def _round_eye(self, pose, look, side, slot, ink, x, y, wide, high):
        shapes = self.shapes
        lean = pose[ex.LEAN]
        slope = -side * pose[ex.LID_SLOPE]
        top = high * pose[ex.LID] // 100 - (high >> 1)
        low = (high >> 1) - high * pose[ex.LOW_LID] // 100
        if low - top < 9:
            # Never less than a stroke: a shut eye is a line.
            middle = top + low >> 1
            if middle > (high >> 2) + 8:
                middle = (high >> 2) + 8
            top = middle - 4
            low = middle + 5
            slope = 0
        bend = pose[ex.LOW_BEND]
        lit = ink == pal.INK
        rim = (low - top) // 3
        if look & DOUBT and rim < 5:
            ink = pal.FAINT
        put(shapes, slot, ol.BOX, ink, x, y, wide, high, pose[ex.CORNER], lean)
        lids(shapes, slot, top, slope, low, bend)
        if look & DOUBT:
            rim = 11 if rim > 11 else rim
            inner = pal.LIT if lit else pal.GROUND if self.character == SCREEN else pal.BODY
            w, h = wide - 2 * rim, high - 2 * rim
            put(shapes, slot + 1, ol.BOX, inner, x, y, w, h, pose[ex.CORNER], lean)
            lids(shapes, slot + 1, top + rim, slope, low - rim, bend)
        elif self.character != SCREEN or lit:
            self._pupil(pose, slot, x, y, top, slope, low, bend, lit, wide)
        brows = pose[ex.BROWS]
        if brows == ex.BOTH or brows == (ex.LEFT if side < 0 else ex.RIGHT):
            self._brow(pose, side, slot + 4, ink, x, y - (high >> 1), wide)

    def _brow(self, pose, side, slot, ink, x, y, wide):
        """Over an eye's upper edge y; on round glass near to it, and to the middle."""
        gap = pose[ex.BROW]
        reach = wide * 3 // 10
        if self.layout.round and ink != pal.INK:
            gap = 4 if gap > 4 else gap
            x = x * 3 >> 2
            reach = reach * 3 >> 2
        y -= gap + 5
        drop = reach * side * pose[ex.BROW_SLOPE] >> 6
        put(self.shapes, slot, ol.LINE, ink, x - reach, y + drop, x + reach, y - drop, 10, 0)

    def _pupil(self, pose, slot, x, y, top, slope, low, bend, lit, wide):
        shapes = self.shapes
        size = pose[ex.PUPIL]
        px = pose[ex.GAZE_X] * 3 // 4 + pose[ex.LOOK_X]
        py = pose[ex.GAZE_Y] * 3 // 4
        if lit:
            put(shapes, slot + 3, ol.BOX, pal.PAPER, x - wide // 6, y - wide // 5, 30, 30, 100, 0)
            put(shapes, slot + 2, ol.BOX, pal.PAPER, x + wide // 6, y + wide // 6, 14, 14, 100, 0)
            return
        if size < 6 or low - top < 20:
            return
        put(shapes, slot + 2, ol.BOX, pal.INK, x + px, y + py, size, size + (size >> 3), 100, 0)
        lids(shapes, slot + 2, top - py, slope, low - py, bend)
        if size > 16:
            gx = px - size // 5
            gy = py - size // 5
            dot = size * 2 // 7
            put(shapes, slot + 3, ol.BOX, pal.EYE, x + gx, y + gy, dot, dot, 100, 0)
            lids(shapes, slot + 3, top - gy, slope, low - gy, bend)

    def _mouth(self, pose, ink):
        shapes = self.shapes
        form = pose[ex.MOUTH]
        x = pose[ex.MOUTH_X] + pose[ex.GAZE_X] // 5
        y = pose[ex.MOUTH_Y]
        wide = pose[ex.MOUTH_W]
        gape = pose[ex.GAPE]
        tilt = pose[ex.MOUTH_SLOPE] + pose[ex.LEAN]
        if form == ex.NO_MOUTH:
            return
        if form == ex.GAPING:
            put(shapes, MOUTH, ol.BOX, ink, x, y, wide, gape if gape > 9 else 9, 100, tilt)
            return
        if form == ex.GRIN:
            put(shapes, MOUTH, ol.BOX, ink, x, y, wide, gape * 2, 100, 0)
            lids(shapes, MOUTH, 0, 0, 300, 0)
            put(shapes, TONGUE, ol.BOX, pal.BLUSH, x, y + gape, wide * 5 // 9, gape, 100, 0)
            lids(shapes, TONGUE, -300, 0, -gape // 8, 0)
            return
        curve = pose[ex.CURVE]
        put(
            shapes, MOUTH, ol.STROKE, ink, x, y, wide, curve, 12 if form == ex.ZIGZAG else 10, tilt
        )
        at = MOUTH * ol.FIELDS + ol.FORM
        if form == ex.ZIGZAG:
            shapes[at] = ol.ZIGZAG
        elif form == ex.WAVY:
            shapes[at] = ol.WAVE
        elif form == ex.TONGUE:
            put(shapes, TONGUE, ol.BOX, pal.BLUSH, x + wide // 3, y + 4, 16, 18, 100, 0)

    def _desk(self, pose):
        layout = self.layout
        lit = pose[ex.LIT] > pose[ex.DESK]
        part = pose[ex.LIT if lit else ex.DESK]
        if pose[ex.FRAME] > part:
            self._frame(pal.VERMILION, layout.bar, layout.border, pose[ex.FRAME])
        elif pose[ex.GATE] > part:
            self._frame(pal.PURPLE, layout.bar, 0, pose[ex.GATE])
        elif part:
            top = layout.height - layout.desk_high * part // _FULL
            colour = pal.LIT if lit else pal.OWN
            high = layout.desk_high + 24
            put_flat(self.shapes, DESK, colour, -8, top, layout.width + 16, high, 12)

    def _frame(self, colour, top, side, part):
        """Closes in around the face; its low part carries the caption, as the desk does."""
        layout = self.layout
        shapes = self.shapes
        put_flat(shapes, DESK, colour, 0, 0, layout.width, layout.height, 0)
        at = DESK * ol.FIELDS
        shapes[at] = ol.FRAME
        shapes[at + ol.R] = 0 if not side else 60 if layout.round else 50
        shapes[at + ol.TOP] = top * part * 16 // _FULL
        shapes[at + ol.LOW] = layout.desk_high * part * 16 // _FULL
        shapes[at + ol.TAPER] = side * part * 16 // _FULL

    def calls(self):
        """Whether the ground is a colour that says something: a call, an alarm, a refusal."""
        shapes = self.shapes
        return shapes[BACK * ol.FIELDS] or shapes[DESK * ol.FIELDS] == ol.FRAME

    def text(self, shown, colours, place, revision):
        """The caption, or none: `place` as caption.Caption.place says."""
        at = TEXT * ol.FIELDS
        layout = self.layout
        shapes = self.shapes
        shapes[at] = ol.TEXT if shown else ol.NOTHING
        shapes[at + ol.COLOUR] = colours
        shapes[at + ol.X] = layout.text_x * 16
        shapes[at + ol.Y] = layout.text_y * 16
        shapes[at + ol.W] = layout.text_w * 16
        shapes[at + ol.H] = layout.lines * layout.tall * 16
        shapes[at + ol.R] = place
        shapes[at + ol.TILT] = revision

    def mark(self, shown):
        """A small mark: the host has not been heard for a while."""
        shapes = self.shapes
        if shown:
            layout = self.layout
            size = layout.gap
            x = layout.width // 2 if layout.round else layout.width - 2 * size
            colour = pal.INK if self.calls() else pal.AMBER
            put_flat(shapes, MARK, colour, x, size // 2, size, size, 100)
        else:
            self.shapes[MARK * ol.FIELDS] = ol.NOTHING


@micropython.viper
def _clear(shapes: ptr16, count: int):
    i = 0
    while i < count:
        shapes[i] = 0
        i += 14
