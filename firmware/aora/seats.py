"""Seats on the ring: each session has a place of its own, whoever is on the face.

A seat draws a class of protocol.py, does not obey the dwell, and keeps what is done or broken
until it has been seen.
"""

from array import array

from aora import _scan, ticks
from aora import record as rec
from aora._shim import micropython, ptr8, ptr32  # noqa: F401
from aora.arbiter import SLOTS
from aora.protocol import BROKEN, CLASS_OF, DONE, NEEDS_YOU, NOTHING, REFUSED, WORKING
from aora.record import ID_BYTES

EMPTY = 255
KEEP_MS = 12 * 3600 * 1000
PROMPT_CODE = 31
MOST = 16

# class -> how bad it is; the worst of a seat is drawn
_WEIGHT = bytearray(6)
_WEIGHT[NOTHING] = 1
_WEIGHT[WORKING] = 2
_WEIGHT[DONE] = 3
_WEIGHT[NEEDS_YOU] = 4
_WEIGHT[REFUSED] = 5
_WEIGHT[BROKEN] = 6
# code -> its class, or EMPTY for what is news
_NEWS = (DONE, BROKEN, REFUSED)
_CALM = bytes(
    [EMPTY if kind in _NEWS or code == PROMPT_CODE else kind for code, kind in enumerate(CLASS_OF)]
)


