"""What each state looks like and how it moves: one row a state, as data.

Lengths are pixels of a face 240 wide, lids percent of the eye, slopes 64ths; what a row
leaves out is the neutral face. A motion is (field, wave, period in ms, amplitude).
"""

from aora import protocol

# Fields of a pose. Those before BLENDED change gradually from one state to the next.
EYE_W = 0
EYE_H = 1
CORNER = 2  # 100: an ellipse
GAZE_X = 3
GAZE_Y = 4
LID = 5
LID_SLOPE = 6  # positive: the inner ends are lower, as in anger
LOW_LID = 7
LOW_BEND = 8
ODD = 9  # how much larger the right eye is than the left
BROW = 10  # height above the eye
BROW_SLOPE = 11
LEAN = 12  # slope of the head
SHIFT_X = 13
SHIFT_Y = 14
MOUTH_X = 15
MOUTH_Y = 16
MOUTH_W = 17
CURVE = 18  # positive: a smile
GAPE = 19  # height of an open mouth
MOUTH_SLOPE = 20
PUPIL = 21
BLUSH = 22  # width of the cheeks
PHASE = 23  # 0..255, where the accent is in its round
SQUASH = 24
DESK = 25  # how far the class's own mark is there, 0..100: at work
GLOW = 26  # done
FRAME = 27  # broken
GATE = 28  # refused
LIT = 29  # needs you
FACE_X = 30  # how far the face has moved on its body
FACE_Y = 31
LOOK_X = 32  # how far the pupils have moved in the eyes, beside the gaze
BLENDED = 33
EYES = 33
BROWS = 34
MOUTH = 35
ACCENT = 36
BREATH = 37  # its height; 0: holds its breath
BLINKS = 38
FIELDS = 39

# EYES
ROUND = 0
ARCH = 1
CUP = 2
CROSS = 3

# BROWS
LEFT = 1
RIGHT = 2
BOTH = 3

# MOUTH
SMILE = 0
GAPING = 1
GRIN = 2
ZIGZAG = 3
WAVY = 4
TONGUE = 5
NO_MOUTH = 6

# ACCENT
NO_ACCENT = 0
DOTS = 1
SNORE = 2
PEN = 3
PAGE = 4
QUESTION = 5
DROP = 6
NOTE = 7
LETTER = 8
PAWS = 9
RUNNER = 10
BUBBLES = 11
CHECKS = 12
LIST = 13
BAR = 14
MINI = 15
ARROWS = 16

# Waves
SINE = 0
SWAP = 1  # 0 or the amplitude, in turns
SCAN = 2  # from one side to the other, and back at once
TICK = 3  # a short push at the start of each period
BREATHE = 4  # 0 to the amplitude and back
SWELL = 5  # one push; again after 30, 120 and 300 s
HOP = 6  # one leap up
BOUNCE = 7  # leaps up all the time
SHAKE = 8  # one to and fro
SHAKES = 9  # two
LOOK = 10  # jumps to a random place each period
ROUNDS = 11  # 0..255 each period
ONCE = 12  # 0 to the amplitude, and stays
FADE = 13  # the amplitude to 0, and stays

_NEUTRAL = {
    EYE_W: 80,
    EYE_H: 80,
    CORNER: 80,
    MOUTH_Y: 66,
    MOUTH_W: 40,
    CURVE: 8,
    PUPIL: 40,
    BROW: 10,
    BREATH: 2,
    BLINKS: 1,
}

