"""`line` reads what `normalize(json.loads(line))` reads, or refuses with it."""

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aora.line import Line
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


def hurt(count, seed):
    """Feeds malformed lines to a line and an arbiter; each refused one must change nothing."""
    from aora.arbiter import Arbiter
    from aora.line import REFUSED, TOUCH, UPDATE

    line = Line()
    changes = []
    arbiter = Arbiter(on_apply=lambda record: changes.append(record.code))
    refused = 0
    for number, data in enumerate(malformed(count, seed)):
        for byte in data:
            line.feed(byte)
        line.feed(0x0A)
        before = repr(arbiter.sessions()), len(changes)
        kind = line.parse()
        if kind == REFUSED:
            refused += 1
            assert (repr(arbiter.sessions()), len(changes)) == before and line.error
        elif kind == UPDATE:
            arbiter.update(line.record, number % 2**29)
        assert kind <= TOUCH or b'"session_id"' not in data
        if number % 50 == 0:
            expected = reference(data)
            assert (kind == REFUSED or kind > TOUCH) == isinstance(expected, str), data
    return refused


def test_malformed_lines_change_nothing():
    assert hurt(10_000, 1) > 5_000
