"""The link's state machine against the firmware's own code, in a clock of its own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from aora.message import normalize
from aora.protocol import SETTLE
from host_bridge.links import link as links
from host_bridge.links.link import Link
from host_bridge.preview import Preview
from host_bridge.wire import Line, doubt
from tests.bridge.peer import Peer, Wire


def settled(code: int) -> int:
    """Where a code goes after its moment; the two sides need not have theirs at the same time."""
    return SETTLE[code] if SETTLE[code] < 100 else code


class Desk:
    """A link, its board, and the hub's part in it."""

    def __init__(self, folder: Path, ring: int = 512) -> None:
        self.now = 5_000
        self.preview = Preview(lambda face: None)
        self.preview.tick(self.now)
        self.peer = Peer(folder, self.now, ring)
        self.wire = Wire(self.peer)
        self.states: list[str] = []
        self.told: list[tuple[str, Any]] = []
        self.link = Link(
            "/dev/ttyACM0", self.wire.open_port, self, lambda: self.now, jitter=lambda: 0.5
        )

    def snapshot_for(self, slots: int) -> list[dict[str, Any]]:
        self.preview.tick(self.now)
        return self.preview.snapshot(self.now, slots)

    def link_changed(self, link: Link) -> None:
        self.states.append(link.state)

    def board_says(self, link: Link, kind: str, value: Any) -> None:
        self.told.append((kind, value))

    def say(self, session: str, code: int, **more: Any) -> None:
        line = Line(
            normalize({"session_id": session, "aoraBotId": code, **more})["update"], self.now
        )
        self.preview.feed(line.data, self.now)
        self.link.send(line)

    def run(self, ms: int, step: int = 5) -> None:
        """Lets time pass, bytes flow and timers fire."""
        for _ in range(ms // step):
            self.now += step
            self.preview.tick(self.now)
            self.link.poll()
            self.wire.pass_on(self.link, self.now)

    def cut(self) -> None:
        """The cable comes off."""
        self.wire.there = False
        self.wire.backlog = b""
        self.link.failed("unplugged")

    def plug(self) -> None:
        self.wire.there = True

    def ours(self) -> list[tuple[str, int]]:
        """Each session and its settled code, as the preview has it."""
        rows = self.preview.sessions(self.now)
        return [(row["session_id"], settled(int(row["code"]))) for row in rows]

    def theirs(self) -> list[tuple[str, int]]:
        """The same, as the board has it."""
        records = self.peer.arbiter.sessions()
        return [(bytes(r.id[: r.id_len]).decode(), settled(r.code)) for r in records]

    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.peer.lines]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_link_becomes_live_by_hello_and_snapshot(desk: Desk) -> None:
    desk.say("early", 32, tips="before the board came")
    desk.run(100)
    assert desk.states == ["open", "greeted", "live"]
    assert desk.link.id == "e6614103"
    kinds = [next(iter(line)) for line in desk.sent()]
    assert kinds[:5] == ["hello", "snapshot", "session_id", "snapshot", "get"]
    assert ("settings", desk.peer.settings.values()) in desk.told
    assert desk.peer.applied == [("early", 32)]


def test_what_is_said_is_shown(desk: Desk) -> None:
    desk.run(100)
    desk.say("a", 43, tips="Editing")
    desk.run(20)
    assert desk.peer.applied == [("a", 43)]
    kind, shown = desk.told[-1]
    assert (kind, shown["code"], shown["session_id"]) == ("shown", "43", "a")
    assert desk.link.unsettled() == 0


def test_at_most_a_ring_of_bytes_is_in_flight(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ring=260)
    desk.run(100)
    desk.wire.open = False  # nothing is carried on
    for number in range(50):
        desk.say(f"s{number}", 32, tips="x" * 60)
    assert 0 < len(desk.wire.backlog) <= 260
    desk.wire.open = True
    desk.run(400)
    assert len([line for line in desk.sent() if line.get("aoraBotId") == "32"]) == 50


