"""The sessions that are known, and the messages that tell the boards of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aora.protocol import CODES, CONDITION, SETTLE

from .session import HELD, Session

REPEAT_MS = 1000  # the same condition is not sent again within this time
MOST_SESSIONS = 1024


class Store:
    """Sessions by key, subagents among them; every change goes to `emit` as a wire message."""

    def __init__(self, emit: Callable[[dict[str, Any]], Any]) -> None:
        self.emit = emit
        self.sessions: dict[str, Session] = {}
        self._ended: dict[str, tuple[int, bool]] = {}  # when, and whether that is certain

    def adopt(self, key: str, parent: str, now: int) -> Session:
        """A session is known from whatever event of it comes first."""
        if len(self.sessions) >= MOST_SESSIONS:
            oldest = min(self.sessions.values(), key=lambda s: (s.evidence or s.busy, s.last))
            del self.sessions[oldest.key]
        session = self.sessions[key] = Session(key, parent, now)
        self._ended.pop(key, None)
        return session

    def has_ended(self, key: str) -> bool:
        """True for a session that ended a short while ago."""
        return key in self._ended

    def is_over(self, key: str) -> bool:
        """True for a session whose end of a short while ago is certain."""
        return self._ended.get(key, (0, False))[1]

    def forget_ended(self, before: int) -> None:
        """Drops the memory of the sessions that ended before this time."""
        while self._ended:
            first = next(iter(self._ended))
            if self._ended[first][0] >= before:
                break
            del self._ended[first]

    def children(self, session: Session) -> list[Session]:
        """Its subagents."""
        return [s for s in self.sessions.values() if s.parent == session.key]

    def end_children(self, session: Session, now: int) -> None:
        """Subagents end with their parent."""
        for child in self.children(session):
            self.end(child.key, now, certain=False)

    def end(self, key: str, now: int, certain: bool = True) -> None:
        """Ends the session and its subagents; a late word of it will not bring it back."""
        session = self.sessions.pop(key, None)
        if session:
            self.end_children(session, now)
        if session and session.code >= 0:
            self.emit({"session_id": key, "end": True})
        self._ended.pop(key, None)
        self._ended[key] = now, certain

    def show(
        self,
        session: Session,
        code: int,
        now: int,
        tips: str = "",
        hud: dict[str, Any] | None = None,
    ) -> None:
        """Says the session's code and caption, unless just that was said a moment ago."""
        same = (code, tips, hud) == (session.code, session.tips, session.hud)
        repeated = same and SETTLE[code] == CONDITION and now - session.sent < REPEAT_MS
        if repeated and not session.doubted:
            return
        session.code, session.tips, session.hud = code, tips, hud
        session.held_from = now if code in HELD else None
        session.doubted = False
        session.sent = now
        message: dict[str, Any] = {"session_id": session.key, "aoraBotId": CODES[code]}
        if tips:
            message["tips"] = tips
        if hud:
            message["hud"] = hud
        self.emit(message)

    def touch(self, session: Session, now: int) -> None:
        """Keeps the session alive on the boards."""
        session.sent = now
        self.emit({"session_id": session.key, "touch": True})

    def doubt(self, session: Session) -> None:
        """Says that nobody knows whether the session still does what it shows."""
        session.doubted = True
        self.emit({"doubt": session.key})

    def mark_done(self, session: Session) -> None:
        """Says that a turn is done without a word on the face: only the seat shows it."""
        self.emit({"done": session.key})
