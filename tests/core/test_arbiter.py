"""The fixed-memory arbiter against the plain one, and its promises one by one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aora.arbiter import Arbiter
from aora.line import END, TOUCH, UPDATE, Line
from aora.protocol import CODES, STATE_OF, STATES
from host_bridge import replay
from tests.bench.reference import ReferenceArbiter
from tests.conftest import ROOT

REPLAY = ROOT / "host_bridge" / "replay.py"

_sessions = st.sampled_from(["s0", "s0", "s1", "s1", "s2", "s0/x", "L" * 70])
_codes = st.sampled_from([2, 4, 1, 13, 30, 31, 32, 33, 34, 35, 38, 41, 43, 44, 29, 6, 0])
_huds = st.sampled_from(
    [
        None,
        {"kind": "progress", "value": 0.5},
        {"kind": "progress", "value": 0.05},
        {"kind": "count", "value": 3, "total": 8},
    ]
)
_updates = st.fixed_dictionaries(
    {"session_id": _sessions, "aoraBotId": _codes.map(lambda code: CODES[code])},
    optional={"tips": st.sampled_from(["a", "b", "读" * 60]), "headless": st.just(True)},
)
_messages = st.one_of(
    st.tuples(_updates, _huds).map(lambda p: {**p[0], **({"hud": p[1]} if p[1] else {})}),
    st.fixed_dictionaries({"session_id": _sessions, "end": st.just(True)}),
    st.fixed_dictionaries({"session_id": _sessions, "touch": st.just(True)}),
)
_steps = st.sampled_from(
    [0, 0, 0, 1, 10, 100, 100, 500, 899, 900, 901, 1000, 1500, 1600, 2000]
    + [5000, 8000, 20000, 119999, 120000, 400000]
)
_options = st.fixed_dictionaries(
    {},
    optional={
        "min_display_ms": st.sampled_from([0, 1, 100, 900]),
        "by_state": st.sampled_from([{"thinking": 5000}, {"celebrate": 0}]),
        "ttl_ms": st.sampled_from([1, 1000, 20000]),
        "slots": st.integers(1, 5),
        "queue": st.integers(0, 3),
        "priority": st.sampled_from([{"searching": 45}, {"working": 0, "celebrate": 200}]),
        "sticky_ms": st.sampled_from([1, 900, 5000, 8000]),
    },
)
_logs = st.tuples(_options, st.lists(st.tuples(_steps, _messages), min_size=15, max_size=60))


def _timed(steps):
    at = 0
    for step, message in steps:
        at += step
        yield at, message


def _log(log):
    options, steps = log
    lines = [json.dumps({"options": options})] if options else []
    lines += [json.dumps({"at_ms": at, **message}) for at, message in _timed(steps)]
    return "\n".join(lines)


def _shown_by_reference(log):
    options, steps = log
    out = []

    def apply(now, face):
        code = face["code"]
        hud = json.loads(face["hud"]) if face["hud"] else None
        state = STATES[STATE_OF[code]]
        out.append([now, CODES[code], state, face["session"], face["tips"], hud])

    arbiter = ReferenceArbiter(on_apply=apply, **options)
    line = Line()
    at = 0
    for at, message in _timed(steps):
        for byte in json.dumps(message).encode() + b"\n":
            line.feed(byte)
        kind = line.parse()
        record = line.record
        session = bytes(record.id[: record.id_len]).decode()
        if kind == END:
            arbiter.end(session, at)
        elif kind == TOUCH:
            arbiter.touch(session, at)
        else:
            assert kind == UPDATE
            tips = bytes(record.tips[: record.tips_len]).decode() or None
            dial = replay.dial(record.hud) if record.hud.kind else None
            arbiter.update(session, record.code, tips, dial, record.headless, at)
    arbiter.tick(at + replay.TAIL_MS)
    return out, arbiter


def _shown(path, tick_start=0):
    lines = []

    def refuse(number, error):
        raise AssertionError(f"{number}: {error}")

    player = replay.run(path, tick_start, lines.append, refuse)
    assert player
    return lines, (player.arbiter.evicted, player.arbiter.dropped)


@settings(max_examples=600, deadline=None)
@given(_logs, st.integers(0, 2**29 - 1))
def test_same_as_the_plain_one(tmp_path_factory, log, tick_start):
    path = tmp_path_factory.getbasetemp() / "plain.ndjson"
    path.write_text(_log(log))
    lines, counts = _shown(path, tick_start)
    faces = [json.loads(line) for line in lines]
    expected, reference = _shown_by_reference(log)
    keys = ("at_ms", "code", "state", "session_id", "tips", "hud")
    assert [[face[key] for key in keys] for face in faces] == expected
    assert counts == (reference.evicted, reference.dropped)


@settings(max_examples=60, deadline=None)
@given(_logs, st.sampled_from([0, 2**29 - 1, 2**29 - 3000, 2**28]))
def test_same_on_micropython(tmp_path_factory, micropython, log, tick_start):
    path = tmp_path_factory.getbasetemp() / "both.ndjson"
    path.write_text(_log(log))
    assert micropython(REPLAY, path, tick_start).splitlines() == _shown(path, tick_start)[0]


def _record(text):
    line = Line()
    for byte in json.dumps(text).encode() + b"\n":
        line.feed(byte)
    assert line.parse() == UPDATE
    return line.record


@settings(max_examples=200, deadline=None)
@given(_logs, st.integers(1, 700))
def test_asking_often_changes_nothing(log, every):
    """The face does not depend on how often time is asked for."""
    _, steps = log
    faces = []
    for asks in (False, True):
        seen = []
        arbiter = Arbiter(slots=4, queue=2, sticky_ms=2000)
        arbiter.on_apply = lambda r, seen=seen, a=arbiter: seen.append((a.now, r.code, r.id_len))
        now = 0
        for step, message in steps:
            while asks and step > every:
                now, step = now + every, step - every
                arbiter.tick(now)
            now += step
            if "aoraBotId" in message:
                arbiter.update(_record(message), now)
        while asks and now % 300000 > every:
            now += every
            arbiter.tick(now)
        arbiter.tick(now - now % 300000 + 600000)
        faces.append(seen)
    assert faces[0] == faces[1]


def test_deadline_is_when_something_changes():
    arbiter = Arbiter()
    assert arbiter.deadline(0) == -1
    arbiter.update(_record({"session_id": "a", "aoraBotId": "32"}), 0)
    assert arbiter.deadline(0) == 900 and arbiter.deadline(500) == 400
    arbiter.tick(900)
    assert arbiter.deadline(900) == 120000 - 900


def test_current_waits_for_the_dwell_and_resolve_does_not():
    arbiter = Arbiter()
    arbiter.update(_record({"session_id": "a", "aoraBotId": "30"}), 0)
    arbiter.update(_record({"session_id": "b", "aoraBotId": "34", "tips": "Build failed"}), 10)
    assert arbiter.current().code == 30 and arbiter.resolve().code == 34
    arbiter.tick(900)
    assert arbiter.current().code == 34
    assert bytes(arbiter.current().tips[:12]) == b"Build failed"


def test_counts_what_gave_way():
    arbiter = Arbiter(slots=1, queue=1)
    for n, code in enumerate(("34", "34", "38", "32")):
        arbiter.update(_record({"session_id": f"s{n}", "aoraBotId": code}), 0)
    assert (arbiter.evicted, arbiter.dropped) == (3, 1)


def test_says_which_events_are_gone():
    gone = []
    arbiter = Arbiter(queue=1, on_gone=gone.append)
    arbiter.update(_record({"session_id": "a", "aoraBotId": "34", "seq": 1}), 0)
    arbiter.update(_record({"session_id": "b", "aoraBotId": "34", "seq": 2}), 0)
    arbiter.update(_record({"session_id": "c", "aoraBotId": "33", "seq": 3}), 0)
    assert gone == [3]
    arbiter.update(_record({"session_id": "b", "aoraBotId": "30", "headless": True}), 1)
    assert gone == [3, 2]


@pytest.mark.parametrize("options", ({"by_state": {"nope": 1}}, {"priority": {"x": 1}}))
def test_unknown_state_names_are_refused(options):
    with pytest.raises(ValueError, match="no state is called"):
        Arbiter(**options)


def test_a_snapshot_sets_slots_and_queues_nothing():
    shown = []
    arbiter = Arbiter(on_apply=lambda record: shown.append(record.code))
    arbiter.update(_record({"session_id": "old", "aoraBotId": "32"}), 0)
    arbiter.begin_snapshot(1000)
    arbiter.tick(5000)
    arbiter.restore(_record({"session_id": "a", "aoraBotId": "34"}), 119000, 5000)
    arbiter.restore(_record({"session_id": "b", "aoraBotId": "43"}), 0, 5000)
    assert shown == [32]
    arbiter.end_snapshot(5000)
    assert shown == [32, 34]
    arbiter.tick(6500)
    assert shown == [32, 34, 43]