def test_a_line_longer_than_the_ring_goes_alone(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ring=128)
    desk.run(100)
    desk.wire.open = False
    desk.say("s" * 60, 32, tips="x" * 160)
    desk.say("t", 32)
    assert desk.wire.backlog.count(b"\n") == 1
    desk.wire.open = True
    desk.run(50)
    assert [session for session, _ in desk.peer.applied] == ["s" * 60]
    assert desk.peer.lines[-1].startswith(b'{"session_id":"t"')


def test_a_port_that_takes_little_gets_everything(desk: Desk) -> None:
    desk.run(100)
    desk.wire.room = 7
    desk.say("a", 32, tips="in small pieces")
    for _ in range(30):
        desk.run(5)
        desk.link.writable()
    assert desk.peer.applied == [("a", 32)]


def test_conditions_of_a_session_merge_while_the_window_is_full(desk: Desk) -> None:
    desk.run(100)
    desk.wire.open = False
    for number in range(100):
        desk.say("filler" + "x" * 40 + str(number), 32, tips="x" * 100)
    before = len(desk.peer.lines)
    for number in range(200):
        desk.say("a", 42 + number % 8, tips=str(number))
    desk.wire.open = True
    desk.run(2000)
    mine = [line for line in desk.sent()[before:] if line.get("session_id") == "a"]
    assert [line["tips"] for line in mine] == ["199"]


def test_silence_loses_the_link_and_hello_brings_it_back(desk: Desk) -> None:
    desk.run(100)
    desk.wire.open = False  # the descriptor lives, nobody answers
    desk.run(links.SILENCE_MS + 100)
    assert "lost" in desk.states
    desk.run(1000)
    assert desk.link.state == "live"


def test_pings_keep_a_quiet_link_alive(desk: Desk) -> None:
    desk.run(30_000, step=50)
    assert desk.states == ["open", "greeted", "live"]
    pings = [line for line in desk.sent() if "ping" in line]
    assert 14 <= len(pings) <= 15
    assert all(0 <= line["min"] < 1440 for line in pings)
    assert desk.link.stats["bad"] == 0


def test_delays_grow_while_opening_fails(desk: Desk) -> None:
    desk.wire.there = False
    waits = []
    for _ in range(8):
        desk.now += desk.link.wait_ms(desk.now) or 0
        desk.link.poll()
        waits.append(desk.link.wait_ms(desk.now))
    assert waits == [100, 200, 400, 800, 1000, 1000, 1000, 1000]
    desk.plug()
    desk.run(2000)
    assert desk.link.state == "live"


def test_a_port_without_hello_is_left_alone(desk: Desk) -> None:
    desk.wire.pass_on = lambda link, now: None  # type: ignore[method-assign]
    desk.run(120_000, step=100)
    assert desk.wire.opened == links.SILENT_TRIES
    assert "hello" in desk.link.error
    desk.link.appeared("/dev/ttyACM1")
    desk.run(100)
    assert (desk.link.state, desk.link.address) == ("open", "/dev/ttyACM1")


def test_an_event_acknowledged_but_not_shown_is_sent_again(desk: Desk) -> None:
    desk.run(100)
    desk.say("a", 34)
    desk.say("b", 33, tips="waits for its moment")
    desk.run(50)
    assert desk.link.unsettled() == 1
    desk.peer.arbiter.__init__(on_apply=desk.peer._apply, now=desk.now)  # the board restarts
    desk.cut()
    desk.run(300)
    desk.plug()
    desk.run(4000)
    assert desk.peer.applied[-2:] != [] and ("b", 33) in desk.peer.applied
    assert desk.link.unsettled() == 0


def test_an_event_repeated_on_the_face_is_settled(desk: Desk) -> None:
    desk.run(100)
    for _ in range(3):
        desk.say("a", 34, tips="same")
        desk.run(50)
    assert desk.peer.applied == [("a", 34)]
    assert desk.link.unsettled() == 0


def test_an_event_shown_before_the_loss_is_not_shown_again(desk: Desk) -> None:
    desk.run(100)
    desk.say("a", 33)
    desk.wire.peer.feed(desk.wire.backlog, desk.now)
    desk.wire.backlog = b""
    desk.peer.take()  # ack and shown are lost with the cable
    desk.cut()
    desk.run(2000)
    desk.plug()
    desk.run(5000)
    assert desk.peer.applied.count(("a", 33)) == 1