# state -> what differs from the neutral face, and its motions
_TABLE = {
    # life cycle
    "idle": ({}, ((GAZE_X, LOOK, 2600, 4),)),
    "sleeping": (
        {EYES: CUP, EYE_W: 70, EYE_H: 22, GAZE_Y: 16, MOUTH: NO_MOUTH, ACCENT: SNORE, BREATH: 3},
        ((PHASE, ROUNDS, 6000, 255),),
    ),
    "waking": (
        {LID: 24, ODD: 10, MOUTH: GAPING, MOUTH_W: 34, GAPE: 14, PUPIL: 34},
        ((LID, FADE, 700, 56), (GAPE, FADE, 900, 30)),
    ),
    "curious": (
        {ODD: 18, LEAN: 7, GAZE_X: 14, GAZE_Y: -4, BROWS: RIGHT, BROW: 14, MOUTH: GAPING}
        | {MOUTH_W: 20, GAPE: 18, MOUTH_X: 10},
        ((GAZE_X, LOOK, 1900, 8),),
    ),
    "spacing": (
        {GAZE_X: 8, GAZE_Y: -16, PUPIL: 20, LID: 10, MOUTH: GAPING, MOUTH_W: 18, GAPE: 12}
        | {MOUTH_X: -6, BLINKS: 0},
        ((GAZE_X, SINE, 9000, 6),),
    ),
    "booting": (
        {LID: 36, LOW_LID: 36, CORNER: 40, PUPIL: 0, MOUTH_W: 24, CURVE: 0, ACCENT: DOTS}
        | {BLINKS: 0},
        ((PHASE, ROUNDS, 1500, 255), (LID, FADE, 900, 10), (LOW_LID, FADE, 900, 10)),
    ),
    "drowsy": (
        {LID: 58, GAZE_Y: 10, MOUTH_W: 22, CURVE: 4, BREATH: 3, BLINKS: 0},
        ((LID, BREATHE, 5200, 22), (FACE_Y, BREATHE, 5200, 6)),
    ),
    "dragged": (
        {EYE_W: 78, EYE_H: 88, PUPIL: 24, GAZE_Y: 12, MOUTH: WAVY, MOUTH_W: 52, CURVE: 10}
        | {SHIFT_Y: -2, SQUASH: -10, BLINKS: 0},
        ((LOOK_X, SINE, 1100, 18),),
    ),
    # emotion
    "happy": (
        {LOW_LID: 18, LOW_BEND: 26, MOUTH_W: 62, CURVE: 24, BLUSH: 34},
        ((FACE_X, SINE, 3600, 4),),
    ),
    "puzzled": (
        {ODD: -16, LEAN: -5, GAZE_X: 8, GAZE_Y: -8, BROWS: LEFT, BROW: 12, BROW_SLOPE: 14}
        | {MOUTH: WAVY, MOUTH_W: 42, CURVE: 8, SHIFT_Y: 6, ACCENT: QUESTION},
        ((PHASE, ROUNDS, 2400, 255),),
    ),
    "down": (
        {LID: 30, LID_SLOPE: -24, GAZE_Y: 16, SHIFT_Y: 8, MOUTH_W: 44, CURVE: -18, SQUASH: 8}
        | {EYE_H: 72, PUPIL: 36},
        (),
    ),
    "surprised": (
        {EYE_W: 84, EYE_H: 94, CORNER: 100, PUPIL: 22, BROWS: BOTH, BROW: 8, MOUTH: GAPING}
        | {MOUTH_W: 30, GAPE: 38, MOUTH_Y: 70, SHIFT_Y: 16, BLINKS: 0, BREATH: 0},
        ((SHIFT_Y, HOP, 400, 10),),
    ),
    "shy": (
        {GAZE_X: -16, GAZE_Y: 14, LID: 24, LEAN: -5, MOUTH_X: -8, MOUTH_W: 24, CURVE: 10}
        | {BLUSH: 44, PUPIL: 36},
        ((GAZE_X, SWAP, 5200, 10),),
    ),
    "focused": (
        {LID: 30, LID_SLOPE: 12, LOW_LID: 16, PUPIL: 34, MOUTH_W: 26, CURVE: 0, BLINKS: 0},
        (),
    ),
    "panicked": (
        {EYE_W: 86, EYE_H: 88, CORNER: 100, PUPIL: 18, BROWS: BOTH, BROW: 8, BROW_SLOPE: -18}
        | {MOUTH: WAVY, MOUTH_W: 72, CURVE: 16, ACCENT: DROP, BLINKS: 0, SHIFT_Y: 6},
        ((GAZE_X, LOOK, 620, 16), (PHASE, ROUNDS, 1800, 255)),
    ),
    "resigned": (
        {LID: 48, LID_SLOPE: -14, GAZE_X: 14, GAZE_Y: 8, MOUTH_X: 8, MOUTH_W: 40, CURVE: -6}
        | {MOUTH_SLOPE: -12, LEAN: 4},
        ((FACE_Y, BREATHE, 4800, 8),),
    ),
    "satisfied": (
        {EYES: ARCH, EYE_W: 62, EYE_H: 26, GAZE_Y: 6, MOUTH_W: 48, CURVE: 16, BLUSH: 34},
        (),
    ),
    "angry": (
        {LID: 34, LID_SLOPE: 30, PUPIL: 30, BROWS: BOTH, BROW: 4, BROW_SLOPE: 26, MOUTH_W: 54}
        | {CURVE: -16, BLINKS: 0, BREATH: 0},
        ((SHIFT_X, SHAKE, 260, 4), (CURVE, BREATHE, 1800, 8)),
    ),
    "bouncing": (
        {
            LOW_LID: 10,
            LOW_BEND: 16,
            MOUTH: GRIN,
            MOUTH_W: 56,
            GAPE: 28,
            BLUSH: 30,
            SHIFT_Y: 8,
            BREATH: 0,
        },
        ((MOUTH_Y, BOUNCE, 820, 12), (LOOK_X, SWAP, 1640, 12)),
    ),
    # at work
    "humming": (
        {EYES: CUP, EYE_W: 62, EYE_H: 22, GAZE_Y: 4, MOUTH_X: 8, MOUTH_W: 30, CURVE: 14}
        | {ACCENT: NOTE},
        ((FACE_X, SINE, 2400, 6), (PHASE, ROUNDS, 2400, 255)),
    ),
    "thinking": (
        {GAZE_X: -16, GAZE_Y: -14, BROWS: LEFT, BROW: 10, BROW_SLOPE: -6, MOUTH_X: 16}
        | {MOUTH_W: 22, CURVE: 0},
        ((GAZE_X, SWAP, 8000, 32), (MOUTH_X, SWAP, 8000, -32)),
    ),
    "receiving": (
        {MOUTH: GAPING, MOUTH_W: 20, GAPE: 16, GAZE_Y: -16, EYE_H: 84, ACCENT: LETTER},
        ((GAZE_Y, ONCE, 700, 32), (PHASE, ONCE, 700, 255)),
    ),
    "working": (
        {LID: 16, GAZE_Y: 12, MOUTH_W: 34, CURVE: 6, ACCENT: PAWS},
        ((PHASE, ROUNDS, 1000, 255), (GAZE_X, SWAP, 4000, 8)),
    ),
    "loading": (
        {GAZE_Y: 12, MOUTH: GAPING, MOUTH_W: 14, GAPE: 14, ACCENT: RUNNER},
        ((PHASE, ROUNDS, 1600, 255), (GAZE_X, SCAN, 1600, 20)),
    ),
    "recalling": (
        {GAZE_X: 14, GAZE_Y: -14, LID: 12, MOUTH_X: -8, MOUTH_W: 28, CURVE: 8, ACCENT: BUBBLES},
        ((PHASE, ROUNDS, 3000, 255),),
    ),
    "composing": (
        {LID: 18, LOW_LID: 8, MOUTH: GAPING, MOUTH_W: 38, GAPE: 10},
        ((GAPE, BREATHE, 1000, 10),),
    ),
    "searching": (
        {EYE_W: 86, EYE_H: 86, CORNER: 100, PUPIL: 32, MOUTH: GAPING, MOUTH_W: 20, GAPE: 20},
        ((LOOK_X, SINE, 2400, 22),),
    ),
    "reading": (
        {LID: 30, GAZE_Y: 16, MOUTH_W: 30, CURVE: 4, ACCENT: PAGE},
        ((LOOK_X, SCAN, 1600, 16),),
    ),
    "editing": (
        {GAZE_X: 14, GAZE_Y: 16, LID: 20, MOUTH: TONGUE, MOUTH_X: -6, MOUTH_W: 38, CURVE: 4}
        | {MOUTH_SLOPE: -12, ACCENT: PEN},
        ((PHASE, TICK, 1000, 255),),
    ),
    "running": (
        {LID: 35, LOW_LID: 35, MOUTH_W: 70, CURVE: 0, PUPIL: 34, ACCENT: DOTS},
        ((PHASE, ROUNDS, 2000, 255),),
    ),
    "testing": (
        {ODD: 14, LID: 22, LID_SLOPE: 6, GAZE_X: -10, GAZE_Y: 10, MOUTH_X: 6, MOUTH_W: 28}
        | {CURVE: -4, ACCENT: CHECKS},
        ((PHASE, ROUNDS, 3200, 255),),
    ),
    "planning": (
        {GAZE_X: 16, GAZE_Y: -8, MOUTH_X: -6, MOUTH_W: 30, CURVE: 8, ACCENT: LIST},
        ((PHASE, ROUNDS, 4000, 255),),
    ),
    "progress": (
        {GAZE_Y: 14, MOUTH_W: 48, CURVE: 12, ACCENT: BAR},
        ((PHASE, ROUNDS, 3000, 255), (GAZE_X, SCAN, 3000, 16)),
    ),
    "delegating": (
        {GAZE_X: 18, GAZE_Y: 12, LOW_LID: 10, LOW_BEND: 14, MOUTH_X: 8, MOUTH_W: 40}
        | {CURVE: 14, ACCENT: MINI},
        ((PHASE, ROUNDS, 1200, 255),),
    ),
    "syncing": (
        {LID: 10, MOUTH_W: 30, CURVE: 4, ACCENT: ARROWS},
        ((PHASE, ROUNDS, 1600, 255), (GAZE_Y, SINE, 1600, 12)),
    ),
    "stopping": (
        {LID: 40, LOW_LID: 0, MOUTH_W: 26, CURVE: 0, SHIFT_Y: 4, BLINKS: 0, BREATH: 0},
        ((LID, ONCE, 1400, 40), (FACE_Y, ONCE, 1400, 10), (PUPIL, ONCE, 1400, -20)),
    ),
    # it wants you
    "celebrate": (
        {EYES: ARCH, EYE_W: 76, EYE_H: 40, MOUTH: GRIN, MOUTH_W: 92, GAPE: 40, MOUTH_Y: 54}
        | {BLUSH: 36, SHIFT_Y: 8, BREATH: 0, BLINKS: 0},
        ((SHIFT_Y, HOP, 520, 12),),
    ),
    "alerting": (
        {EYES: CROSS, EYE_W: 64, EYE_H: 62, MOUTH: ZIGZAG, MOUTH_W: 88, CURVE: 26, BREATH: 0}
        | {MOUTH_Y: 60, SHIFT_Y: 2}
        | {BLINKS: 0},
        ((SHIFT_X, SHAKES, 300, 8),),
    ),
    "listening": (
        {EYE_W: 110, EYE_H: 110, CORNER: 96, BROWS: BOTH, BROW: 2, MOUTH: GAPING, MOUTH_W: 30}
        | {GAPE: 26, MOUTH_Y: 80, PUPIL: 0, BREATH: 0, BLINKS: 0},
        ((EYE_W, SWELL, 600, 8), (EYE_H, SWELL, 600, 8)),
    ),
    "refusing": (
        {LID: 48, GAZE_X: 24, MOUTH_W: 72, CURVE: 0, BREATH: 0, BLINKS: 0, PUPIL: 36},
        ((FACE_X, SHAKE, 1300, 10),),
    ),
}

