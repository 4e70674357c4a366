"""What a link has not sent yet, merged as a board's own queue would."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from host_bridge.wire import Line

MOST = 2048  # lines; beyond it the oldest condition goes, or the oldest event


@dataclass
class Entry:
    """A line on its way, numbered once it was sent."""

    line: Line
    seq: int | None = None


class Outbox:
    """Lines in the order they go out.

    An event merges only with one of the same session and code; of a session's conditions the
    newest is kept. What a session says never overtakes what it said before.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._by_session: dict[str, list[int]] = {}
        self._next = 0
        self.dropped = 0  # events

    def __len__(self) -> int:
        return len(self._entries)

    def first(self) -> Entry | None:
        """The next to go out, still inside."""
        return next(iter(self._entries.values()), None)

    def pop(self) -> Entry:
        """Takes the first out."""
        number = next(iter(self._entries))
        entry = self._entries[number]
        self._remove(number)
        return entry

    def add(self, line: Line) -> None:
        """Takes a line in; what it makes needless goes."""
        if line.event:
            self._add_event(line)
        elif line.kind != "touch" or line.session not in self._by_session:
            for number in list(self._by_session.get(line.session, ())):
                if _replaces(line, self._entries[number].line):
                    self._remove(number)
            self._append(Entry(line))
        if len(self._entries) > MOST:
            self._shorten()

    def _add_event(self, line: Line) -> None:
        numbers = self._by_session.get(line.session, [])
        for place, number in enumerate(numbers):
            waiting = self._entries[number].line
            if waiting.event and waiting.code == line.code:
                behind = numbers[place + 1 :]
                break
        else:
            self._append(Entry(line))
            return
        if all(_is_condition(self._entries[other].line) for other in behind):
            for other in behind:
                self._remove(other)
            self._entries[number] = Entry(line)
        else:
            self._remove(number)
            self._append(Entry(line))

    def events(self) -> list[Entry]:
        """The events inside, in order."""
        return [entry for entry in self._entries.values() if entry.line.event]

    def clear(self) -> None:
        """Forgets everything: a snapshot will say it."""
        self._entries.clear()
        self._by_session.clear()

    def _append(self, entry: Entry) -> None:
        self._next += 1
        self._entries[self._next] = entry
        self._by_session.setdefault(entry.line.session, []).append(self._next)

    def _remove(self, number: int) -> None:
        session = self._entries.pop(number).line.session
        numbers = self._by_session[session]
        numbers.remove(number)
        if not numbers:
            del self._by_session[session]

    def _shorten(self) -> None:
        for number, entry in self._entries.items():
            if not entry.line.event:
                self._remove(number)
                return
        self.dropped += 1
        self.pop()


def _is_condition(line: Line) -> bool:
    """True for what an update of the same session makes needless."""
    return not line.event and not line.headless and line.kind in ("update", "touch", "doubt")


def _replaces(new: Line, old: Line) -> bool:
    """True when `old`, which is no event, need not go out any more."""
    if old.event or (new.kind == "done") != (old.kind == "done"):
        return False
    if old.kind == "done" or _is_condition(old):
        return True
    # One that turns headless takes the session's events along: an end does not say the same.
    return (new.headless and old.headless) or old.kind == new.kind == "end"
