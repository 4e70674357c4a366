"""What a board was sent: lines it has not acknowledged, and events it has not shown."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from host_bridge import wire
from host_bridge.links.outbox import Entry

SEQS = 1_000_000_000
UNSEEN = 16  # acknowledged events kept until they are shown or gone
QUEUED_MOST_MS = 60_000  # no board's queue keeps an event longer
RING = wire.LINE_BYTES // 4  # bytes of input of a board that does not say

Token = tuple[str, int]


@dataclass
class Sent:
    """A line the board has not acknowledged. `token` is what will: a key and its number."""

    token: Token
    size: int
    at_ms: int
    event: Entry | None = None
    message: dict[str, Any] | None = None


class Flight:
    """At most `ring` bytes are in flight, or one line if it is longer.

    An event is kept beyond its ack, until the board has shown it or says that it never will.
    """

    def __init__(self) -> None:
        self.ring = RING
        self.lost = 0  # events forgotten before the board told what became of them
        self._sent: deque[Sent] = deque()
        self._bytes = 0
        self._unseen: OrderedDict[int, Entry] = OrderedDict()
        self._face: tuple[Any, int] = (None, -1)  # session and code that the board shows

    def has_room(self, size: int) -> bool:
        """Whether a line of so many bytes may go out."""
        return not self._sent or self._bytes + size <= self.ring

    def add(self, sent: Sent) -> None:
        """A line goes out."""
        self._sent.append(sent)
        self._bytes += sent.size

    def oldest_ms(self) -> int | None:
        """When the first unacknowledged line was sent."""
        return self._sent[0].at_ms if self._sent else None

    def wait_from(self, now: int) -> None:
        """Acks are waited for from now on."""
        for sent in self._sent:
            sent.at_ms = now

    def acknowledge(self, token: Token) -> list[Sent]:
        """The lines that this ends. They are acknowledged in order, so all but the last of
        them were lost on the way, they or their acks."""
        if not any(sent.token == token for sent in self._sent):
            return []
        ended = []
        while not ended or ended[-1].token != token:
            sent = self._sent.popleft()
            self._bytes -= sent.size
            ended.append(sent)
            # An event that is on the face has its moment: nothing more will be said of it.
            if sent.event is not None and _what(sent.event) != self._face:
                self._keep(sent.event)
        return ended

    def _keep(self, event: Entry) -> None:
        assert event.seq is not None
        self._unseen[event.seq] = event
        if len(self._unseen) > UNSEEN:
            self._unseen.popitem(last=False)
            self.lost += 1

    def shown(self, session: Any, code: int, newest: Any) -> None:
        """The board shows this; it settles every event like it up to number `newest`."""
        self._face = session, code
        if isinstance(newest, int):
            self._settle(
                lambda event: (
                    _what(event) == self._face and (newest - (event.seq or 0)) % SEQS < SEQS // 2
                )
            )

    def gone(self, seq: Any) -> None:
        """The board will not show this event."""
        self._settle(lambda event: event.seq == seq)

    def expire(self, now: int) -> None:
        """Forgets events that must have had their moment by now."""
        self._settle(lambda event: now - event.line.at_ms >= QUEUED_MOST_MS)

    def _settle(self, settled: Callable[[Entry], bool]) -> None:
        """These events are done with; the ack of some may still be on its way."""
        for seq in [seq for seq, event in self._unseen.items() if settled(event)]:
            del self._unseen[seq]
        for sent in self._sent:
            if sent.event is not None and settled(sent.event):
                sent.event = None

    def events(self) -> list[Entry]:
        """Events that are not settled, oldest first."""
        return [*self._unseen.values(), *(sent.event for sent in self._sent if sent.event)]

    def clear(self) -> None:
        """Nothing is in flight any more."""
        self._sent.clear()
        self._bytes = 0
        self._unseen.clear()
        self._face = (None, -1)


def _what(event: Entry) -> tuple[str, int]:
    return event.line.session, event.line.code


def due_again(events: list[Entry], now: int) -> list[Entry]:
    """What of these events a board ought to hear again, merged as its own queue would.

    Of those too old to be news to it, the newest are enough: they only mark a seat.
    """
    merged = {_what(event): event for event in events}
    kept = list(merged.values())
    old = sum(1 for event in kept if now - event.line.at_ms >= wire.OLD_MS)
    return kept[max(0, old - UNSEEN) :]
