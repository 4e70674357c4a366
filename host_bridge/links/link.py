"""A board's link as a state machine: time and the port are handed in, nothing here waits.

    found -> open -> greeted -> live
      ^                          |
      +--------- lost <----------+

`found`: a port that may be a board. `open`: asked for its hello. `greeted`: gets its snapshot.
`live`: has it. `lost`: closed, tried again after a growing delay. The heartbeat, not the port,
says whether a link lives.
"""

from __future__ import annotations

import errno
import json
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from aora.arbiter import SLOTS
from aora.protocol import code_of
from host_bridge import wire
from host_bridge.links.flight import RING, SEQS, Flight, Sent, Token, due_again
from host_bridge.links.outbox import Entry, Outbox

PING_MS = 2000
SILENCE_MS = 6000  # three pings unanswered
HELLO_EVERY_MS = 1000
HELLO_MS = 8000  # a board that resets when its port opens has to start first
ACK_MS = 3000
RETRY_MS = 100  # doubles with each failure in a row
RETRY_MOST_MS = 10_000
ABSENT_MOST_MS = 1000  # while the port does not exist: looking costs nothing
SILENT_TRIES = 3  # then a port that says no hello is left alone: opening it resets other boards
INPUT_BYTES = 8192
HELLO = b'{"hello":true}\n'
# A board left at MicroPython's prompt is told to start again, if this firmware is on it.
PROMPT = b">>> "
OURS = b'{"aora", "aora.pack"}.intersection(os.listdir())'
START = b"import machine, os; " + OURS + b" and machine.soft_reset()\r\n"
RELEASE_MS = 60_000


class Port(Protocol):
    """An open port. OSError from `write` means that it is gone."""

    def write(self, data: bytes) -> int:
        """How many bytes were taken; never waits."""
        ...

    def close(self) -> None:
        """Lets go of it; never raises."""
        ...


class Owner(Protocol):
    """Whom a link tells, and asks for the snapshot."""

    def snapshot_for(self, slots: int) -> list[dict[str, Any]]: ...
    def link_changed(self, link: Link) -> None: ...
    def board_says(self, link: Link, kind: str, value: Any) -> None: ...


