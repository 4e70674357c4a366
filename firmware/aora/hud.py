"""Dials: which specs are whole, their numbers in fixed memory, and what a ring shows of them.

A number is a mantissa of at most nine digits and a power of ten, so that no float is made.
"""

from array import array

from aora._shim import const

NONE = 0
PROGRESS = 1
TIMER = 2
CONTEXT = 3
VOICE = 4
WAVEFORM = 5
KPI = 6
COUNT = 7

KINDS = ("progress", "timer", "context", "voice", "waveform", "kpi", "count")
LEVELS = 24

# What a field takes, as _scan.number knows it.
ANY = 0  # below 10^12 either way
NOT_NEGATIVE = 1
POSITIVE = 2
UNIT = 3  # 0..1
UP_TO_64 = 4

# kind -> its fields in order: name, range, optional
FIELDS = (
    (),
    (("value", UNIT, False),),
    (("remainingMs", NOT_NEGATIVE, False), ("totalMs", POSITIVE, False)),
    (("used", NOT_NEGATIVE, False), ("total", POSITIVE, False)),
    (("level", UNIT, False),),
    (("levels", UNIT, False),),
    (("value", ANY, False), ("target", POSITIVE, False)),
    (("value", UP_TO_64, False), ("total", POSITIVE, True)),
)

_LIMIT = const(1000000000000)


def _fits(value, takes):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if not -_LIMIT < value < _LIMIT:
        return False
    if takes == ANY:
        return True
    if takes == POSITIVE:
        return value > 0
    return value >= 0 and (takes == NOT_NEGATIVE or value <= (1 if takes == UNIT else 64))


def _levels_fit(values):
    if not isinstance(values, (list, tuple)) or not 1 <= len(values) <= LEVELS:
        return False
    for value in values:
        if not _fits(value, UNIT):
            return False
    return True


