"""The same face through displayio: a vectorio polygon for each shape, a bitmap for the caption.

displayio's core finds and sends what changed. For CircuitPython, and for computers.
"""

import displayio  # pyright: ignore[reportMissingImports]
import vectorio  # pyright: ignore[reportMissingImports]

from aora.display.stage import Stage, tables
from aora.face import outline as ol
from aora.face import palette as pal
from aora.face import scene as sc

GONE = sc.GONE
_NOWHERE = [(0, 0), (1, 0), (0, 1)]


def _paint(colours, table):
    for index in range(16):
        value = table[index * 2] | table[index * 2 + 1] << 8
        red, green, blue = value >> 11, value >> 5 & 63, value & 31
        colours[index] = (
            (red << 3 | red >> 2) << 16 | (green << 2 | green >> 4) << 8 | blue << 3 | blue >> 2
        )


class DisplayioScreen:
    """Has the methods of screen.Screen; `display` is a displayio display of the board's panel."""

    def __init__(self, board, settings, display):
        self._display = display
        width, height = display.width & ~1, display.height
        self._stage = stage = Stage(width, height, board.PANEL["round"], settings)
        self.show = stage.show
        self._tables = tables(settings)
        self._before = list(stage.shapes)
        self._points = ol.points_buffer()
        self._colours = displayio.Palette(16)
        _paint(self._colours, self._tables[0])
        self._group = displayio.Group()
        self._fill(width, height)
        display.root_group = self._group

    def _fill(self, width, height):
        self._group.append(
            vectorio.Rectangle(pixel_shader=self._colours, width=width, height=height, x=0, y=0)
        )
        self._shapes = []
        for slot in range(sc.SLOTS):
            shape = self._caption() if slot == sc.TEXT else self._polygon()
            shape.hidden = True
            self._shapes.append(shape)
            self._group.append(shape)

    def _polygon(self):
        return vectorio.Polygon(pixel_shader=self._colours, points=_NOWHERE, x=0, y=0)

    def _caption(self):
        layout = self._stage.layout
        wide, high = layout.text_w + 1 & ~1, layout.lines * layout.tall
        self._text = displayio.Bitmap(wide, high, 17)
        self._strip = bytearray(wide // 2 * high)
        # Index 16 is what is not text; the other sixteen are the picture's.
        self._ink = displayio.Palette(17)
        self._ink.make_transparent(16)
        return displayio.TileGrid(
            self._text, pixel_shader=self._ink, x=layout.text_x, y=layout.text_y
        )

    def look(self, flags, now):
        """What is to be seen beside the state: see screen.Screen."""
        if (flags ^ self._stage.looks) & GONE:
            _paint(self._colours, self._tables[1 if flags & GONE else 0])
        self._stage.looks = flags

    def brightness(self, percent):
        """The panel's light at once, 0..100."""
        self._display.brightness = percent * percent / 10000

    def dark(self, on):
        """Turns the panel's light off, or on again."""
        if on:
            self._display.brightness = 0

    def begin(self, now):
        """Brings the shapes to this moment; True if one changed."""
        stage = self._stage
        stage.compose(now)
        changed = False
        for slot in range(sc.SLOTS):
            at = slot * ol.FIELDS
            shape = list(stage.shapes[at : at + ol.FIELDS])
            if shape != self._before[at : at + ol.FIELDS]:
                self._before[at : at + ol.FIELDS] = shape
                self._change(slot, at)
                changed = True
        return changed

    def push(self):
        """Sends all that changed; False, as nothing remains."""
        self._display.refresh()
        return False

    def _change(self, slot, at):
        shape = self._shapes[slot]
        kind = self._stage.shapes[at]
        shape.hidden = kind == ol.NOTHING
        if kind == ol.TEXT:
            self._write(at)
        elif ol.outline(self._stage.shapes, at, self._points, 0):
            # A pixel belongs to a shape if its centre, 8 sixteenths in, lies within.
            points = self._points
            shape.points = [
                (points[i] + 7 >> 4, points[i + 1] + 7 >> 4) for i in range(0, len(points), 2)
            ]
            shape.color_index = self._stage.shapes[at + ol.COLOUR]

    def _write(self, at):
        """Paints the caption, and takes its pixels over one by one."""
        text = self._text
        for index in range(16):
            self._ink[index] = self._colours[index]
        strip = self._strip
        for i in range(len(strip)):
            strip[i] = 0
        box = (0, 0, self._stage.layout.text_w, text.height)
        shapes = self._stage.shapes
        self._stage.caption.paint(
            strip, text.width // 2, box, box, 0, shapes[at + ol.R], shapes[at + ol.COLOUR]
        )
        for y in range(text.height):
            for x in range(text.width):
                byte = strip[(y * text.width + x) // 2]
                ink = byte & 15 if x & 1 else byte >> 4
                text[x, y] = ink if ink != pal.GROUND else 16