def seats_for(leds):
    """(number of seats, LEDs of each) on a ring."""
    each = 4 if leds >= 24 else 3
    return min(leds // each, MOST), each


class Seats:
    """`look[i]` is the class seat i draws, or EMPTY; `front` the seat on the face, or -1."""

    def __init__(self, leds, slots=SLOTS):
        self.count = seats_for(leds)[0]
        self.look = bytearray([EMPTY] * self.count)
        self.front = -1
        self._owners = bytearray(self.count * ID_BYTES)
        self._owner_lens = bytearray(self.count)
        self._unseen = bytearray(self.count)  # DONE, BROKEN, REFUSED or 0
        self._unseen_of = array("i", [0] * self.count)  # hash of the session that it is about
        self._since = array("i", [0] * self.count)
        self._news_at = 0
        self._seat_of = bytearray([EMPTY] * slots)
        self._class_of = bytearray(slots)
        self._hash_of = array("i", [0] * slots)
        self._family_of = array("i", [0] * slots)  # hash of the parent's id; 0: no seat

    def live(self):
        """How many seats have a session or something unseen."""
        return _used(self.look, self.count)

    def slot(self, place, record, now, fresh=True):
        """A slot of the arbiter holds this record now; None: it is free.

        `fresh` is False for what a snapshot or a settling brings, which is no news.
        """
        if not self.count:
            return
        # Most updates are no news, of a session that stays where it is.
        if record is not None and self._hash_of[place] == record.words[rec.HASH]:
            words = record.words
            kind = _CALM[words[rec.CODE]]
            seat = self._seat_of[place]
            if kind != EMPTY and seat != EMPTY and not words[rec.HEADLESS]:
                if self._class_of[place] != kind:
                    self._class_of[place] = kind
                    self._refresh(seat)
                return
        self._news_at = now
        self._move(place, record, fresh)

    def _move(self, place, record, fresh):
        before = self._seat_of[place]
        seat = EMPTY
        if record is not None and not record.words[rec.HEADLESS]:
            seat = before
            if seat == EMPTY or self._hash_of[place] != record.words[rec.HASH]:
                seat = self._find(record)
                if seat < 0:
                    seat = self._give(record)
                    fresh = True
                self._hash_of[place] = record.words[rec.HASH]
                self._family_of[place] = record.words[rec.FAMILY]
            self._class_of[place] = self._news(seat, record.words, fresh)
        self._seat_of[place] = seat
        if seat == EMPTY:
            self._family_of[place] = 0
        else:
            self._refresh(seat)
        if before != EMPTY and before != seat:
            self._refresh(before)

    def recall(self, record, now):
        """An event that is only to be marked: its moment on the face is over."""
        if not self.count:
            return
        seat = self._find(record)
        if seat < 0:
            seat = self._give(record)
        self._news_at = now
        self._news(seat, record.words, True)
        self._refresh(seat)

    def face(self, record):
        """This record is on the face."""
        self.front = self.of(record)

    def of(self, record):
        """The seat of the record's session; -1 for none."""
        return self._find(record) if record.words[rec.ID_LEN] else -1

    def seen(self):
        """Somebody looked: nothing is unseen any more. True if something was."""
        any_unseen = False
        seat = 0
        while seat < self.count:
            if self._unseen[seat]:
                any_unseen = True
                self._unseen[seat] = 0
                self._refresh(seat)
            seat += 1
        return any_unseen

    def tick(self, now):
        """Forgets what has been unseen for KEEP_MS."""
        seat = 0
        while seat < self.count:
            if self._unseen[seat] and ticks.diff(now, self._since[seat]) >= KEEP_MS:
                self._unseen[seat] = 0
                self._refresh(seat)
            seat += 1

    def _give(self, record):
        """A free seat for a new session, or the last, which overflow shares."""
        seat = 0
        while seat < self.count and self._owner_lens[seat]:
            seat += 1
        if seat == self.count:
            return seat - 1
        self._owner_lens[seat] = length = record.words[rec.PARENT]
        _scan.copy(0, length, record.text, self._owners, seat * ID_BYTES)
        return seat

    def _find(self, record):
        """The seat of the session's family: of a member that is live, or kept for its news."""
        place = _place_of(self._family_of, len(self._seat_of), record.words[rec.FAMILY])
        if place >= 0:
            return self._seat_of[place]
        length = record.words[rec.PARENT]
        seat = 0
        while seat < self.count:
            if self._owner_lens[seat] == length:
                if _same(self._owners, seat * ID_BYTES, record.text, length):
                    return seat
            seat += 1
        return -1

    def _news(self, seat, words, fresh):
        """Keeps what is new and unseen for the seat; answers the class of the session itself."""
        kind = CLASS_OF[words[rec.CODE]]
        again = self._unseen_of[seat] == words[rec.FAMILY]
        if kind == DONE or kind == BROKEN or kind == REFUSED:
            if fresh and (again or _WEIGHT[kind] >= _WEIGHT[self._unseen[seat]]):
                self._unseen[seat] = kind
                self._unseen_of[seat] = words[rec.FAMILY]
                self._since[seat] = self._news_at
            return NOTHING
        if again and words[rec.CODE] == PROMPT_CODE:
            self._unseen[seat] = 0
        return kind

    def _refresh(self, seat):
        """Draws the worst of what sits here; a seat with nothing live or unseen is free."""
        unseen = self._unseen[seat]
        worst = _worst(self._seat_of, self._class_of, len(self._seat_of), seat, _WEIGHT)
        if worst < 0:
            self.look[seat] = unseen or EMPTY
            if not unseen:
                self._owner_lens[seat] = 0
                if self.front == seat:
                    self.front = -1
        else:
            self.look[seat] = unseen if _WEIGHT[unseen] > _WEIGHT[worst] else worst


@micropython.viper
def _used(looks: ptr8, count: int) -> int:
    """How many of the seats are not empty."""
    used = 0
    i = 0
    while i < count:
        if looks[i] != 255:
            used += 1
        i += 1
    return used


@micropython.viper
def _place_of(families: ptr32, count: int, wanted: int) -> int:
    """The first place of a family; -1 for none."""
    i = 0
    while i < count:
        if families[i] == wanted:
            return i
        i += 1
    return 0 - 1


@micropython.viper
def _same(a: ptr8, at: int, b: ptr8, length: int) -> int:
    """1 if a[at : at + length] is b[:length], else 0."""
    i = 0
    while i < length:
        if a[at + i] != b[i]:
            return 0
        i += 1
    return 1


@micropython.viper
def _worst(of: ptr8, kind: ptr8, count: int, group: int, weight: ptr8) -> int:
    """The heaviest kind among the members of a group; -1 for none."""
    found = 0 - 1
    heaviest = 0
    i = 0
    while i < count:
        if of[i] == group and weight[kind[i]] > heaviest:
            heaviest = weight[kind[i]]
            found = kind[i]
        i += 1
    return found
