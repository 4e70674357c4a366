"""Seats: a place of its own for each session, whatever is on the face."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aora.arbiter import Arbiter
from aora.line import END, Line
from aora.protocol import BROKEN, DONE, NEEDS_YOU, NOTHING, REFUSED, WORKING
from aora.seats import EMPTY, KEEP_MS, Seats, seats_for

GONE_MS = 130000


class Desk:
    """An arbiter with seats, told in wire messages."""

    def __init__(self, leds=12):
        self.seats = Seats(leds)
        self.arbiter = Arbiter(on_slot=self.seats.slot, on_apply=self.seats.face)
        self.now = 0

    def tell(self, session, code=None, **more):
        line = Line()
        message = {"session_id": session, **({"aoraBotId": code} if code else {}), **more}
        line.load(json.dumps(message).encode())
        if line.parse() == END:
            self.arbiter.end(line.record, self.now)
        else:
            self.arbiter.update(line.record, self.now)

    def wait(self, ms):
        self.now += ms
        self.arbiter.tick(self.now)
        self.seats.tick(self.now)

    @property
    def look(self):
        return list(self.seats.look)


@pytest.mark.parametrize(
    ("leds", "seats"),
    ((0, (0, 3)), (8, (2, 3)), (12, (4, 3)), (16, (5, 3)), (24, (6, 4)), (60, (15, 4))),
)
def test_a_rings_seats(leds, seats):
    assert seats_for(leds) == seats


def test_seats_are_given_at_first_sight_and_kept():
    desk = Desk()
    for session in "abc":
        desk.tell(session, "32")
    desk.tell("b", "35")
    desk.tell("a", "02")
    assert desk.look == [NOTHING, NEEDS_YOU, WORKING, EMPTY]
    desk.tell("b", end=True)
    desk.tell("d", "44")
    assert desk.look == [NOTHING, WORKING, WORKING, EMPTY]


def test_seats_do_not_obey_the_dwell():
    desk = Desk()
    desk.tell("a", "32")
    desk.tell("a", "35")
    assert desk.arbiter.current().code == 32 and desk.look[0] == NEEDS_YOU


def test_overflow_shares_the_last_seat_and_the_worst_shows():
    desk = Desk(leds=6)
    desk.tell("a", "32")
    desk.tell("b", "32")
    desk.tell("c", "35")
    assert desk.look == [WORKING, NEEDS_YOU]
    desk.tell("c", "02")
    assert desk.look == [WORKING, WORKING]


def test_a_session_that_shares_the_last_seat_is_at_home_there():
    desk = Desk()
    for session in "abcde":
        desk.tell(session, "32")
    desk.tell("e", "35")
    desk.wait(2000)
    assert desk.seats.front == 3
    desk.tell("a", end=True)
    desk.tell("e/x", "34")
    assert desk.look == [EMPTY, WORKING, WORKING, BROKEN]


def test_subagents_sit_with_their_parent():
    desk = Desk()
    desk.tell("a", "30")
    desk.tell("a/x", "35")
    desk.tell("b", "32")
    assert desk.look == [NEEDS_YOU, WORKING, EMPTY, EMPTY]
    desk.tell("a/x", end=True)
    assert desk.look == [WORKING, WORKING, EMPTY, EMPTY]


def test_a_headless_session_has_no_seat():
    desk = Desk()
    desk.tell("a", "32", headless=True)
    assert desk.look == [EMPTY] * 4


@pytest.mark.parametrize(("code", "kind"), (("33", DONE), ("34", BROKEN), ("38", REFUSED)))
def test_news_stay_until_seen_even_when_the_session_is_gone(code, kind):
    desk = Desk()
    desk.tell("a", code)
    assert desk.look[0] == kind
    desk.wait(GONE_MS)
    assert desk.arbiter.sessions() == [] and desk.look[0] == kind
    assert desk.seats.seen() and desk.look[0] == EMPTY
    assert not desk.seats.seen()


def test_seen_while_the_session_lives_leaves_it_quiet():
    desk = Desk()
    desk.tell("a", "34")
    desk.seats.seen()
    assert desk.look[0] == NOTHING


def test_the_next_prompt_counts_as_seen():
    desk = Desk()
    desk.tell("a", "34")
    desk.tell("a", "32")
    assert desk.look[0] == BROKEN
    desk.tell("a", "31")
    assert desk.look[0] == WORKING


def test_another_sessions_prompt_does_not():
    desk = Desk(leds=3)
    desk.tell("a", "34")
    desk.tell("b", "31")
    assert desk.look == [BROKEN]


def test_unseen_news_are_forgotten_after_half_a_day():
    desk = Desk()
    desk.tell("a", "33")
    for _ in range(KEEP_MS // 60000 - 1):
        desk.wait(60000)
    assert desk.look[0] == DONE
    desk.wait(120000)
    assert desk.look[0] == EMPTY


def test_the_front_is_the_seat_on_the_face():
    desk = Desk()
    desk.tell("a", "32")
    desk.tell("b", "32")
    assert desk.seats.front == 0
    desk.wait(1000)
    assert desk.seats.front == 1


def test_a_snapshot_is_no_news_for_a_seat_that_is_known():
    desk = Desk()
    desk.tell("a", "34")
    desk.tell("b", "32")
    desk.seats.seen()
    line = Line()
    line.load(b'{"session_id":"a","aoraBotId":"34"}')
    line.parse()
    desk.arbiter.begin_snapshot(desk.now)
    desk.arbiter.restore(line.record, 5000, desk.now)
    desk.arbiter.end_snapshot(desk.now)
    assert desk.look[1] == EMPTY and desk.look[0] in (NOTHING, BROKEN)


_codes = st.sampled_from(["02", "31", "32", "33", "34", "35", "38", "41"])
_told = st.tuples(st.sampled_from(["a", "b", "c", "a/x", "b/y", "d", "e"]), _codes | st.none())


@given(st.integers(0, 24), st.lists(_told, max_size=60))
def test_seats_never_move_while_held(leds, told):
    desk = Desk(leds)
    places = {}
    for session, code in told:
        desk.tell(session, code, **({} if code else {"end": True}))
        live = {bytes(r.id[: r.id_len]).decode().split("/")[0] for r in desk.arbiter.sessions()}
        places = {name: seat for name, seat in places.items() if name in live}
        for record in desk.arbiter.sessions():
            name = bytes(record.id[: record.id_len]).decode().split("/")[0]
            desk.seats.face(record)
            if desk.seats.front >= 0:
                assert places.setdefault(name, desk.seats.front) == desk.seats.front
                assert desk.look[desk.seats.front] != EMPTY
        assert desk.seats.live() <= max(len(told), 1)
