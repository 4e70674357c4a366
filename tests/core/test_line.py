"""`line` reads what `normalize(json.loads(line))` reads, or refuses with it."""

import random
import types

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aora.arbiter import Arbiter
from aora.line import Line
from aora.link.writer import Writer
from aora.presence import Presence
from aora.seats import Seats
from aora.talk import Talk
from host_bridge import replay
from tests.core import lines
from tests.core.reference_line import read, reference

_shared = Line()


@settings(max_examples=4000, deadline=None)
@given(lines.lines)
@example(b'{"session_id":"s","aoraBotId":"32","tips":"\\ud83d\\ude00\\u00e9\\u0000"}')
@example(b'{"session_id":"s","aoraBotId":"32","tips":"\\ud83d"}')
@example(b'{"session_id":"s","aoraBotId":"32","x":["\\udc00"]}')
@example(b'{"session_id":"s","aora\\u0042otId":"32"}')
@example(b'{"session_id":-0,"aoraBotId":3e1}')
@example(b'{"session_id":"s","aoraBotId":1e99999999999999999999,"state":"idle"}')
@example(b'{"session_id":"a","session_id":"b","state":"idle","state":"nope"}')
@example(b'{"session_id":"s","aoraBotId":"32","hud":{"kind":"waveform","levels":[0.5,{}]}}')
@example(b'\xef\xbb\xbf{"session_id":"s","state":"idle"}')
@example(b'{"session_id":"s","state":"idle"}\x00')
@example(b'{"session_id":"s","state":"idle","n":NaN}')
def test_same_as_the_standard_library(data):
    assert read(_shared, data) == reference(data)


def test_the_generators_reach_both_sides():
    """Half of all lines or so are accepted: the comparison above is not empty."""
    accepted = []

    @settings(max_examples=300, deadline=None, database=None)
    @given(lines.messages)
    def count(data):
        accepted.append(isinstance(reference(data), dict))

    count()
    assert 0.2 < sum(accepted) / len(accepted) < 0.95


@settings(max_examples=200, deadline=None)
@given(st.lists(lines.messages, min_size=1, max_size=5), st.randoms())
def test_arrival_does_not_matter(messages, chance):
    """Lines are the same whatever lies between them: noise, CR LF, over-long lines."""
    line = Line()
    for data in messages:
        noise = bytes(chance.randrange(11, 256) for _ in range(chance.choice((0, 5, 3000))))
        for byte in noise + b"\n" + data + b"\r":
            line.feed(byte)
        line.feed(0x0A)
        again = Line()
        fresh = read(again, data + b"\r")
        from tests.core.reference_line import told

        assert told(line) == fresh


def test_longest_line():
    frame = b'{"session_id":"s","state":"idle","x":"%s"}'
    fits = frame % (b"x" * (1023 - len(frame) + 2))
    assert len(fits) == 1023
    assert isinstance(read(Line(), fits), dict)
    assert read(Line(), fits + b" ") == "too long"


def malformed(count, seed):
    """Lines that were whole before they were hurt; some may still be right by luck."""
    chance = random.Random(seed)
    good = [
        b'{"session_id":"s1","aoraBotId":"32","tips":"Editing src/app.ts","seq":17}',
        b'{"session_id":"s2","state":"thinking","hud":{"kind":"progress","value":0.375}}',
        b'{"session_id":"s3","agent_id":"claude-code","event":"PreToolUse","tips":"\\u00e9"}',
        b'{"session_id":"s4","aoraBotId":47,"hud":{"kind":"waveform","levels":[0,0.5,1]}}',
    ]
    spice = b'"\\{}[],:-.eE0u\xc3\xed\xf0\x80 \t\r\x00\x03'
    for _ in range(count):
        data = bytearray(chance.choice(good))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            data[at : at + chance.randrange(3)] = bytes([chance.choice(spice)])
        yield bytes(data)


class Desk:
    """Line, arbiter and seats behind the board's own Talk, and all they know as values."""

    ring = 512

    def __init__(self):
        self.line = Line()
        self.out = Writer(4096)
        self.seats = Seats(16)
        self.arbiter = Arbiter(on_slot=self.seats.slot, on_apply=self.seats.face)
        quiet = types.SimpleNamespace(quiet_from=-1, quiet_to=-1)
        presence = Presence(quiet, 0)
        self.talk = Talk(self, self.arbiter, self.seats, presence, quiet, None, "x")

    def take(self, data, now):
        """Whether the line was refused."""
        bad = self.talk.bad
        self.line.load(data)
        self.talk.take(now)
        self.talk.answer()
        while self.out.pending():
            self.out.drop()
        return self.talk.bad > bad

    def state(self):
        arbiter = self.arbiter
        records = [arbiter.current(), *arbiter.sessions(), *arbiter.waiting()]
        faces = [(replay.face(record, 0), record.headless, record.seq) for record in records]
        return faces, bytes(self.seats.look), arbiter.evicted, arbiter.dropped


def hurt(count, seed):
    """Feeds malformed lines to a board's talk; a refused one changes nothing and is counted."""
    desk = Desk()
    refused = 0
    before = desk.state()
    for number, data in enumerate(malformed(count, seed)):
        no = desk.take(data, number % 2**29)
        refused += no
        if no and number % 5 == 0:
            assert desk.state() == before, data
        if not no or number % 5 == 4:
            before = desk.state()
        if number % 50 == 0:
            assert no == isinstance(reference(data), str), data
    assert desk.talk.bad == refused
    return refused


def test_malformed_lines_change_nothing():
    assert hurt(10_000, 1) > 5_000
