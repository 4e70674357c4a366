"""What a state has beside its face: dots, a page, a pen. Each draws up to ACCENTS shapes."""

from aora.face import outline as ol
from aora.face import palette as pal
from aora.face.outline import SINE, put

ACCENTS = 6
_LINE = ol.LINE
_BOX = ol.BOX


def _bump(phase):
    """0..256 and back to 0 as the phase goes 0..255."""
    part = phase >> 3
    return SINE[part if part <= 16 else 32 - part]


def _dots(shapes, phase, slot):
    lit = phase * 4 >> 8
    i = 0
    while i < 3:
        colour = pal.EYE if i < lit else pal.RIM
        put(shapes, slot + i, _BOX, colour, i * 30 - 30, -60, 15, 15, 100, 0)
        i += 1


def _snore(shapes, phase, slot):
    if phase > 128:
        return
    size = 10 + (phase >> 3)
    x = 58 + (phase >> 3)
    y = -30 - (phase >> 2)
    if shapes[ol.H]:
        x -= 52
        y = -32 - (phase >> 3)
    colour = pal.EYE if phase < 96 else pal.RIM
    put(shapes, slot, _LINE, colour, x - size, y - size, x + size, y - size, 10, 0)
    put(shapes, slot + 1, _LINE, colour, x + size, y - size, x - size, y + size, 10, 0)
    put(shapes, slot + 2, _LINE, colour, x - size, y + size, x + size, y + size, 10, 0)


def _pen(shapes, phase, slot):
    y = -(phase * 3 >> 7)
    put(shapes, slot, _LINE, pal.AMBER, 62, 86 + y, 92, 50 + y, 14, 0)
    put(shapes, slot + 1, _LINE, pal.BLUSH, 93, 49 + y, 98, 43 + y, 14, 0)
    put(shapes, slot + 2, _LINE, pal.PAPER, 57, 92 + y, 62, 86 + y, 9, 0)


def _page(shapes, phase, slot):
    put(shapes, slot, _BOX, pal.PAPER, 0, 106, 104, 44, 14, 0)
    put(shapes, slot + 1, _LINE, pal.FAINT, -34, 93, 34, 93, 4, 0)


def _question(shapes, phase, slot):
    x, y = (78, 44) if shapes[ol.H] else (94, -72)
    y -= _bump(phase) >> 6
    put(shapes, slot, ol.STROKE, pal.EYE, x, y, 22, -16, 10, 0)
    put(shapes, slot + 1, _LINE, pal.EYE, x + 11, y + 8, x + 1, y + 20, 10, 0)
    put(shapes, slot + 2, _BOX, pal.EYE, x + 1, y + 36, 11, 11, 100, 0)


def _drop(shapes, phase, slot):
    x, y = (90, 24) if shapes[ol.H] else (100, -60)
    put(shapes, slot, _BOX, pal.SKY, x, y + (phase * 40 >> 8), 20, 26, 100, 0)
    shapes[slot * ol.FIELDS + ol.TAPER] = 40


def _note(shapes, phase, slot):
    y = -64 - (_bump(phase) >> 5)
    x = 28 if shapes[ol.H] else 84
    put(shapes, slot, _BOX, pal.EYE, x, y + 22, 20, 15, 100, -10)
    put(shapes, slot + 1, _LINE, pal.EYE, x + 8, y + 20, x + 8, y - 8, 8, 0)
    put(shapes, slot + 2, _LINE, pal.EYE, x + 8, y - 8, x + 20, y - 1, 10, 0)


def _letter(shapes, phase, slot):
    y = -96 + (phase * 184 >> 8)
    put(shapes, slot, _BOX, pal.PAPER, 0, y, 66, 42, 12, 0)
    put(shapes, slot + 1, _LINE, pal.AMBER, -28, y - 16, 0, y + 4, 6, 0)
    put(shapes, slot + 2, _LINE, pal.AMBER, 0, y + 4, 28, y - 16, 6, 0)


