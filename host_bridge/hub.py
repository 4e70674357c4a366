"""The middle of the bridge: every message in, the preview, the boards and the readers out."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Protocol

from aora.message import normalize
from aora.protocol import CLASS_OF, CODE_OF, CODES, STATES
from host_bridge import why, wire
from host_bridge.log import Log
from host_bridge.preview import CLASSES, Preview
from host_bridge.stream import Stream
from host_bridge.wire import Line

RECENT = 50  # messages a page starts with
SOURCES = 256  # sessions whose last event is remembered
SESSIONS_EVERY_S = 0.25
GIVE_WAY_S = 10  # an error gives way to another session's question after this
HELD, ASKING, DOWN = (34, 38), 35, "12"


class Link(Protocol):
    """What the hub needs of a board's link; `screen` where its pixels can be had."""

    screen: Any

    def send(self, line: Line) -> None: ...
    def describe(self) -> dict[str, Any]: ...
    def release(self) -> dict[str, Any] | None: ...
    def press(self, button: str) -> dict[str, Any] | None: ...


def clock_ms() -> int:
    """Milliseconds that never go backwards."""
    return time.monotonic_ns() // 1_000_000


class Hub:
    """One asyncio loop's shared state; `accept` is the only way in."""

    def __init__(
        self,
        log: Log | None = None,
        clock: Callable[[], int] = clock_ms,
        plain: Callable[[str, str], str | None] = lambda agent, event: None,
    ) -> None:
        self.stream = Stream()
        self.links: list[Link] = []
        self.preview = Preview(self._on_face, clock())
        self.recent: deque[str] = deque(maxlen=RECENT)
        self._clock = clock
        self._plain = plain  # the code, or "end", of an event that only an adapter knows
        self._log = log
        self._sources: OrderedDict[str, str] = OrderedDict()
        self._doubts: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0
        self._sessions_timer: asyncio.TimerHandle | None = None
        self._held: dict[str, asyncio.TimerHandle] = {}  # new errors that no hook told
        self._seen_long: set[str] = set()  # those that may give way

    def accept(self, message: Any, source: str = "") -> str | None:
        """Takes a wire message; answers the error text, or None when it was taken."""
        answer = normalize(message)
        if not answer["ok"] and answer["error"] in ("unknown agent_id", "unknown event"):
            answer = normalize(self._translated(message))
        if not answer["ok"]:
            return answer["error"]
        now = self._clock()
        line = Line(answer["update"], now)
        self._doubts.discard(line.session)
        self._remember(line.session, source or _event_of(message))
        self.preview.feed(line.data, now)
        text = line.data[:-1].decode()
        self.recent.append(text)
        self.stream.publish(text)
        if self._log is not None:
            self._log.write(line.data, self.preview.options)
        self._send(line)
        self._arm(now)
        self._sessions_changed()
        if line.kind != "touch":
            self._hold(line, bool(source))
        return None

    def _hold(self, line: Line, hooked: bool) -> None:
        """An error that no hook told, as `aora wrap` does, has nobody else who ends it."""
        self._seen_long.discard(line.session)
        if timer := self._held.pop(line.session, None):
            timer.cancel()
        if line.code in HELD and not hooked and not line.headless:
            loop = asyncio.get_running_loop()
            self._held[line.session] = loop.call_later(GIVE_WAY_S, self._grow_old, line.session)
        elif line.code == ASKING:
            self._give_way()

    def _grow_old(self, session: str) -> None:
        del self._held[session]
        self._seen_long.add(session)
        self._give_way()

    def _give_way(self) -> None:
        """Errors seen for long enough make room while another session waits for a person."""
        rows = {r["session_id"]: r for r in self.sessions()} if self._seen_long else {}
        self._seen_long &= rows.keys()
        asking = {s for s, r in rows.items() if r["code"] == CODES[ASKING] and not r["headless"]}
        for session in sorted(self._seen_long):
            if asking - {session}:
                tips = {"tips": rows[session]["tips"]} if rows[session]["tips"] else {}
                self.accept({"session_id": session, "aoraBotId": DOWN, **tips})

    def _translated(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message with the code that an adapter of the user's has for its event."""
        agent, event = message["agent_id"], message.get("event")
        if not (isinstance(agent, str) and isinstance(event, str)):
            return message
        known = self._plain(agent, event)
        if known is None:
            return message
        return {**message, **({"end": True} if known == "end" else {"aoraBotId": known})}

    def doubt(self, session: str) -> None:
        """Nobody knows any more what this session does; its next update ends that."""
        line = wire.doubt(session, self._clock())
        self._doubts.add(line.session)
        if len(self._doubts) > SOURCES:
            self._doubts.pop()
        self._send(line)

    def mark_done(self, session: str) -> None:
        """This session is done; its seat says so, the face does not."""
        self._send(wire.done(session, self._clock()))

    def _send(self, line: Line) -> None:
        for link in self.links:
            link.send(line)

    def _remember(self, session: str, source: str) -> None:
        self._sources[session] = source
        self._sources.move_to_end(session)
        if len(self._sources) > SOURCES:
            self._sources.popitem(last=False)

    def _arm(self, now: int) -> None:
        """The loop wakes when the preview has something to do, and not before."""
        wait = self.preview.wait_ms(now)
        if wait is None:
            return
        due = now + wait
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._due = due
        self._timer = asyncio.get_running_loop().call_later(wait / 1000, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = self._clock()
        self.preview.tick(now)
        self._arm(now)
        self._sessions_changed()

    def _on_face(self, face: dict[str, Any]) -> None:
        self.stream.publish(face, "face")

    def _sessions_changed(self) -> None:
        """Readers hear of the sessions at most some times a second."""
        if self.stream.readers and self._sessions_timer is None:
            loop = asyncio.get_running_loop()
            self._sessions_timer = loop.call_later(SESSIONS_EVERY_S, self._publish_sessions)

    def _publish_sessions(self) -> None:
        self._sessions_timer = None
        seats = self.preview.seats()
        self.stream.publish({"sessions": self.sessions(), "seats": seats}, "sessions")

    def device_changed(self, device: dict[str, Any]) -> None:
        """A link has something to tell: its state, a button."""
        self.stream.publish(_as_text(device), "device")

    def shown(self, device: str, shown: dict[str, Any]) -> None:
        """A board's pixels show this."""
        self.stream.publish({"device": device, **shown}, "shown")

    def link(self, device: str) -> Link | None:
        """The link of a device, by its id."""
        return next((x for x in self.links if x.describe()["id"] == device), None)

    def devices(self) -> list[dict[str, Any]]:
        """Every board that is known of."""
        return [_as_text(link.describe()) for link in self.links]

    def sessions(self) -> list[dict[str, Any]]:
        """The live sessions, most important first."""
        rows = self.preview.sessions(self._clock())
        for row in rows:
            row["source"] = self._sources.get(row["session_id"], "")
        return rows

    def snapshot(self) -> dict[str, Any]:
        """All that a new reader needs."""
        return {
            "face": self.preview.face(),
            "sessions": self.sessions(),
            "seats": self.preview.seats(),
            "devices": self.devices(),
            "recent": list(self.recent),
        }

    def snapshot_for(self, slots: int) -> list[dict[str, Any]]:
        """The live sessions as wire messages, for a board with so many slots."""
        now = self._clock()
        self.preview.tick(now)
        doubts = [{"doubt": session} for session in self._doubts]
        return self.preview.snapshot(now, slots) + doubts

    def states(self) -> list[dict[str, str]]:
        """Every state, its code and its class."""
        codes = [int(CODE_OF[index]) for index in range(len(STATES))]
        return [
            {"state": state, "code": CODES[code], "class": CLASSES[CLASS_OF[code]]}
            for state, code in zip(STATES, codes, strict=True)
        ]

    def seen(self) -> None:
        """A person looked: what was done or broken is no news any more."""
        self.preview.seen()
        self._sessions_changed()

    def why(self) -> dict[str, Any]:
        """What decided that this face is shown."""
        return why.explain(self.preview, self._sources, self._clock())

    def flush_log(self) -> None:
        """Writes out what is kept of the messages so far."""
        if self._log is not None:
            self._log.flush()

    def close(self) -> None:
        """Stops timers and streams, and writes the log out."""
        for timer in (self._timer, self._sessions_timer, *self._held.values()):
            if timer is not None:
                timer.cancel()
        self.stream.close()
        if self._log is not None:
            self._log.close()


def _as_text(device: dict[str, Any]) -> dict[str, Any]:
    """A device for the wire: the path of its port may have bytes that are no text."""
    return {
        key: value.encode(errors="replace").decode() if isinstance(value, str) else value
        for key, value in device.items()
    }


def _event_of(message: dict[str, Any]) -> str:
    """Where a message says it comes from, for `why`."""
    words = [message.get(key) for key in ("agent_id", "event")]
    return " ".join(word[:40] for word in words if isinstance(word, str))