@dataclass
class Link:
    """One port. Drive it with `poll`, `received`, `writable` and `failed`; feed it with `send`."""

    address: str
    open_port: Callable[[Link], Port]
    owner: Owner
    clock: Callable[[], int]
    jitter: Callable[[], float] = random.random
    patient: bool = False  # keep trying a port that never said hello: the user named it
    wake: Callable[[Link], None] = lambda link: None

    state: str = "found"
    error: str = ""
    hello: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    screen: Any = None  # a virtual board's picture and buttons
    noise: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        now = self.clock()
        self._port: Port | None = None
        self._outbox = Outbox()
        self._again: deque[Entry] = deque()  # events from before the last hello
        self._control: deque[dict[str, Any]] = deque()
        self._flight = Flight()
        self._unwritten = b""
        self._input = b""
        self._seq = now % SEQS
        self._ping = 0
        self._failures = 0
        self._silent = 0
        self._next_ms = now  # when to open, or to ask for hello again
        self._opened_ms = self._heard_ms = self._ping_ms = self._released_until = now

    # What is known.

    @property
    def id(self) -> str:
        """The board's own id; its port until it has said hello."""
        return str(self.hello.get("id") or self.address.rsplit("/", 1)[-1])

    @property
    def slots(self) -> int:
        """How many sessions the board can hold."""
        return self._told("slots", SLOTS)

    def _told(self, key: str, default: int) -> int:
        value = self.hello.get(key)
        return value if isinstance(value, int) and value > 0 else default

    def describe(self) -> dict[str, Any]:
        """The device for /healthz and the page."""
        known = {key: self.hello[key] for key in _TOLD if key in self.hello}
        return {
            "id": self.id,
            "name": self.settings.get("name") or self.hello.get("name", ""),
            "board": self.hello.get("board", ""),
            "port": self.address,
            "link": self.state,
            **known,
            **(self.screen.describe() if self.screen else {}),
            "waiting": self.unsettled(),
            "lost": self._flight.lost + self._outbox.dropped,
            "stats": self.stats,
            **({"error": self.error} if self.error else {}),
        }

    def unsettled(self) -> int:
        """Events that are neither shown nor gone as far as the board has told."""
        return len(self._events())

    def _events(self) -> list[Entry]:
        return [*self._flight.events(), *self._again, *self._outbox.events()]

    # Time.

    def wait_ms(self, now: int) -> int | None:
        """Milliseconds until `poll` has something to do; None for never."""
        due = self._due()
        return None if due is None else max(0, due - now)

    def _due(self) -> int | None:
        if self._port is None:
            given_up = self._silent >= SILENT_TRIES and not (self.patient or self.hello)
            return None if given_up and self.state == "lost" else self._next_ms
        if self.state == "open":
            return min(self._next_ms, self._opened_ms + HELLO_MS)
        return min(self._ping_ms + PING_MS, self._heard_ms + SILENCE_MS)

    def poll(self) -> None:
        """Does what is due."""
        now = self.clock()
        due = self._due()
        if due is None or due > now:
            return
        if self._port is None:
            self._open(now)
        elif self.state == "open":
            if now - self._opened_ms >= HELLO_MS:
                self._silent += 1
                self._lose("it says no hello: is the firmware on it?")
            else:
                self._ask_hello(now)
        elif now - self._heard_ms >= SILENCE_MS:
            self._lose("no answer")
        else:
            self._keep_alive(now)

    def _keep_alive(self, now: int) -> None:
        oldest = self._flight.oldest_ms()
        if oldest is not None and now - oldest >= ACK_MS:
            self._greet_again(now)
        self._flight.expire(now)
        self._ping_ms = now
        self._ping = (self._ping + 1) % SEQS
        clock = datetime.now()
        line = wire.dump({"ping": self._ping, "min": clock.hour * 60 + clock.minute})
        if self._flight.has_room(len(line)):
            self._write(line, Sent(("pong", self._ping), len(line), now))

    # Opening and losing.

    def _open(self, now: int) -> None:
        try:
            self._port = self.open_port(self)
        except OSError as error:
            absent = error.errno == errno.ENOENT
            self._retry(now, ABSENT_MOST_MS if absent else RETRY_MOST_MS)
            self._become("lost" if self.losses else "found", error.strerror or str(error))
            return
        self._opened_ms = self._heard_ms = now
        self._input = self._unwritten = b""
        self._become("open")
        self._ask_hello(now)

    def _ask_hello(self, now: int) -> None:
        self._next_ms = now + HELLO_EVERY_MS
        self._greet()

    def _greet(self) -> None:
        self._transmit(START if self._input.endswith(PROMPT) else HELLO)

    def failed(self, reason: str) -> None:
        """The port is gone."""
        if self._port is not None:
            self._lose(reason)

    def _lose(self, reason: str) -> None:
        self._shut()
        self.losses += 1
        self._retry(self.clock(), RETRY_MOST_MS)
        self._become("lost", reason)

    def _retry(self, now: int, most: int) -> None:
        delay = min(RETRY_MS << min(self._failures, 10), most)
        self._failures += 1
        self._next_ms = now + int(delay * (0.75 + self.jitter() / 2))

    def _shut(self) -> None:
        """Closes the port; events under way wait for the next snapshot."""
        if self._port is not None:
            self._port.close()
            self._port = None
        self._ground()

    def _ground(self) -> None:
        """Nothing is in flight any more: every event that was not shown waits again."""
        self._again = deque(due_again(self._events(), self.clock()))
        self._flight.clear()
        self._outbox.clear()
        self._control.clear()

    def close(self) -> None:
        """Ends the link for good."""
        self._shut()
        self.state = "lost"

    def release(self, ms: int = RELEASE_MS) -> dict[str, Any]:
        """Gives the port up for `ms` milliseconds, so that another program can have it."""
        self._shut()
        self._failures = self._silent = 0
        self._next_ms = self._released_until = self.clock() + ms
        self._become("found", "released" if ms else "")
        return {"port": self.address, "released_ms": ms}

    def press(self, button: str) -> dict[str, Any] | None:
        """Presses a virtual board's button; None where there is none."""
        return self.screen.press(button) if self.screen else None

    def appeared(self, address: str) -> None:
        """The system sees the board's port (again), perhaps under another name."""
        if self._port is None or address != self.address:
            self._shut()
            self.address = address
            self._failures = self._silent = 0
            self._next_ms = max(self.clock(), self._released_until)
            self._become("found", self.error)

    def _become(self, state: str, error: str = "") -> None:
        changed = (state, error) != (self.state, self.error)
        self.state, self.error = state, error
        if changed:
            self.owner.link_changed(self)
        self.wake(self)

    # What the board says.

    def received(self, data: bytes) -> None:
        """Bytes from the port, however they are cut."""
        lines = (self._input + data).split(b"\n")
        self._input = lines.pop()[-INPUT_BYTES:]
        for line in lines:
            self._take(line)
        self._pump()

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self.noise += bool(line.strip())
            return
        self._heard_ms = self.clock()
        for kind, act in _ACTS.items():
            if kind in message:
                act(self, message)

    def _on_hello(self, message: dict[str, Any]) -> None:
        if not isinstance(message["hello"], dict) or self._port is None:
            return
        self.hello = message["hello"]
        self._flight.ring = self._told("ring", RING)
        self._silent = 0
        self._ground()
        self._become("greeted")
        # Events go out before the snapshot: what they do to the slots, it puts right.
        self._control.append({"snapshot": "begin"})
        self._control.extend(self.owner.snapshot_for(self.slots))
        self._control.append(_SNAPSHOT_ENDS)
        self._control.append({"get": True})

    def _on_ack(self, message: dict[str, Any]) -> None:
        self._acknowledge(("ack", message["ack"]))

    def _on_pong(self, message: dict[str, Any]) -> None:
        if isinstance(message.get("stats"), dict):
            self.stats = message["stats"]
        self._acknowledge(("pong", message["pong"]))

    def _on_error(self, message: dict[str, Any]) -> None:
        self.owner.board_says(self, "error", message["error"])
        if "seq" in message:
            self._acknowledge(("ack", message["seq"]))

    def _acknowledge(self, token: Token) -> None:
        ended = self._flight.acknowledge(token)
        for sent in ended:
            if sent.message == _SNAPSHOT_ENDS:
                self._failures = 0
                self._become("live")
        if len(ended) > 1:
            self._greet_again(self.clock())

    def _greet_again(self, now: int) -> None:
        """Something was lost: the snapshot after the next hello puts it right."""
        self._flight.wait_from(now)
        self._greet()

    def _on_shown(self, message: dict[str, Any]) -> None:
        shown = message["shown"]
        if isinstance(shown, dict):
            code = code_of(shown.get("code"))
            self._flight.shown(shown.get("session_id"), code, shown.get("seq"))
            self.owner.board_says(self, "shown", shown)

    def _on_gone(self, message: dict[str, Any]) -> None:
        self._flight.gone(message["gone"])

    def _on_settings(self, message: dict[str, Any]) -> None:
        self._acknowledge(_GOT)
        if isinstance(message["settings"], dict):
            self.settings = message["settings"]
            self.owner.board_says(self, "settings", self.settings)

    def _on_button(self, message: dict[str, Any]) -> None:
        self.owner.board_says(self, "button", message["button"])

    # What the board is told.

    def send(self, line: wire.Line) -> None:
        """A message for the board. Without a link only events wait: a snapshot has the rest."""
        if line.event or self.state in ("greeted", "live"):
            self._outbox.add(line)
            self._pump()

    def _pump(self) -> None:
        """Sends what the window has room for."""
        while self.state in ("greeted", "live") and not self._unwritten:
            if self._again:
                sent = self._send_entry(self._again[0], self._again.popleft, again=True)
            elif self._control:
                sent = self._send_control(self._control[0])
            else:
                first = self._outbox.first()
                sent = first is not None and self._send_entry(first, self._outbox.pop)
            if not sent:
                return

    def _send_control(self, message: dict[str, Any]) -> bool:
        # A `get` is answered by the settings, not by an ack.
        got = "get" in message
        seq = self._seq if got else self._following()
        line = wire.dump(message if got else {**message, "seq": seq})
        if not self._flight.has_room(len(line)):
            return False
        self._control.popleft()
        self._seq = seq
        token = _GOT if got else ("ack", seq)
        self._write(line, Sent(token, len(line), self.clock(), message=message))
        return True

    def _send_entry(self, entry: Entry, take: Callable[[], Any], again: bool = False) -> bool:
        seq = self._following() if entry.seq is None else entry.seq
        age = {"age_ms": min(self.clock() - entry.line.at_ms, SEQS - 1)} if again else {}
        line = entry.line.numbered(**age, seq=seq)
        if not self._flight.has_room(len(line)):
            return False
        take()
        if entry.seq is None:
            self._seq = entry.seq = seq
        # What is too old to be news only marks a seat: it is settled by its ack.
        news = entry.line.event and age.get("age_ms", 0) < wire.OLD_MS
        self._write(line, Sent(("ack", seq), len(line), self.clock(), entry if news else None))
        return True

    def _following(self) -> int:
        return (self._seq + 1) % SEQS

    def _write(self, line: bytes, sent: Sent) -> None:
        self._flight.add(sent)
        self._transmit(line)

    def _transmit(self, line: bytes) -> None:
        self._unwritten += line
        self.writable()

    def writable(self) -> None:
        """Goes on writing what the port did not take."""
        if self._port is None:
            return
        try:
            taken = self._port.write(self._unwritten)
        except OSError as error:
            self._lose(error.strerror or str(error))
            return
        self._unwritten = self._unwritten[taken:]


_SNAPSHOT_ENDS = {"snapshot": "end"}
_GOT = ("settings", 0)
_TOLD = ("fw", "runtime", "panel", "leds", "buttons", "slots")
_ACTS: dict[str, Callable[[Link, dict[str, Any]], None]] = {
    "hello": Link._on_hello,
    "ack": Link._on_ack,
    "pong": Link._on_pong,
    "shown": Link._on_shown,
    "gone": Link._on_gone,
    "settings": Link._on_settings,
    "button": Link._on_button,
    "error": Link._on_error,
}
