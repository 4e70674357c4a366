"""Merging what waits to be sent, against an arbiter that hears everything."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aora.arbiter import Arbiter
from aora.line import END, TOUCH, UPDATE
from aora.line import Line as Parser
from aora.message import normalize
from host_bridge.links.outbox import MOST, Outbox
from host_bridge.links.serial import candidates, is_candidate
from host_bridge.wire import Line, done, doubt

SESSIONS = st.sampled_from("abc")
CODES = st.sampled_from([2, 31, 32, 33, 34, 35, 38, 40])
MESSAGES = st.one_of(
    st.tuples(SESSIONS, CODES, st.booleans()).map(
        lambda m: {"session_id": m[0], "aoraBotId": m[1], "headless": m[2]}
    ),
    SESSIONS.map(lambda session: {"session_id": session, "end": True}),
    SESSIONS.map(lambda session: {"session_id": session, "touch": True}),
)


def line(message: dict[str, Any]) -> Line:
    return Line(normalize(message)["update"], 0)


def drained(outbox: Outbox) -> list[Line]:
    lines = []
    while len(outbox):
        lines.append(outbox.pop().line)
    return lines


def heard(lines: list[Line]) -> Arbiter:
    arbiter, parser = Arbiter(), Parser()
    for each in lines:
        for byte in each.data:
            parser.feed(byte)
        act = {UPDATE: arbiter.update, END: arbiter.end, TOUCH: arbiter.touch}[parser.parse()]
        act(parser.record, 0)
    return arbiter


def sessions(arbiter: Arbiter) -> dict[bytes, Any]:
    return {bytes(r.id[: r.id_len]): (r.code, r.headless) for r in arbiter.sessions()}


def events(arbiter: Arbiter) -> set[tuple[bytes, int]]:
    """Those that wait, and the one on the face."""
    records = [*arbiter.waiting(), arbiter.current()]
    return {(bytes(r.id[: r.id_len]), r.code) for r in records if r.code in (31, 33, 34, 38)}


@given(st.lists(MESSAGES, max_size=40))
def test_merging_changes_neither_sessions_nor_waiting_events(messages: list[Any]) -> None:
    lines = [line(message) for message in messages]
    outbox = Outbox()
    # The board has heard something before, so that every event has to wait for its moment.
    first = line({"session_id": "z", "state": "listening"})
    for each in lines:
        outbox.add(each)
    merged = drained(outbox)
    assert sessions(heard([first, *merged])) == sessions(heard([first, *lines]))
    assert events(heard([first, *merged])) == events(heard([first, *lines]))


@given(st.lists(MESSAGES, max_size=200))
def test_what_waits_is_bounded_by_the_sessions(messages: list[Any]) -> None:
    outbox = Outbox()
    for message in messages:
        outbox.add(line(message))
    assert len(outbox) <= 3 * (4 + 4)


def test_a_flood_of_sessions_drops_conditions_before_events() -> None:
    outbox = Outbox()
    outbox.add(line({"session_id": "event", "aoraBotId": 34}))
    for number in range(3 * MOST):
        outbox.add(line({"session_id": str(number), "aoraBotId": 32}))
    assert len(outbox) == MOST
    assert outbox.pop().line.session == "event"
    assert outbox.dropped == 0


def test_a_mark_stays_whatever_the_session_says_next() -> None:
    outbox = Outbox()
    for each in (done("a", 0), doubt("a", 0), line({"session_id": "a", "aoraBotId": 2})):
        outbox.add(each)
    assert [each.kind for each in drained(outbox)] == ["done", "update"]


def test_candidates() -> None:
    ports = [
        SimpleNamespace(device="/dev/ttyACM3", serial_number="E66", vid=0x2E8A, pid=0x0005),
        SimpleNamespace(device="/dev/ttyACM0", serial_number="E66", vid=0x2E8A, pid=0x0005),
        SimpleNamespace(device="/dev/ttyUSB0", serial_number=None, vid=0x10C4, pid=0xEA60),
        SimpleNamespace(device="/dev/ttyACM1", serial_number="boot", vid=0x2E8A, pid=0x0003),
        SimpleNamespace(device="/dev/ttyS0", serial_number=None, vid=None, pid=None),
        SimpleNamespace(device="/dev/tty.usbmodem1", serial_number="E66", vid=0x2E8A, pid=0x0005),
    ]
    found = [(port.address, port.key) for port in candidates(ports)]
    assert found == [
        ("/dev/ttyACM0", "E66:0"),
        ("/dev/ttyACM3", "E66:1"),
        ("/dev/ttyUSB0", "/dev/ttyUSB0:0"),
    ]
    assert is_candidate(0x239A, 0x1234)
    assert not is_candidate(0x2E8A, 0x000C)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("cafe\u0301.py", "caf\u00e9.py"),
        ("\x1b[31;1mred\x1b[0m\ttext\n", "red text "),
        ("gnp.\u202etxt\u202c", "gnp.txt"),
        ("e\u0301" * 300, "\u00e9" * 80),
        ("x" * 300, "x" * 160),
    ],
)
def test_a_caption_is_what_a_board_can_draw(said: str, shown: str) -> None:
    update = {"sessionId": "a", "emotionId": "43", "tips": said, "headless": False}
    assert json.loads(Line(update, 0).data)["tips"] == shown
