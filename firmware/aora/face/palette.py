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

# The six a person may choose from: full, and in the dark. All are about as bright.
COLOURS = {
    "blue": ((76, 164, 226), (16, 44, 66)),
    "green": ((60, 186, 136), (14, 50, 38)),
    "orange": ((238, 142, 66), (66, 34, 16)),
    "yellow": ((236, 196, 60), (60, 42, 12)),
    "pink": ((226, 132, 180), (62, 28, 50)),
    "white": ((204, 210, 218), (38, 42, 48)),
}

# No red here is saturated (of linear light, less than four fifths): it could not flash.
_FIXED = {
    GROUND: (0, 0, 0),
    EYE: (255, 246, 226),
    INK: (24, 20, 32),
    AMBER: (230, 159, 0),
    VERMILION: (224, 122, 52),
    PURPLE: (198, 114, 170),
    GREEN: (46, 196, 140),
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


def _mix(a, b, share):
    """`share` percent of a, the rest of b."""
    return tuple([(a[i] * share + b[i] * (100 - share)) // 100 for i in range(3)])


def rgb_of(colour, bare=False, grey=False):
    """The sixteen colours as (r, g, b): `bare` when there are only eyes to carry the
    character's colour, `grey` for a face whose host is gone."""
    own, dark = COLOURS.get(colour) or COLOURS["blue"]
    colours = {}
    colours.update(_FIXED)
    colours[BODY] = dark
    colours[RIM] = _mix(own, dark, 45)
    colours[OWN] = own
    if bare:
        colours[EYE] = _mix(own, colours[EYE], 55)
    if grey:
        for index in colours:
            level = luma(colours[index]) * 3 // 4
            colours[index] = (level, level, level)
    return [colours[index] for index in range(16)]


def rgb565(rgb):
    return (rgb[0] & 0xF8) << 8 | (rgb[1] & 0xFC) << 3 | rgb[2] >> 3


def table(colour, bare=False, grey=False):
    """The sixteen colours as 16-bit ones, low byte first."""
    out = bytearray(32)
    at = 0
    for rgb in rgb_of(colour, bare, grey):
        value = rgb565(rgb)
        out[at] = value & 255
        out[at + 1] = value >> 8
        at += 2
    return out
