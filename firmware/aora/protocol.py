"""The code table: what each two-digit code means, and how it is looked up.

Numbers and meanings never change once given; unknown codes fall back by band.
"""

from aora._shim import const

CONDITION = 255
HOLD = 254

NOTHING = 0
WORKING = 1
DONE = 2
NEEDS_YOU = 3
BROKEN = 4
REFUSED = 5

# code, state, settles to (an event) or CONDITION, priority, class
_ROWS = (
    (0, "sleeping", CONDITION, 0, NOTHING),
    (1, "waking", 2, 12, NOTHING),
    (2, "idle", CONDITION, 10, NOTHING),
    (3, "curious", CONDITION, 14, NOTHING),
    (4, "spacing", CONDITION, 8, NOTHING),
    (5, "booting", CONDITION, 12, NOTHING),
    (6, "drowsy", CONDITION, 4, NOTHING),
    (7, "waking", 2, 12, NOTHING),
    (9, "dragged", CONDITION, 16, NOTHING),
    (10, "happy", CONDITION, 20, NOTHING),
    (11, "puzzled", CONDITION, 20, NOTHING),
    (12, "down", CONDITION, 20, NOTHING),
    (13, "surprised", 2, 30, NOTHING),
    (14, "shy", CONDITION, 20, NOTHING),
    (15, "drowsy", CONDITION, 4, NOTHING),
    (16, "focused", CONDITION, 20, NOTHING),
    (17, "panicked", CONDITION, 24, NOTHING),
    (18, "resigned", CONDITION, 20, NOTHING),
    (19, "satisfied", CONDITION, 20, NOTHING),
    (20, "puzzled", CONDITION, 20, NOTHING),
    (21, "angry", CONDITION, 24, NOTHING),
    (26, "bouncing", CONDITION, 20, NOTHING),
    (27, "humming", CONDITION, 20, WORKING),
    (30, "thinking", CONDITION, 40, WORKING),
    (31, "receiving", 30, 42, WORKING),
    (32, "working", CONDITION, 40, WORKING),
    (33, "celebrate", 2, 80, DONE),
    (34, "alerting", HOLD, 100, BROKEN),
    (35, "listening", CONDITION, 90, NEEDS_YOU),
    (36, "loading", CONDITION, 40, WORKING),
    (37, "recalling", CONDITION, 40, WORKING),
    (38, "refusing", HOLD, 95, REFUSED),
    (39, "composing", CONDITION, 40, WORKING),
    (40, "searching", CONDITION, 40, WORKING),
    (41, "stopping", 6, 36, NOTHING),
    (42, "reading", CONDITION, 40, WORKING),
    (43, "editing", CONDITION, 40, WORKING),
    (44, "running", CONDITION, 40, WORKING),
    (45, "testing", CONDITION, 40, WORKING),
    (46, "planning", CONDITION, 40, WORKING),
    (47, "progress", CONDITION, 40, WORKING),
    (48, "delegating", CONDITION, 40, WORKING),
    (49, "syncing", CONDITION, 40, WORKING),
)

IDLE_CODE = 2
_WORKING_CODE = const(32)


def _names(rows):
    names = []
    for row in rows:
        if row[1] not in names:
            names.append(row[1])
    return tuple(names)


STATES = _names(_ROWS)


def _column(rows, place):
    """100 bytes, one a code; codes without a row of their own take their band's fallback."""
    rows = {row[0]: row for row in rows}
    column = bytearray(100)
    for code in range(100):
        fallback = _WORKING_CODE if 30 <= code <= 49 else IDLE_CODE
        row = rows.get(code) or rows[fallback]
        column[code] = STATES.index(row[1]) if place == 1 else row[place]
    return bytes(column)


STATE_OF = _column(_ROWS, 1)
SETTLE = _column(_ROWS, 2)
PRIORITY = _column(_ROWS, 3)
CLASS_OF = _column(_ROWS, 4)

# state index -> its smallest code
CODE_OF = bytes([min(row[0] for row in _ROWS if row[1] == name) for name in STATES])

del _ROWS  # its columns are all that a board has to hold

_BLANKS = " \t\r\n"


def code_of(value):
    """The code, 0-99, in a string of one or two digits or an integral number; -1 for no code."""
    if isinstance(value, str):
        digits = value.strip(_BLANKS)
        if not 1 <= len(digits) <= 2:
            return -1
        for character in digits:
            if not "0" <= character <= "9":
                return -1
        return int(digits)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return -1
    if not 0 <= value <= 99 or value != int(value):
        return -1
    return int(value)


def two_digits(code):
    """A code as it is written."""
    return "%02d" % code


def __getattr__(name):
    # A hundred strings that no board needs are made where they are asked for.
    if name != "CODES":
        raise AttributeError(name)
    return tuple(two_digits(code) for code in range(100))


def state_for_emotion(code):
    """The state name of a code as sent; idle for what is no code. Never raises."""
    number = code_of(code)
    return STATES[STATE_OF[number if number >= 0 else IDLE_CODE]]


def emotion_id_for_state(state):
    """The smallest code of a state, as two digits; None for an unknown name."""
    if not isinstance(state, str) or state not in STATES:
        return None
    return two_digits(CODE_OF[STATES.index(state)])
