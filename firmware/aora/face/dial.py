"""A dial as cells along the panel's edge: an arc on a round one, a bar along the top else."""

from aora import hud as huds
from aora.face import outline as ol
from aora.face import palette as pal
from aora.face import scene as sc
from aora.face.motion import sine

_TONES = (pal.SKY, pal.AMBER, pal.VERMILION)


class EdgeDial:
    """The cells of a layout, drawn into a scene's DIAL slots."""

    def __init__(self, layout):
        self._layout = layout
        self._levels = bytearray(sc.CELLS)

    def compose(self, scene, hud, elapsed_ms, shown):
        """Draws the dial into a scene that has none yet."""
        if not shown or hud.kind == huds.NONE:
            return
        shapes = scene.shapes
        tone = huds.dial(hud, sc.CELLS, elapsed_ms, self._levels)
        i = 0
        while i < sc.CELLS:
            level = self._levels[i]
            colour = _TONES[tone] if level >= 100 else pal.RIM
            if level > 200 and hud.kind == huds.KPI:
                colour = pal.EYE
            self._cell(shapes, i, colour)
            i += 1

    def _cell(self, shapes, i, colour):
        at = (sc.DIAL + i) * ol.FIELDS
        layout = self._layout
        shapes[at] = ol.QUAD
        shapes[at + 1] = colour
        if layout.round:
            self._arc(shapes, at, i)
            return
        step = layout.width * 16 // sc.CELLS
        shapes[at + 2] = layout.width * 8 + (2 * i - sc.CELLS + 1) * step // 2
        shapes[at + 3] = 5 * 16
        shapes[at + 4] = step // 2 - 12
        shapes[at + 5] = 0
        shapes[at + 6] = 0
        shapes[at + 7] = 4 * 16

    def _arc(self, shapes, at, i):
        """A cell at the rim; the first one is at the top, the next ones go clockwise."""
        layout = self._layout
        turn = (2 * i + 1) * 256 // (2 * sc.CELLS)
        up = sine(turn + 64)
        right = sine(turn)
        radius = layout.width // 2 - 6
        long = layout.width // 2 * 5 // sc.CELLS
        shapes[at + 2] = layout.width * 8 + right * radius // 16
        shapes[at + 3] = layout.height * 8 - up * radius // 16
        shapes[at + 4] = up * long // 16
        shapes[at + 5] = right * long // 16
        shapes[at + 6] = right * 5 // 16
        shapes[at + 7] = -up * 5 // 16
