"""What host and board say to each other: each line of the link, taken and answered."""

import gc
import json
from array import array

from aora import line
from aora import record as rec
from aora._shim import const, forget
from aora.protocol import CONDITION, SETTLE, STATES
from aora.record import NO_SEQ

OLD_MS = 10000  # an event older than this is only marked on its seat
SILENCE_MS = 2000  # a snapshot that says nothing more is over
_MEMORY = const(16)

_STATE_NAMES = tuple([name.encode() for name in STATES])


class Talk:
    """Reads the link's line into arbiter, seats and settings; writes answers to `link.out`.

    `bad` counts lines that were no message. `restless` is true once something allocated: only
    answer() does.
    """

    def __init__(self, link, arbiter, seats, presence, settings, board, uid):
        self.bad = 0
        self.restless = True
        self.frames = 0
        self._frames_before = 0
        self._ping_at = 0
        self._out = link.out
        self._line = link.line
        self._ring = link.ring
        self._arbiter = arbiter
        self._seats = seats
        self._presence = presence
        self._settings = settings
        self._board = board
        self._uid = uid
        self._snapshot = False
        self._snapshot_at = 0
        # Numbers and sessions of what was shown last, for events that are sent again.
        self._shown_seq = array("i", [NO_SEQ] * _MEMORY)
        self._shown_of = array("i", [0] * _MEMORY)
        self._shown_next = 0
        self._on_set = None
        self._asked = 0  # the kind of a line that waits for answer()

    def on_set(self, callback):
        """Calls back with the names of changed settings."""
        self._on_set = callback

    def take(self, now):
        """Reads a whole line; True for an accepted wire message, which wakes an idle face."""
        kind = self._line.parse()
        if kind == line.REFUSED:
            self.bad += 1
            return False
        self._presence.heard(now)
        if self._snapshot:
            self._snapshot_at = now
        if kind <= line.TOUCH:
            self._wire(kind, now)
            return True
        if kind == line.PING:
            self._ping(now)
        elif kind == line.SNAPSHOT:
            self._snapshots(now)
        elif kind == line.DOUBT:
            record = self._line.record
            self._arbiter.doubt(record)
            self._ack(record.seq)
        else:
            self._asked = kind
        return False

    def tick(self, now):
        """Ends a snapshot that has fallen silent."""
        if self._snapshot and now != self._snapshot_at:
            if (now - self._snapshot_at) & 0x1FFFFFFF >= SILENCE_MS:
                self._end_snapshot(now)

    # Wire messages.

    def _wire(self, kind, now):
        told = self._line
        record = told.record
        if kind == line.UPDATE:
            age = told.integer(line.AGE_MS) if told.fields[line.AGE_MS] else NO_SEQ
            if age == NO_SEQ:
                self._arbiter.update(record, now)
            else:
                self._again(record, age, now)
        elif kind == line.END:
            self._arbiter.end(record, now)
        else:
            self._arbiter.touch(record, now)
        self._ack(record.words[rec.SEQ])

    def _again(self, record, age, now):
        """A message that says how old it is: out of a snapshot, or an event sent again."""
        if self._snapshot or SETTLE[record.code] == CONDITION:
            self._arbiter.restore(record, age, now)
        elif age >= OLD_MS or self._was_shown(record):
            self._seats.recall(record, now)
            if record.seq != NO_SEQ:
                self.gone(record.seq)
        else:
            self._arbiter.update(record, now)

    def _snapshots(self, now):
        told = self._line
        start = told.fields[line.SNAPSHOT_KEY + 1]
        if told.buffer[start] == 0x62:  # begin
            self._snapshot = True
            self._snapshot_at = now
            self._arbiter.begin_snapshot(now)
        elif self._snapshot:
            self._end_snapshot(now)
        self._ack(told.record.seq)

    def _end_snapshot(self, now):
        self._snapshot = False
        self._arbiter.end_snapshot(now)

    # Answers.

    def _ack(self, seq):
        if seq != NO_SEQ:
            self._out.end(b'{"ack":#}\n', seq)

    def gone(self, seq):
        """An event overflowed or was unqueued."""
        self._out.end(b'{"gone":#}\n', seq)

    def shown(self, record):
        """The pixels of this record are out."""
        if record.seq != NO_SEQ:
            place = self._shown_next
            self._shown_seq[place] = record.seq
            self._shown_of[place] = record.words[rec.HASH]
            self._shown_next = (place + 1) % _MEMORY
        out = self._out
        out.text(b'{"shown":{"code":').code(record.code).text(b',"state":"')
        out.text(_STATE_NAMES[record.state]).text(b'","session_id":')
        out.string(record.id, record.id_len).text(b',"seq":')
        seq = record.seq
        out.end(b"null}}\n" if seq == NO_SEQ else b"#}}\n", seq)

    def _was_shown(self, record):
        who = record.words[rec.HASH]
        seq = record.seq
        for i in range(_MEMORY):
            if self._shown_seq[i] == seq and self._shown_of[i] == who:
                return True
        return False

    def button(self, name, press):
        """A button was pressed; both are bytes."""
        out = self._out
        out.text(b'{"button":{"id":"').text(name).text(b'","press":"').text(press)
        out.end(b'"}}\n')

    def _ping(self, now):
        told = self._line
        self._presence.told(told.integer(line.MINUTE), now)
        out = self._out
        number = told.integer(line.PING_KEY)
        out.text(b'{"pong":#' if number >= 0 else b'{"pong":-1', number)
        out.text(b',"stats":{"heap_free":#', _free())
        out.text(b',"bad":#', self.bad)
        out.text(b',"dropped":#', self._arbiter.dropped)
        out.text(b',"evicted":#', self._arbiter.evicted)
        out.text(b',"unsent":#', out.unsent)
        out.end(b',"fps":#}}\n', self._fps(now))

    def _fps(self, now):
        """Whole frames a second since the last ping."""
        elapsed = (now - self._ping_at) & 0x1FFFFFFF
        frames = self.frames - self._frames_before
        self._ping_at = now
        self._frames_before = self.frames
        if not 0 < elapsed < 60000:
            return 0
        return frames * 1000 // elapsed

    # What comes rarely, and may allocate: its code is borrowed.

    def hello(self):
        """Says what this board is."""
        from aora import rare

        answer = rare.hello(
            self._board, self._settings, self._arbiter.slots, self._ring, self._uid
        )
        self._say(answer)
        if self._settings.fell_back:
            self._say({"error": self._settings.fell_back})

    def answer(self):
        """Answers a line of the rare kinds that has just been taken."""
        kind = self._asked
        if kind:
            self._asked = 0
            self.restless = True
            self._rare(kind)

    def _rare(self, kind):
        if kind == line.HELLO:
            self.hello()
            return
        from aora import rare

        seq = self._line.record.seq
        if kind == line.GET:
            self._say({"settings": self._settings.values()})
            return
        if kind == line.SET:
            wrong, names = rare.change(self._settings, self._line)
            if self._on_set and not wrong:
                self._on_set(names)
        else:
            wrong = rare.piece(self._line)
        if wrong:
            self._say({"error": wrong} if seq == NO_SEQ else {"error": wrong, "seq": seq})
        else:
            self._ack(seq)
            forget("rare")

    def _say(self, answer):
        self.restless = True
        self._out.text(json.dumps(answer).encode()).end()
        forget("rare")


def _free():
    return gc.mem_free() if hasattr(gc, "mem_free") else 0
