"""What a board's face should be now: the board's own arbiter, fed the bytes a board gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from aora import ticks
from aora.arbiter import DWELL_MS, SLOTS, Arbiter
from aora.line import END, TOUCH, UPDATE, Line
from aora.protocol import CLASS_OF, CODES, CONDITION, HOLD, PRIORITY, SETTLE
from aora.record import Record
from aora.seats import EMPTY, Seats
from aora.table import problem
from host_bridge import replay

CLASSES = ("nothing", "working", "done", "needs you", "broken", "refused")
MOST_SLOTS = 255  # of a board, as a replay takes them
LEDS = 16  # on the ring of a board that is not there
LONGEST_WAIT_MS = 3_600_000  # ticks wrap: time has to be told now and then


class Preview:
    """An arbiter with its sessions' ages; `on_face` hears of every change of the face."""

    def __init__(self, on_face: Callable[[dict[str, Any]], None], now_ms: int = 0) -> None:
        self._on_face = on_face
        self._line = Line()
        self._leds = LEDS
        self._updated: dict[str, int] = {}
        self._touched: dict[str, int] = {}
        self._since = self._now = now_ms
        self.options = {"min_display_ms": DWELL_MS, "sticky_ms": 0, "slots": SLOTS}
        self._build()

    def _build(self) -> None:
        self._seats = Seats(self._leds, self.options["slots"])
        self._arbiter = Arbiter(
            **self.options,
            on_apply=self._apply,
            on_slot=self._seats.slot,
            now=self._now & ticks.MASK,
        )

    def configure(self, settings: dict[str, Any], slots: int = SLOTS) -> None:
        """Follows a board's settings and size; what is no setting changes nothing."""
        valid = {name: value for name, value in settings.items() if problem(name, value) is None}
        size = (self.options["slots"], self._leds)
        self._leds = valid.get("leds", LEDS) or LEDS
        self.options = {
            "min_display_ms": valid.get("dwell", self.options["min_display_ms"]),
            "sticky_ms": valid.get("sticky_ms", self.options["sticky_ms"]),
            "slots": slots if 0 < slots <= MOST_SLOTS else SLOTS,
        }
        if size != (self.options["slots"], self._leds):
            self._rebuild()
        self._arbiter.sticky_ms = self.options["sticky_ms"]
        self._arbiter.set_dwell(self.options["min_display_ms"])

    def _rebuild(self) -> None:
        before, tick = self._arbiter, self._now & ticks.MASK
        self._build()
        for record in before.sessions():
            age = self._now - self._touched.get(_session(record), self._now)
            self._arbiter.restore(record, age, tick)

    def feed(self, line: bytes, now_ms: int) -> None:
        """Takes a wire message's line as of `now_ms`."""
        self._now = now_ms
        parser = self._line
        for byte in line:
            parser.feed(byte)
        kind, record, tick = parser.parse(), parser.record, now_ms & ticks.MASK
        session = _session(record)
        if kind == UPDATE:
            self._updated[session] = self._touched[session] = now_ms
            self._arbiter.update(record, tick)
        elif kind == TOUCH:
            self._touched[session] = now_ms
            self._arbiter.touch(record, tick)
        elif kind == END:
            self._arbiter.end(record, tick)
        if len(self._updated) > 8 * self._arbiter.slots:
            self._prune()

    def _prune(self) -> None:
        live = {_session(record) for record in self._arbiter.sessions()}
        for ages in (self._updated, self._touched):
            for session in [s for s in ages if s not in live]:
                del ages[session]

    def tick(self, now_ms: int) -> None:
        """Fires what is due."""
        self._now = now_ms
        self._arbiter.tick(now_ms & ticks.MASK)
        self._seats.tick(now_ms & ticks.MASK)

    def wait_ms(self, now_ms: int) -> int:
        """Milliseconds until `tick` has something to do, or ought to be told the time."""
        wait = self._arbiter.deadline(now_ms & ticks.MASK)
        return LONGEST_WAIT_MS if wait < 0 else min(wait, LONGEST_WAIT_MS)

    def _apply(self, record: Record) -> None:
        self._since = self._now
        self._seats.face(record)
        self._on_face(describe(record))

    def seats(self) -> list[str | None]:
        """The class that each seat shows; None for a free one."""
        return [None if look == EMPTY else CLASSES[look] for look in self._seats.look]

    def seen(self) -> None:
        """Somebody looked."""
        self._seats.seen()

    def face(self) -> dict[str, Any]:
        """What is on the face."""
        return describe(self._arbiter.current())

    def face_since(self) -> int:
        """When that came on it, in the hub's milliseconds."""
        return self._since

    def sessions(self, now_ms: int) -> list[dict[str, Any]]:
        """The live sessions, oldest update first."""
        return [self._row(record, now_ms) for record in self._arbiter.sessions()]

    def waiting(self, now_ms: int) -> list[dict[str, Any]]:
        """The events that wait for their moment, in the order they will have it."""
        rows = [self._row(record, now_ms) for record in self._arbiter.waiting()]
        return sorted(rows, key=lambda row: -row["priority"])

    def dwelling(self) -> bool:
        """Whether what is on the face has its least time."""
        return self._arbiter.dwelling()

    def winner(self) -> dict[str, Any]:
        """Who would be on the face if nothing had to be waited for."""
        return describe(self._arbiter.resolve())

    def _row(self, record: Record, now_ms: int) -> dict[str, Any]:
        row = describe(record)
        session = row["session_id"]
        row["age_ms"] = max(0, now_ms - self._updated.get(session, now_ms))
        row["headless"] = record.headless
        row["priority"] = PRIORITY[record.code]
        row["class"] = CLASSES[CLASS_OF[record.code]]
        row["seat"] = None if record.headless else _seat(self._seats, record)
        return row

    def snapshot(self, now_ms: int, slots: int = SLOTS) -> list[dict[str, Any]]:
        """The live sessions as wire messages for a board that has just said hello.

        Events are given as what they settle to; a board gets those it missed on their own.
        """
        return [self._restored(r, now_ms) for r in self._arbiter.sessions()[-slots:]]

    def _restored(self, record: Record, now_ms: int) -> dict[str, Any]:
        session = _session(record)
        message: dict[str, Any] = {"session_id": session, "aoraBotId": CODES[record.code]}
        message["age_ms"] = max(0, now_ms - self._touched.get(session, now_ms))
        if record.headless:
            message["headless"] = True
        row = describe(record)
        settled = SETTLE[record.code]
        if settled < 100:
            return {**message, "aoraBotId": CODES[settled]}
        return {**message, **{key: row[key] for key in ("tips", "hud") if row[key]}}


def _seat(seats: Seats, record: Record) -> int | None:
    """Where a session sits."""
    seat = seats.of(record)
    return seat if seat >= 0 else seats.count - 1


def _session(record: Record) -> str:
    return bytes(record.id[: record.id_len]).decode("utf-8", "replace")


def describe(record: Record) -> dict[str, Any]:
    """A record in replay's words."""
    words = json.loads(replay.face(record, 0))
    del words["at_ms"]
    return words


def is_event(code: int) -> bool:
    """True for a code that is a moment, not a condition."""
    return SETTLE[code] != CONDITION


def is_held(code: int) -> bool:
    """True for an event that stays after its moment."""
    return SETTLE[code] == HOLD