def test_events_wait_for_the_link_and_conditions_do_not(desk: Desk) -> None:
    desk.run(100)
    desk.cut()
    desk.say("a", 40)
    desk.say("a", 33)
    desk.say("a", 42)
    desk.run(500)
    desk.plug()
    desk.run(6000)
    assert ("a", 33) in desk.peer.applied
    assert desk.peer.applied[-1] == ("a", 42)


def test_a_lost_line_is_made_good(desk: Desk) -> None:
    desk.run(100)
    desk.say("a", 33)
    desk.wire.backlog = b""  # swallowed on the way
    desk.say("b", 40)
    desk.run(5000)
    assert ("a", 33) in desk.peer.applied
    assert desk.link.state == "live"
    assert desk.link.unsettled() == 0


def test_noise_is_counted_and_ignored(desk: Desk) -> None:
    desk.run(100)
    desk.link.received(
        b"MicroPython v1.29 on 2026-10-01\r\n>>> AT+CGMI\r\n\xff\xfe\n[1]\n" + b"[" * 9999
    )
    desk.link.received(b"\n")
    assert desk.link.noise == 5
    desk.say("a", 32)
    desk.run(50)
    assert desk.peer.applied == [("a", 32)]


def test_a_doubt_ends_with_the_next_update(desk: Desk) -> None:
    desk.run(100)
    desk.say("a", 32)
    desk.link.send(doubt("a", desk.now))
    desk.run(50)
    assert desk.sent()[-1]["doubt"] == "a"


def test_release_gives_the_port_up_and_takes_it_back(desk: Desk) -> None:
    desk.run(100)
    desk.link.release(3000)
    assert not desk.wire.open
    desk.run(2900)
    assert not desk.wire.open
    desk.run(300)
    assert desk.link.state == "live"


def test_a_released_board_that_starts_anew_is_left_alone(desk: Desk) -> None:
    desk.run(100)
    desk.link.release(3000)
    desk.link.appeared("/dev/ttyACM1")
    desk.run(2900)
    assert not desk.wire.open
    desk.run(300)
    assert desk.link.state == "live"


def test_a_strange_hello_breaks_nothing(desk: Desk) -> None:
    desk.run(100)
    for hello in ({}, {"slots": "x", "ring": -1, "id": None}, {"ring": 10**9}):
        desk.link.received(json.dumps({"hello": hello}).encode() + b"\n")
    odd = [{"ack": []}, {"gone": {}}, {"shown": 1}, {"pong": None}, {"settings": 3}, {"error": 1}]
    for message in odd:
        desk.link.received(json.dumps(message).encode() + b"\n")
    desk.link.received(b'{"shown":{"code":[],"session_id":{},"seq":"x"},"button":7}\n')
    desk.run(10_000)
    assert desk.link.state == "live"


@pytest.mark.parametrize("seed", range(20))
def test_pulling_the_cable_loses_no_event_and_no_state(tmp_path: Path, seed: int) -> None:
    """Cables come off at random in mid-line while messages flow; both sides agree afterwards."""
    chance = random.Random(seed)
    desk = Desk(tmp_path)
    desk.run(100)
    events: set[tuple[str, int]] = set()
    for _ in range(15):
        for _ in range(chance.randrange(5, 60)):
            if chance.random() < 0.03:
                events.add((f"e{len(events)}", chance.choice([31, 33, 34])))
                desk.say(*max(events, key=lambda event: int(event[0][1:])))
            else:
                desk.say(f"s{chance.randrange(12)}", chance.choice([35, 40, 42, 43, 47]))
            desk.run(5)
        keep = chance.randrange(0, len(desk.wire.backlog) + 1)
        desk.peer.feed(desk.wire.backlog[:keep], desk.now)
        desk.cut()
        desk.run(chance.randrange(0, 400))
        desk.plug()
        desk.run(1000)
        assert desk.link.state == "live"
        assert desk.theirs() == desk.ours()
    desk.run(60_000, step=50)
    assert desk.theirs() == desk.ours()
    assert events <= set(desk.peer.applied) | desk.peer.gone
    assert desk.link.unsettled() == 0
