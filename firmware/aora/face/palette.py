"""The sixteen colours of a picture: the character's own, and what they mix with."""

GROUND = 0
BODY = 1  # the character in the dark
RIM = 2  # the same, a little lighter: crest, cheeks of the body
OWN = 3  # the character's colour, full
EYE = 4
INK = 5
AMBER = 6
VERMILION = 7
PURPLE = 8
GREEN = 9
SKY = 10
BLUSH = 11
TEXT = 12
FAINT = 13  # text half way to its ground, and what is there but off
LIT = 14  # the ground that calls
PAPER = 15

# The six a person may choose from.
COLOURS = {
    "blue": (86, 180, 233),
    "green": (64, 196, 150),
    "orange": (240, 150, 70),
    "yellow": (236, 206, 64),
    "pink": (222, 140, 190),
    "white": (200, 208, 216),
}

_FIXED = {
    GROUND: (0, 0, 0),
    EYE: (255, 246, 226),
    INK: (24, 20, 32),
    AMBER: (230, 159, 0),
    VERMILION: (222, 84, 0),
    PURPLE: (190, 96, 170),
    GREEN: (0, 158, 115),
    SKY: (86, 180, 233),
    BLUSH: (226, 120, 124),
    TEXT: (232, 230, 224),
    FAINT: (104, 104, 110),
    LIT: (255, 214, 120),
    PAPER: (240, 236, 222),
}


def luma(rgb):
    """Brightness 0..255 as a picture in grey shows it."""
    return (rgb[0] * 299 + rgb[1] * 587 + rgb[2] * 114) // 1000


def _at(rgb, level):
    """The colour, brightened or dimmed to a luma, so that every character is as bright."""
    now = luma(rgb)
    return tuple(min(255, part * level // now) for part in rgb)


def rgb_of(colour, grey=False):
    """The sixteen colours as (r, g, b); `grey` for a face whose host is gone."""
    own = COLOURS.get(colour) or COLOURS["blue"]
    colours = dict(_FIXED)
    colours[BODY] = _at(own, 40)
    colours[RIM] = _at(own, 66)
    colours[OWN] = _at(own, 124)
    if grey:
        for index in colours:
            level = luma(colours[index]) * 2 // 3
            colours[index] = (level, level, level)
    return [colours[index] for index in range(16)]


def rgb565(rgb):
    return (rgb[0] & 0xF8) << 8 | (rgb[1] & 0xFC) << 3 | rgb[2] >> 3


def table(colour, grey=False):
    """The sixteen colours as 16-bit ones, in the machine's byte order."""
    out = bytearray(32)
    at = 0
    for rgb in rgb_of(colour, grey):
        value = rgb565(rgb)
        out[at] = value & 255
        out[at + 1] = value >> 8
        at += 2
    return out
