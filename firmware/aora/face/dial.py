"""A dial as cells along the panel's edge: an arc on a round one, a bar along the top else."""

from aora import hud as huds
from aora._shim import const
from aora.face import outline as ol
from aora.face import palette as pal
from aora.face import scene as sc
from aora.face.motion import sine

_TONES = (pal.EYE, pal.AMBER, pal.VERMILION)
# Half of what a cell reaches inwards, pixels; less on round glass, where it goes all round.
_THICK = const(4)
_THIN = const(3)
_FULL = const(255)


class EdgeDial:
    """The cells of a layout, drawn into a scene's DIAL slots."""

    def __init__(self, layout):
        self._layout = layout
        self._levels = bytearray(sc.CELLS)

    def compose(self, scene, hud, elapsed_ms, shown):
        """Draws the dial into a scene that has none yet."""
        kind = hud.words[0]
        if not shown or kind == huds.NONE:
            return
        tone = huds.dial(hud, sc.CELLS, elapsed_ms, self._levels)
        bare = scene.calls()  # what is not lit must not hide such a ground
        most = _THIN if self._layout.round else _THICK
        i = 0
        while i < sc.CELLS:
            level = self._levels[i]
            thick = most
            if kind == huds.WAVEFORM:
                thick = 1 + level * most // 255
                level = _FULL
            elif i == sc.CELLS - 1 and level < _FULL and kind != huds.KPI:
                level = 0  # the last cell is for what is whole
            colour = _TONES[tone] if level >= 100 else pal.RIM
            if level > 200 and kind == huds.KPI:
                colour = pal.AMBER
            if level >= 100 or not (bare or (kind == huds.COUNT and not level)):
                self._cell(scene.shapes, i, colour, thick)
            i += 1

    def _cell(self, shapes, i, colour, thick):
        at = (sc.DIAL + i) * ol.FIELDS
        layout = self._layout
        shapes[at] = ol.QUAD
        shapes[at + 1] = colour
        if layout.round:
            self._arc(shapes, at, i, thick)
            return
        step = layout.width * 16 // sc.CELLS
        shapes[at + 2] = layout.width * 8 + (2 * i - sc.CELLS + 1) * step // 2
        shapes[at + 3] = (1 + thick) * 16
        shapes[at + 4] = step // 2 - 12
        shapes[at + 5] = 0
        shapes[at + 6] = 0
        shapes[at + 7] = thick * 16

    def _arc(self, shapes, at, i, thick):
        """A cell at the rim; the first one is at the top, the next ones go clockwise."""
        layout = self._layout
        turn = (2 * i + 1) * 256 // (2 * sc.CELLS)
        up = sine(turn + 64)
        right = sine(turn)
        radius = layout.width // 2 - thick - 1
        long = radius * 8 // 92  # a third of a 24th of the way round, the rest is gap
        shapes[at + 2] = layout.width * 8 + right * radius // 16
        shapes[at + 3] = layout.height * 8 - up * radius // 16
        shapes[at + 4] = up * long // 16
        shapes[at + 5] = right * long // 16
        shapes[at + 6] = right * thick // 16
        shapes[at + 7] = -up * thick // 16