_MARKS = {
    protocol.WORKING: DESK,
    protocol.DONE: GLOW,
    protocol.BROKEN: FRAME,
    protocol.REFUSED: GATE,
    protocol.NEEDS_YOU: LIT,
}


ZERO = 128  # what stands for 0 in ROWS and, as an amplitude, in MOVES
MOVE = 6  # bytes of a motion: field, wave, period and amplitude, low byte first


def _row(state, own):
    row = bytearray([ZERO] * FIELDS)
    fields = dict(_NEUTRAL)
    fields.update(own)
    mark = _MARKS.get(CLASS[state])
    if mark is not None:
        fields[mark] = 100
    for field in fields:
        row[field] = fields[field] + ZERO
    return row


def _packed(table):
    """Rows, motions, and the place of each state's first motion."""
    rows, moves, first = bytearray(), bytearray(), bytearray([0])
    for state in range(len(protocol.STATES)):
        own, motions = table[protocol.STATES[state]]
        rows.extend(_row(state, own))
        for field, wave, period, amplitude in motions:
            amplitude += ZERO
            moves.extend(bytes((field, wave, period & 255, period >> 8)))
            moves.extend(bytes((amplitude & 255, amplitude >> 8)))
        first.append(len(moves) // MOVE)
    return bytes(rows), bytes(moves), bytes(first)


# state index -> class
CLASS = bytes([protocol.CLASS_OF[code] for code in protocol.CODE_OF])
ROWS, MOVES, FIRST = _packed(_TABLE)
del _TABLE
