"""Many sessions, one face: priority, dwell, queued events and expiry, in fixed memory.

Time is handed in as ticks (see ticks.py). Nothing is allocated after construction.
"""

from array import array

from aora import _scan, ticks
from aora.protocol import CONDITION, HOLD, PRIORITY, SETTLE, STATE_OF, STATES
from aora.record import NO_SEQ, Record

DWELL_MS = 900
DWELL_BY_STATE = {"celebrate": 2000, "alerting": 1500}
TTL_MS = 120000
SLOTS = 16
QUEUE = 16


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


class _Table:
    """Records in places with the arrays that the hot loops search."""

    def __init__(self, count):
        self.count = count
        self.records = [Record() for _ in range(count)]
        self.hashes = array("i", [0] * count)  # 0: free
        self.ranks = array("i", [0] * count)  # priority + 1; 0: free or headless
        self.orders = array("i", range(count))

    def find(self, record, code=-1):
        """The place of this session (and code); -1 for none."""
        wanted = record.hash
        length = record.id_len
        place = _scan.slot_of(self.hashes, self.count, wanted, 0)
        while place >= 0:
            held = self.records[place]
            if held.id_len == length and _scan.same(held.id, record.id, length):
                if code < 0 or held.code == code:
                    return place
            place = _scan.slot_of(self.hashes, self.count, wanted, place + 1)
        return -1

    def free(self):
        return _scan.slot_of(self.hashes, self.count, 0, 0)

    def put(self, place, record, rank):
        """Takes a copy into `place`, as the newest."""
        self.records[place].copy_from(record)
        self.hashes[place] = record.hash
        self.ranks[place] = rank
        if self.orders[place] != self.count - 1:
            _scan.bump(self.orders, self.count, place)

    def drop(self, place):
        self.hashes[place] = 0
        self.ranks[place] = 0


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
        self._slots = _Table(slots)
        self._queue = _Table(queue)
        self._expires = array("i", [0] * slots)
        self._expiry = 0  # no session expires before this
        self._live = 0
        self._shown = Record()
        self._nobody = Record()
        self._face = -1  # the slot of the session on the face
        self.dwelling = False  # what is on the face has its least time
        self._dwell_end = 0
        self._sticking = False
        self._stick_end = 0
        self._held = False

    def set_dwell(self, min_display_ms):
        """Changes the default dwell from now on, milliseconds."""
        for code in range(100):
            if STATES[STATE_OF[code]] not in DWELL_BY_STATE:
                self._dwells[code] = min_display_ms

    # What comes in.

    def update(self, record, now):
        """A session's whole new state; what the record leaves out is cleared."""
        self.tick(now)
        code = record.code
        self._store(record, self.ttl_ms, True)
        if record.headless:
            self._unqueue(record)
        else:
            on_face = self._caption(record)
            if SETTLE[code] != CONDITION and not (on_face and self.dwelling):
                self._event(record)
        self._choose()

    def end(self, record, now):
        """Forgets the record's session."""
        self.tick(now)
        place = self._slots.find(record)
        if place >= 0:
            self._forget(place)
            self._choose()

    def touch(self, record, now):
        """Refreshes the time to live of the record's session, if it is known."""
        self.tick(now)
        place = self._slots.find(record)
        if place >= 0:
            self._expires[place] = ticks.add(self.now, self.ttl_ms)

    def doubt(self, record):
        """There is no evidence of the session's state, until its next word."""
        known = self.find(record)
        if known is not None:
            known.doubted = True
            if known.same_session(self._shown):
                self._shown.doubted = True

    def begin_snapshot(self, now):
        """Empties the slots; the face and the queue stay until `end_snapshot`."""
        self.tick(now)
        place = 0
        while place < self._slots.count:
            if self._slots.hashes[place]:
                self._forget(place)
            place += 1
        self._held = True

    def restore(self, record, age_ms, now):
        """A session out of a snapshot: sets its slot and queues nothing."""
        self.tick(now)
        left = self.ttl_ms - age_ms
        if left > 0:
            self._store(record, left, False)
            self._choose()

    def end_snapshot(self, now):
        self._held = False
        self.tick(now)
        self._choose()

    # What is known.

    def resolve(self):
        """The record that wins by priority, the dwell aside. To be read, not kept."""
        place = self._winner()
        return self._nobody if place < 0 else self._slots.records[place]

    def current(self):
        """The record on the face. To be read, not kept."""
        return self._shown

    def sessions(self):
        """The live sessions' records, oldest update first. For reading off the hot path."""
        slots = self._slots
        used = [place for place in range(slots.count) if slots.hashes[place]]
        return [slots.records[place] for place in sorted(used, key=lambda p: slots.orders[p])]

    def waiting(self):
        """The queued events' records, oldest first. For reading off the hot path."""
        queue = self._queue
        used = [place for place in range(queue.count) if queue.hashes[place]]
        return [queue.records[place] for place in sorted(used, key=lambda p: queue.orders[p])]

    def find(self, record):
        """The live record of this record's session; None for an unknown one."""
        place = self._slots.find(record)
        return None if place < 0 else self._slots.records[place]

    def winner_priority(self):
        """Priority of what `resolve` answers; -1 when nobody is live."""
        place = self._winner()
        return -1 if place < 0 else self._slots.ranks[place] - 1

    def following(self, record):
        """The live visible record after the record's session by slot, itself if it is alone."""
        slots = self._slots
        place = slots.find(record)
        for _ in range(slots.count):
            place = (place + 1) % slots.count
            if slots.ranks[place]:
                return slots.records[place]
        return self._nobody

    # Time.

    def deadline(self, now):
        """Milliseconds until a timer may change something; -1 for never."""
        wait = self._wait()
        if wait < 0:
            return wait
        wait -= ticks.diff(now, self.now)
        return wait if wait > 0 else 0

    def tick(self, now):
        """Fires what is due up to `now`, in order of time."""
        while True:
            ahead = ticks.diff(now, self.now)
            if ahead < 0:
                return
            wait = self._wait()
            if wait < 0 or wait > ahead:
                break
            self.now = ticks.add(self.now, wait)
            self._fire()
        self.now = now

    def _wait(self):
        now = self.now
        wait = -1
        if self._live:
            wait = (self._expiry - now) & ticks.MASK
        if self.dwelling:
            left = (self._dwell_end - now) & ticks.MASK
            if wait < 0 or left < wait:
                wait = left
        if self._sticking:
            left = (self._stick_end - now) & ticks.MASK
            if wait < 0 or left < wait:
                wait = left
        return wait

    def _fire(self):
        now = self.now
        if self._live and now == self._expiry:
            self._expire()
        if self._sticking and now == self._stick_end:
            self._sticking = False
        if self.dwelling and now == self._dwell_end:
            self.dwelling = False
            if self._face >= 0:
                self._settle(self._face, self._shown.code)
        self._choose()

    def _expire(self):
        slots = self._slots
        place = 0
        while place < slots.count:
            if slots.hashes[place] and self._expires[place] == self.now:
                self._forget(place)
            place += 1
        if self._live:
            ahead = _scan.nearest(self._expires, slots.hashes, slots.count, self.now)
            self._expiry = ticks.add(self.now, ahead)

    # Slots.

    def _store(self, record, ttl, fresh):
        slots = self._slots
        rank = 0 if record.headless else self._priorities[record.code] + 1
        place = slots.find(record)
        if place < 0:
            place = self._room(rank)
            if place < 0:
                return
            if record.same_session(self._shown):
                self._face = place
        expiry = ticks.add(self.now, ttl)
        if not self._live or ticks.diff(expiry, self._expiry) < 0:
            self._expiry = expiry
        if not slots.hashes[place]:
            self._live += 1
        self._expires[place] = expiry
        slots.put(place, record, rank)
        if self.on_slot:
            self.on_slot(place, record, self.now, fresh)

    def _room(self, rank):
        """A free slot for a newcomer, by eviction if need be; -1 if it is the least itself."""
        slots = self._slots
        place = slots.free()
        if place >= 0:
            return place
        self.evicted += 1
        place = _scan.least(slots.ranks, slots.orders, slots.count)
        if rank < slots.ranks[place]:
            return -1
        self._forget(place)
        return place

    def _forget(self, place):
        self._slots.drop(place)
        self._live -= 1
        if place == self._face:
            self._face = -1
        if self.on_slot:
            self.on_slot(place, None, self.now, False)

    def _settle(self, place, code):
        """An event has had its moment: its session, if still at it, goes where the table says."""
        record = self._slots.records[place]
        after = SETTLE[code]
        if after == CONDITION or after == HOLD or record.code != code:
            return
        record.code = after
        record.tips_len = 0
        record.hud.clear()
        if not record.headless:
            self._slots.ranks[place] = self._priorities[after] + 1
        if self.on_slot:
            self.on_slot(place, record, self.now, False)

    def _winner(self):
        slots = self._slots
        place = _scan.best(slots.ranks, slots.orders, slots.count, 1)
        face = self._face
        if self._sticking and place >= 0 and face >= 0 and slots.ranks[face] == slots.ranks[place]:
            return face
        return place

    # Events.

    def _event(self, record):
        if self.dwelling or self._held:
            self._enqueue(record)
        else:
            self._show(record, True)

    def _enqueue(self, record):
        queue = self._queue
        place = queue.find(record, record.code)
        if place >= 0:
            queue.records[place].copy_from(record)
            return
        rank = self._priorities[record.code] + 1
        place = queue.free()
        if place < 0:
            place = self._overflow(record, rank)
            if place < 0:
                return
        queue.put(place, record, rank)

    def _overflow(self, record, rank):
        """The place of the event that gives way; -1 if it is the newcomer."""
        queue = self._queue
        self.dropped += 1
        loser = record
        place = -1
        if queue.count:
            place = _scan.least(queue.ranks, queue.orders, queue.count)
            if rank < queue.ranks[place]:
                place = -1
            else:
                loser = queue.records[place]
        slot = self._slots.find(loser)
        if slot >= 0:
            self._settle(slot, loser.code)
        self._say_gone(loser.seq)
        return place

    def _unqueue(self, record):
        queue = self._queue
        place = queue.find(record)
        while place >= 0:
            self._say_gone(queue.records[place].seq)
            queue.drop(place)
            place = queue.find(record)

    def _say_gone(self, seq):
        if seq != NO_SEQ and self.on_gone:
            self.on_gone(seq)

    # The face.

    def _caption(self, record):
        """Whether the record says again what is on the face; then its caption is taken over."""
        shown = self._shown
        if record.code != shown.code or not record.same_session(shown):
            return False
        shown.seq = record.seq
        shown.doubted = False
        if not record.same_caption(shown):
            shown.copy_caption(record)
            if self.on_apply:
                self.on_apply(shown)
        return True

    def _choose(self):
        if self.dwelling or self._held:
            return
        queue = self._queue
        place = _scan.best(queue.ranks, queue.orders, queue.count, 0)
        if place >= 0:
            queue.drop(place)
            self._show(queue.records[place], True)
            return
        place = self._winner()
        shown = self._shown
        if place < 0:
            if shown.id_len:
                self._show(self._nobody, False)
            return
        record = self._slots.records[place]
        if place != self._face or record.code != shown.code or not record.same_caption(shown):
            self._show(record, False)

    def _show(self, record, event):
        shown = self._shown
        again = record.same_session(shown)
        restarts = event or not again or record.code != shown.code
        shown.copy_from(record)
        if not again:
            self._face = self._slots.find(record) if record.id_len else -1
            self._sticking = self.sticky_ms > 0 and record.id_len > 0
            self._stick_end = ticks.add(self.now, self.sticky_ms)
        if not record.id_len:
            self.dwelling = False
        elif restarts:
            self.dwelling = True
            self._dwell_end = ticks.add(self.now, self._dwells[record.code])
        if self.on_apply:
            self.on_apply(shown)