def known_fields(spec):
    """A copy of a whole spec with its known fields only, in order; None for a malformed one."""
    kind = spec.get("kind") if isinstance(spec, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        return None
    known = {"kind": kind}
    for name, takes, optional in FIELDS[KINDS.index(kind) + 1]:
        if name not in spec:
            if optional:
                continue
            return None
        value = spec[name]
        if not (_levels_fit(value) if name == "levels" else _fits(value, takes)):
            return None
        known[name] = value
    return known


def is_hud_spec(spec):
    """True for a dial that can be drawn: a known kind with each field it needs, in range."""
    return known_fields(spec) is not None


class Hud:
    """A dial's numbers: `words` are its kind, their count and mantissas, `exps` exponents + 64.

    A record's dial is a part of the record's own arrays.
    """

    def __init__(self, words=None, exps=None):
        self.words = array("i", [0] * (2 + LEVELS)) if words is None else words
        self.exps = bytearray(LEVELS) if exps is None else exps

    @property
    def kind(self):
        return self.words[0]

    def numbers(self):
        """Pairs of mantissa and exponent. For reading off the hot path."""
        return [(self.words[2 + i], self.exps[i] - 64) for i in range(self.words[1])]

    def copy_from(self, other):
        words = other.words
        exps = other.exps
        count = words[1]
        self.words[0] = words[0]
        self.words[1] = count
        i = 0
        while i < count:
            self.exps[i] = exps[i]
            i += 1
            self.words[1 + i] = words[1 + i]


# Dials: levels of 0..255 for a ring of any length.
NORMAL = 0
AMBER = 1
RED = 2

_FULL = const(255)
_ARC = const(160)  # an arc that carries a mark leaves it the brighter one
_ONE = const(10000)  # of a share, in fixed point


def _whole(hud, part, limit):
    """Number `part` of a dial rounded down, at most `limit`; 0 for what is negative."""
    mant = hud.words[2 + part]
    exp = hud.exps[part] - 64
    if mant <= 0:
        return 0
    while exp < 0 and mant:
        mant //= 10
        exp += 1
    while exp > 0:
        if mant > limit // 10:
            return limit
        mant *= 10
        exp -= 1
    return mant if mant < limit else limit


def _share(hud, part, whole):
    """Number `part` over number `whole` of a dial (or over 1: whole -1), 0.._ONE."""
    a = hud.words[2 + part]
    ea = hud.exps[part]
    b = hud.words[2 + whole] if whole >= 0 else 1
    eb = hud.exps[whole] if whole >= 0 else 64
    if a <= 0:
        return 0
    while a >= 100000:
        a //= 10
        ea += 1
    while b >= 100000:
        b //= 10
        eb += 1
    while ea < eb and a:
        if b < 10000:
            b *= 10
            eb -= 1
        else:
            a //= 10
            ea += 1
    while ea > eb:
        if a >= b:
            return _ONE
        a *= 10
        ea -= 1
    return _ONE if a >= b else a * _ONE // b


def _arc(share, leds, full, out):
    lit = share * leds * full // _ONE
    i = 0
    while i < leds:
        level = lit - i * full
        out[i] = full if level > full else level if level > 0 else 0
        i += 1


def _bars(share, leds, out):
    """Grows from the ring's lowest place, led `leds // 2`, up both sides."""
    half = leds // 2
    lit = share * (half + 1) * _FULL // _ONE
    i = 0
    while i < leds:
        away = i - half if i >= half else half - i
        level = lit - away * _FULL
        out[i] = _FULL if level > _FULL else level if level > 0 else 0
        i += 1


def _waves(hud, leds, out):
    i = 0
    while i < leds:
        out[i] = _share(hud, i * hud.words[1] // leds, -1) * _FULL // _ONE
        i += 1


def _items(hud, leds, out):
    """One LED an item, the rest of a total faint; more items than LEDs share them."""
    items = _whole(hud, 0, 64)
    total = _whole(hud, 1, 64) if hud.words[1] > 1 else items
    if total < items:
        total = items
    places = total if total < leds else leds
    i = 0
    while i < leds:
        if i >= places:
            out[i] = 0
        else:
            out[i] = _FULL if (i + 1) * total <= items * places else 24
        i += 1


def _left(hud, elapsed_ms):
    """Share of a timer that is left after `elapsed_ms`."""
    left = _whole(hud, 0, 1000000000) - elapsed_ms
    total = _whole(hud, 1, 1000000000)
    if left <= 0:
        return 0
    while total >= 100000:
        total //= 10
        left //= 10
    return _ONE if left >= total else left * _ONE // total


def _mark(share, leds, out):
    place = share * leds // _ONE
    out[place if place < leds else leds - 1] = _FULL


def dial(hud, leds, elapsed_ms, out):
    """Fills out[0..leds) with levels 0..255 and answers the tone, NORMAL, AMBER or RED.

    `elapsed_ms` since the dial was sent runs a timer down by itself.
    """
    kind = hud.kind
    if kind == PROGRESS:
        _arc(_share(hud, 0, -1), leds, _FULL, out)
    elif kind == TIMER:
        _arc(_left(hud, elapsed_ms), leds, _FULL, out)
    elif kind == CONTEXT:
        share = _share(hud, 0, 1)
        _arc(share, leds, _FULL, out)
        if share * 10 >= 9 * _ONE:
            return RED
        if share * 10 >= 7 * _ONE:
            return AMBER
    elif kind == VOICE:
        _bars(_share(hud, 0, -1), leds, out)
    elif kind == WAVEFORM:
        _waves(hud, leds, out)
    elif kind == KPI:
        # The mark is where the target lies: at the end, unless the value is beyond it.
        _arc(_share(hud, 0, 1), leds, _ARC, out)
        _mark(_share(hud, 1, 0) if hud.words[2] > 0 else _ONE, leds, out)
    elif kind == COUNT:
        _items(hud, leds, out)
    else:
        i = 0
        while i < leds:
            out[i] = 0
            i += 1
    return NORMAL
