"""Many sessions, one face: priority, dwell, queued events and expiry, in fixed memory.

Time is handed in as ticks (see ticks.py). Nothing is allocated after construction.
"""

from array import array

from aora import record as rec
from aora import ticks
from aora._shim import const
from aora.protocol import CONDITION, HOLD, PRIORITY, SETTLE, STATE_OF, STATES
from aora.record import NO_SEQ, Record, best, copy, drop, find, free, least, like, put, store, wait

DWELL_MS = 900
DWELL_BY_STATE = {"celebrate": 2000, "alerting": 1500}
TTL_MS = 120000
SLOTS = 16
QUEUE = 16
_HALF = const(1 << 28)
_NEVER = const(1 << 29)  # beyond every tick
_AGAIN = const(3)  # the same session and code
_ALL = const(7)  # and caption


def _by_code(defaults, overrides, what):
    """100 values by code, some overridden by state name."""
    table = array("i", list(defaults))
    for state, value in (overrides or {}).items():
        if state not in STATES:
            raise ValueError("%s: no state is called %r" % (what, state))
        index = STATES.index(state)
        for code in range(100):
            if STATE_OF[code] == index:
                table[code] = value
    return table


class Arbiter:
    """Sessions' updates in, one face out.

    `on_apply(record)` is called when the face changes, at `now`; `on_gone(seq)` when a numbered
    event will not be shown; `on_slot(place, record, now, fresh)` when a slot changes, with None
    for a record that is gone and `fresh` for a session's own word. Options as in `aora replay`;
    ValueError for an unknown state name.
    """

    def __init__(
        self,
        min_display_ms=DWELL_MS,
        by_state=None,
        ttl_ms=TTL_MS,
        slots=SLOTS,
        queue=QUEUE,
        priority=None,
        sticky_ms=0,
        on_apply=None,
        on_gone=None,
        on_slot=None,
        now=0,
    ):
        dwell = dict(DWELL_BY_STATE)
        dwell.update(by_state or {})
        self._dwells = _by_code([min_display_ms] * 100, dwell, "by_state")
        self._priorities = _by_code(PRIORITY, priority, "priority")
        self.slots = slots
        self.ttl_ms = ttl_ms
        self.sticky_ms = sticky_ms
        self.on_apply = on_apply
        self.on_gone = on_gone
        self.on_slot = on_slot
        self.now = now
        self.evicted = 0
        self.dropped = 0
        self._slots = rec.table(slots)
        self._index = self._slots[rec.INDEX]
        self._queue = rec.table(queue)
        self._queued = 0
        self._shown = Record()
        self._nobody = Record()
        self._copy = Record()  # of a slot, for those who ask
        self._face = -1  # the slot of the session on the face
        self._dwell_end = _NEVER  # until then what is on the face has its least time
        self._stick_end = _NEVER
        self._held = False

    # No properties here: for a class that has one, MicroPython looks for it in each store.
    def dwelling(self):
        """Whether what is on the face has its least time."""
        return self._dwell_end != _NEVER

    def set_dwell(self, min_display_ms):
        """Changes the default dwell from now on, milliseconds."""
        for code in range(100):
            if STATES[STATE_OF[code]] not in DWELL_BY_STATE:
                self._dwells[code] = min_display_ms

    # What comes in.

    def update(self, record, now):
        """A session's whole new state; what the record leaves out is cleared."""
        self.tick(now)
        place = self._store(record, (self.now + self.ttl_ms) & ticks.MASK, True)
        again = False
        if record.words[rec.HEADLESS]:
            self._unqueue(record)
        else:
            again = self._caption(record)
            if SETTLE[record.words[rec.CODE]] != CONDITION:
                if not again or self._dwell_end == _NEVER:
                    self._event(record, place)
        if self._dwell_end == _NEVER:
            self._choose(again)

    def end(self, record, now):
        """Forgets the record's session."""
        self.tick(now)
        place = find(self._slots, record.parts, -1)
        if place >= 0:
            self._forget(place)
            self._choose(False)

    def touch(self, record, now):
        """Refreshes the time to live of the record's session, if it is known."""
        self.tick(now)
        place = find(self._slots, record.parts, -1)
        if place >= 0:
            self._index[4 * place + rec.EXPIRES] = ticks.add(self.now, self.ttl_ms)

    def doubt(self, record):
        """There is no evidence of the session's state, until its next word."""
        place = find(self._slots, record.parts, -1)
        if place >= 0:
            self._slots[0][rec.WORDS * place + rec.DOUBTED] = 1
            if place == self._face:
                self._shown.doubted = 1

    def begin_snapshot(self, now):
        """Empties the slots; the face and the queue stay until `end_snapshot`."""
        self.tick(now)
        place = 0
        while place < self.slots:
            if self._index[4 * place]:
                self._forget(place)
            place += 1
        self._held = True

    def restore(self, record, age_ms, now):
        """A session out of a snapshot: sets its slot and queues nothing."""
        self.tick(now)
        left = self.ttl_ms - age_ms
        if left > 0:
            self._store(record, ticks.add(self.now, left), False)
            self._choose(False)

    def end_snapshot(self, now):
        self._held = False
        self.tick(now)
        self._choose(False)

    # What is known.

    def resolve(self):
        """The record that wins by priority, the dwell aside. To be read, not kept."""
        return self._told(self._winner())

    def _told(self, place):
        """A slot's record in passing; nobody for none."""
        if place < 0:
            return self._nobody
        copy(self._copy.parts, 0, self._slots, place)
        return self._copy

    def current(self):
        """The record on the face. To be read, not kept."""
        return self._shown

    def sessions(self):
        """The live sessions' records, oldest update first. For reading off the hot path."""
        return rec.records(self._slots)

    def waiting(self):
        """The queued events' records, oldest first. For reading off the hot path."""
        return rec.records(self._queue)

    def find(self, record):
        """The live record of this record's session; None for an unknown one."""
        place = find(self._slots, record.parts, -1)
        return None if place < 0 else self._told(place)

    def winner_priority(self):
        """Priority of what `resolve` answers; -1 when nobody is live."""
        place = self._winner()
        return -1 if place < 0 else self._index[4 * place + rec.RANK] - 1

    def following(self, record):
        """The live visible record after the record's session by slot, itself if it is alone."""
        index = self._index
        place = find(self._slots, record.parts, -1)
        for _ in range(self.slots):
            place = (place + 1) % self.slots
            if index[4 * place + rec.RANK]:
                return self._told(place)
        return self._nobody

    # Time.

    def deadline(self, now):
        """Milliseconds until a timer may change something; -1 for never."""
        left = wait(self._index, self.slots, self.now, self._dwell_end, self._stick_end)
        if left == _NEVER:
            return -1
        left -= ticks.diff(now, self.now)
        return left if left > 0 else 0

    def tick(self, now):
        """Fires what is due up to `now`, in order of time."""
        ahead = ((now - self.now + _HALF) & ticks.MASK) - _HALF
        while True:
            left = wait(self._index, self.slots, self.now, self._dwell_end, self._stick_end)
            if left > ahead:
                break
            self.now = (self.now + left) & ticks.MASK
            self._fire()
            ahead -= left
        if ahead >= 0:
            self.now = now

    def _fire(self):
        now = self.now
        index = self._index
        place = 0
        while place < self.slots:
            if index[4 * place + rec.EXPIRES] == now and index[4 * place]:
                self._forget(place)
            place += 1
        if now == self._stick_end:
            self._stick_end = _NEVER
        if now == self._dwell_end:
            self._dwell_end = _NEVER
            if self._face >= 0:
                self._settle(self._face, self._shown.code)
        self._choose(False)

    # Slots.

    def _store(self, record, expires, fresh):
        place = store(self._slots, record.parts, self._priorities, expires)
        if place < 0:
            if not self._evict(record):
                return -1
            place = store(self._slots, record.parts, self._priorities, expires)
        if self._face < 0 and like(self._shown.parts, 0, record.parts) & rec.SESSION:
            self._face = place
        if self.on_slot:
            self.on_slot(place, record, self.now, fresh)
        return place

    def _evict(self, record):
        """Frees the least slot for a newcomer; False if that is the least itself."""
        self.evicted += 1
        place = least(self._index, self.slots)
        rank = 0 if record.headless else self._priorities[record.code] + 1
        if rank < self._index[4 * place + rec.RANK]:
            return False
        self._forget(place)
        return True

    def _forget(self, place):
        drop(self._slots, place)
        if place == self._face:
            self._face = -1
        if self.on_slot:
            self.on_slot(place, None, self.now, False)

    def _settle(self, place, code):
        """An event has had its moment: its session, if still at it, goes where the table says."""
        after = SETTLE[code]
        if after == CONDITION or after == HOLD:
            return
        record = self._told(place)
        words = record.words
        if words[rec.CODE] != code:
            return
        words[rec.CODE] = after
        words[rec.TIPS_LEN] = words[rec.KIND] = 0
        words[rec.KIND + 1] = 0
        copy(self._slots, place, record.parts, 0)
        if not words[rec.HEADLESS]:
            self._index[4 * place + rec.RANK] = self._priorities[after] + 1
        if self.on_slot:
            self.on_slot(place, record, self.now, False)

    def _winner(self):
        place = best(self._index, self.slots, 1)
        face = self._face
        if self._stick_end != _NEVER and place >= 0 and face >= 0:
            index = self._index
            if index[4 * face + rec.RANK] == index[4 * place + rec.RANK]:
                return face
        return place

    # Events.

    def _event(self, record, place):
        if self._dwell_end != _NEVER or self._held:
            self._enqueue(record)
        elif place < 0:
            self._show(record.parts, 0, True)
        else:
            self._show(self._slots, place, True)

    def _enqueue(self, record):
        queue = self._queue
        code = record.words[rec.CODE]
        place = find(queue, record.parts, code)
        if place >= 0:
            copy(queue, place, record.parts, 0)
            return
        rank = self._priorities[code] + 1
        place = free(queue[rec.INDEX], queue[rec.COUNT])
        if place < 0:
            place = self._overflow(record, rank)
        if place >= 0:
            put(queue, place, record.parts, rank, 0)
            self._queued += 1

    def _overflow(self, record, rank):
        """The place of the event that gives way; -1 if it is the newcomer."""
        queue = self._queue
        self.dropped += 1
        place = -1
        if queue[rec.COUNT]:
            place = least(queue[rec.INDEX], queue[rec.COUNT])
            if rank < queue[rec.INDEX][4 * place + rec.RANK]:
                place = -1
        if place >= 0:
            record = self._copy
            copy(record.parts, 0, queue, place)
            self._dequeue(place)
        seq = record.seq
        slot = find(self._slots, record.parts, -1)
        if slot >= 0:
            self._settle(slot, record.code)
        self._say_gone(seq)
        return place

    def _unqueue(self, record):
        queue = self._queue
        place = find(queue, record.parts, -1)
        while place >= 0:
            self._say_gone(queue[0][rec.WORDS * place + rec.SEQ])
            self._dequeue(place)
            place = find(queue, record.parts, -1)

    def _dequeue(self, place):
        drop(self._queue, place)
        self._queued -= 1

    def _say_gone(self, seq):
        if seq != NO_SEQ and self.on_gone:
            self.on_gone(seq)

    # The face.

    def _caption(self, record):
        """Whether the record says again what is on the face; then its caption is taken over."""
        shown = self._shown
        same = like(shown.parts, 0, record.parts)
        if same & _AGAIN != _AGAIN:
            return False
        if same == _ALL:
            shown.words[rec.SEQ] = record.words[rec.SEQ]
            shown.words[rec.DOUBTED] = 0
        else:
            copy(shown.parts, 0, record.parts, 0)
            if self.on_apply:
                self.on_apply(shown)
        return True

    def _choose(self, again):
        """Brings on the face what is due there; `again`: its session's slot is known to be."""
        if self._dwell_end != _NEVER or self._held:
            return
        if self._queued:
            place = best(self._queue[rec.INDEX], self._queue[rec.COUNT], 0)
            self._dequeue(place)
            self._show(self._queue, place, True)
            return
        place = self._winner()
        if place < 0:
            if self._shown.words[rec.ID_LEN]:
                self._show(self._nobody.parts, 0, False)
        elif again and place == self._face:
            return
        else:
            self._show(self._slots, place, False)

    def _show(self, of, place, event):
        """Brings the record in this place of a table on the face, unless it is there."""
        shown = self._shown.parts
        same = like(of, place, shown)
        if same == _ALL and not event:
            return
        copy(shown, 0, of, place)
        if not same & rec.SESSION:
            self._face = place if of is self._slots else find(self._slots, shown, -1)
            self._stick_end = _NEVER
            if self.sticky_ms and shown[0][rec.ID_LEN]:
                self._stick_end = (self.now + self.sticky_ms) & ticks.MASK
        if not shown[0][rec.ID_LEN]:
            self._dwell_end = _NEVER
        elif event or same & _AGAIN != _AGAIN:
            self._dwell_end = (self.now + self._dwells[shown[0][rec.CODE]]) & ticks.MASK
        if self.on_apply:
            self.on_apply(self._shown)