def _paws(shapes, phase, slot):
    tap = phase & 127
    up = _bump(tap * 2) >> 5
    left = up if phase < 128 else 0
    put(shapes, slot, _BOX, pal.RIM, -46, 94 - left, 42, 26, 100, 0)
    put(shapes, slot + 1, _BOX, pal.RIM, 46, 94 - (up - left), 42, 26, 100, 0)


def _runner(shapes, phase, slot):
    x = phase * 180 // 224 - 90
    if phase > 224:
        x = 90 - (phase - 224) * 180 // 31
    put(shapes, slot, _BOX, pal.EYE, x, 88, 18, 18, 100, 0)
    put(shapes, slot + 1, _LINE, pal.RIM, -90, 98, 90, 98, 4, 0)


def _bubbles(shapes, phase, slot):
    x, rise = (4, 7) if shapes[ol.H] else (62, 13)
    i = 0
    while i < 3:
        colour = pal.EYE if phase * 4 >> 8 > i else pal.RIM
        size = 10 + i * 6
        put(shapes, slot + i, _BOX, colour, x + i * 21, -50 - i * rise, size, size, 100, 0)
        i += 1


def _checks(shapes, phase, slot):
    done = phase * 4 >> 8
    i = 0
    while i < 3 and i < done:
        x = i * 38 - 40
        put(shapes, slot + i * 2, _LINE, pal.EYE, x - 12, -62, x - 3, -53, 10, 0)
        put(shapes, slot + i * 2 + 1, _LINE, pal.EYE, x - 3, -53, x + 12, -73, 10, 0)
        i += 1


def _list(shapes, phase, slot):
    x, y = (48, 47) if shapes[ol.H] else (52, -82)
    i = 0
    while i < 3:
        grown = phase * 4 - i * 256
        grown = 256 if grown > 256 else grown
        if grown > 0:
            put(shapes, slot + i * 2, _BOX, pal.AMBER, x, y, 11, 11, 30, 0)
            end = x + 16 + (grown * 36 >> 8)
            put(shapes, slot + i * 2 + 1, _LINE, pal.EYE, x + 16, y, end, y, 10, 0)
        y += 15
        i += 1


def _bar(shapes, phase, slot):
    # A piece that goes to and fro: how far it is, only a dial knows.
    x = (_bump(phase) * 108 >> 8) - 78
    put(shapes, slot, _LINE, pal.RIM, -78, 88, 78, 88, 16, 0)
    put(shapes, slot + 1, _LINE, pal.EYE, x, 88, x + 48, 88, 12, 0)


def _mini(shapes, phase, slot):
    y = 78 - (_bump(phase) >> 4)
    put(shapes, slot, _BOX, pal.OWN, 84, y, 46, 40, 88, 0)
    put(shapes, slot + 1, _BOX, pal.EYE, 76, y - 3, 12, 14, 100, 0)
    put(shapes, slot + 2, _BOX, pal.EYE, 93, y - 3, 12, 14, 100, 0)


def _arrows(shapes, phase, slot):
    i = 0
    while i < 2:
        side = 1 - i * 2
        x = side * 22
        y = -64 + (side * _bump(phase) >> 5) - side * 4
        tip = y + side * 13
        put(shapes, slot + i * 3, _LINE, pal.EYE, x, y - side * 13, x, tip, 10, 0)
        put(shapes, slot + i * 3 + 1, _LINE, pal.EYE, x - 11, tip - side * 11, x, tip, 10, 0)
        put(shapes, slot + i * 3 + 2, _LINE, pal.EYE, x + 11, tip - side * 11, x, tip, 10, 0)
        i += 1


def _none(shapes, phase, slot):
    pass


_BY_NUMBER = (
    _none,
    _dots,
    _snore,
    _pen,
    _page,
    _question,
    _drop,
    _note,
    _letter,
    _paws,
    _runner,
    _bubbles,
    _checks,
    _list,
    _bar,
    _mini,
    _arrows,
)


def draw(shapes, accent, phase, slot):
    """Puts an accent's shapes, `phase` 0..255 of its round, into the slots from `slot` on.

    The first shape's H says whether the panel is round: its upper corners hold little.
    """
    _BY_NUMBER[accent](shapes, phase & 255, slot)
