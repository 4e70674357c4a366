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
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from aora.protocol import code_of
from host_bridge import wire
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
QUEUED_MOST_MS = 60_000  # no board's queue keeps an event longer
UNSEEN = 16  # acknowledged events kept until they are shown or gone
INPUT_BYTES = 8192
SEQS = 1_000_000_000
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
class _Sent:
    """A line the board has not acknowledged. `token` is what will: a key and its number."""

    token: tuple[str, int]
    size: int
    at_ms: int
    entry: Entry | None = None
    message: dict[str, Any] | None = None


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
    lost: int = 0  # events forgotten before the board told what became of them
    losses: int = 0

    def __post_init__(self) -> None:
        now = self.clock()
        self._port: Port | None = None
        self._outbox = Outbox()
        self._again: deque[Entry] = deque()  # events from before the last hello
        self._control: deque[dict[str, Any]] = deque()
        self._sent: deque[_Sent] = deque()
        self._sent_bytes = 0
        self._unseen: OrderedDict[int, Entry] = OrderedDict()
        self._face: tuple[Any, int] = (None, -1)  # session and code that the board shows
        self._unwritten = b""
        self._input = b""
        self._seq = now % SEQS
        self._ping = 0
        self._failures = 0
        self._silent = 0
        self._next_ms = now  # when to open, or to ask for hello again
        self._opened_ms = self._heard_ms = self._ping_ms = now

    # What is known.

    @property
    def id(self) -> str:
        """The board's own id; its port until it has said hello."""
        return str(self.hello.get("id") or self.address.rsplit("/", 1)[-1])

    def describe(self) -> dict[str, Any]:
        """The device for /healthz and the page."""
        known = {key: self.hello[key] for key in _TOLD if key in self.hello}
        return {
            "id": self.id,
            "board": self.hello.get("board", ""),
            "port": self.address,
            "link": self.state,
            **known,
            **(self.screen.describe() if self.screen else {}),
            "waiting": self.unsettled(),
            "lost": self.lost + self._outbox.dropped,
            "stats": self.stats,
            **({"error": self.error} if self.error else {}),
        }

    def unsettled(self) -> int:
        """Events that are neither shown nor gone as far as the board has told."""
        flying = sum(1 for sent in self._sent if sent.entry and sent.entry.line.event)
        return flying + len(self._unseen) + len(self._again) + len(self._outbox.events())

    # Time.

    def wait_ms(self, now: int) -> int | None:
        """Milliseconds until `poll` has something to do; None for never."""
        due = self._due()
        return None if due is None else max(0, due - now)

    def _due(self) -> int | None:
        if self._port is None:
            given_up = self._silent >= SILENT_TRIES and not self.patient
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
        if self._sent and now - self._sent[0].at_ms >= ACK_MS:
            self._greet_again(now)
        self._forget(lambda entry: now - entry.line.at_ms >= QUEUED_MOST_MS)
        self._ping_ms = now
        self._ping = (self._ping + 1) % SEQS
        clock = datetime.now()
        line = wire.dump({"ping": self._ping, "min": clock.hour * 60 + clock.minute})
        if self._has_room(len(line)):
            self._write(line, _Sent(("pong", self._ping), len(line), now))

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
        self._transmit(b'{"hello":true}\n')

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
        flying = [sent.entry for sent in self._sent if sent.entry and sent.entry.line.event]
        events = [*self._unseen.values(), *flying, *self._again, *self._outbox.events()]
        self._again = deque(_due_again(events, self.clock()))
        self._face = (None, -1)
        self._outbox.clear()
        self._unseen.clear()
        self._sent.clear()
        self._sent_bytes = 0
        self._control.clear()

    def close(self) -> None:
        """Ends the link for good."""
        self._shut()
        self.state = "lost"

    def release(self, ms: int = RELEASE_MS) -> dict[str, Any]:
        """Gives the port up for `ms` milliseconds, so that another program can have it."""
        self._shut()
        self._failures = self._silent = 0
        self._next_ms = self.clock() + ms
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
            self._next_ms = self.clock()
            self._become("found")

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
        self._silent = 0
        self._ground()
        self._become("greeted")
        # Events go out before the snapshot: what they do to the slots, it puts right.
        self._control.append({"snapshot": "begin"})
        self._control.extend(self.owner.snapshot_for(int(self.hello.get("slots", 16))))
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

    def _acknowledge(self, token: tuple[str, int]) -> None:
        """Lines are acknowledged in order: what lies before this one was lost on the way."""
        if not any(sent.token == token for sent in self._sent):
            return
        missing = False
        while (sent := self._sent.popleft()).token != token:
            self._arrived(sent)
            missing = True
        self._arrived(sent)
        if missing:
            self._greet_again(self.clock())

    def _arrived(self, sent: _Sent) -> None:
        self._sent_bytes -= sent.size
        if sent.entry is not None and sent.entry.line.event:
            # One that is on the face already has its moment: nothing more will be said of it.
            if (sent.entry.line.session, sent.entry.line.code) != self._face:
                self._keep_unseen(sent.entry)
        elif sent.message == _SNAPSHOT_ENDS:
            self._failures = 0
            self._become("live")
        elif sent.message is not None and "set" in sent.message:
            self._control.append({"get": True})

    def _keep_unseen(self, entry: Entry) -> None:
        assert entry.seq is not None
        self._unseen[entry.seq] = entry
        if len(self._unseen) > UNSEEN:
            self._unseen.popitem(last=False)
            self.lost += 1

    def _greet_again(self, now: int) -> None:
        """Something was lost: the snapshot after the next hello puts it right."""
        for sent in self._sent:
            sent.at_ms = now
        self._transmit(b'{"hello":true}\n')

    def _on_shown(self, message: dict[str, Any]) -> None:
        shown = message["shown"]
        if not isinstance(shown, dict):
            return
        newest = shown.get("seq")
        self._face = session, code = shown.get("session_id"), code_of(shown.get("code"))
        if isinstance(newest, int):
            self._forget(lambda e: _settles(e, session, code, newest))
        self.owner.board_says(self, "shown", shown)

    def _on_gone(self, message: dict[str, Any]) -> None:
        self._forget(lambda entry: entry.seq == message["gone"])

    def _forget(self, settled: Callable[[Entry], bool]) -> None:
        """These events had their moment or never will; the ack may still be on its way."""
        for seq in [seq for seq, entry in self._unseen.items() if settled(entry)]:
            del self._unseen[seq]
        for sent in self._sent:
            if sent.entry is not None and settled(sent.entry):
                sent.entry = None

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

    def tell(self, message: dict[str, Any]) -> None:
        """A line of the link's own, such as {"set": {...}}, with a seq."""
        if self.state in ("greeted", "live"):
            self._control.append(message)
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
        if not self._has_room(len(line)):
            return False
        self._control.popleft()
        self._seq = seq
        token = _GOT if got else ("ack", seq)
        self._write(line, _Sent(token, len(line), self.clock(), message=message))
        return True

    def _send_entry(self, entry: Entry, take: Callable[[], Any], again: bool = False) -> bool:
        seq = self._following() if entry.seq is None else entry.seq
        age = {"age_ms": min(self.clock() - entry.line.at_ms, SEQS - 1)} if again else {}
        line = entry.line.numbered(**age, seq=seq)
        if not self._has_room(len(line)):
            return False
        take()
        if entry.seq is None:
            self._seq = entry.seq = seq
        # What is too old to be news only marks a seat: it is settled by its ack.
        kept = None if age.get("age_ms", 0) >= wire.OLD_MS else entry
        self._write(line, _Sent(("ack", seq), len(line), self.clock(), kept))
        return True

    def _following(self) -> int:
        return (self._seq + 1) % SEQS

    def _has_room(self, size: int) -> bool:
        ring = int(self.hello.get("ring", wire.LINE_BYTES // 4))
        return not self._sent or self._sent_bytes + size <= ring

    def _write(self, line: bytes, sent: _Sent) -> None:
        self._sent.append(sent)
        self._sent_bytes += sent.size
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


def _settles(entry: Entry, session: Any, code: int, newest: int) -> bool:
    """Whether showing this session's code, as of number `newest`, settles an event."""
    same = entry.line.session == session and entry.line.code == code
    return same and entry.seq is not None and (newest - entry.seq) % SEQS < SEQS // 2


def _due_again(events: list[Entry], now: int) -> list[Entry]:
    """What of these events a board ought to hear again, merged as its own queue would.

    Of those too old to be news to it, the newest are enough: they only mark a seat.
    """
    merged: OrderedDict[tuple[str, int], Entry] = OrderedDict()
    for entry in events:
        merged[entry.line.session, entry.line.code] = entry
    kept = list(merged.values())
    old = sum(1 for entry in kept if now - entry.line.at_ms >= wire.OLD_MS)
    return kept[max(0, old - UNSEEN) :]
