"""What time does to a session: kept alive, doubted, declared idle, ended with its process."""

from __future__ import annotations

import heapq
import itertools

from .config import SessionSettings
from .processes import Processes
from .session import IDLE, NEVER, RUNNING, SHELL_CODES, Session
from .store import Store

POLL_MS = 1000  # how often a waiting agent's children are looked at
ALIVE_MS = 5000  # how often an agent's process is looked at


class Silence:
    """The rules for a session that says nothing; `plan` sets when to look at it again."""

    def __init__(self, store: Store, rules: SessionSettings, processes: Processes) -> None:
        self._store = store
        self._rules = rules
        self._processes = processes
        self._agenda: list[tuple[int, int, Session]] = []
        self._entries = itertools.count()

    def age(self, session: Session, now: int) -> None:
        """Everything whose time has come, for one session."""
        if self._is_gone(session, now):
            self._store.end(session.key, now)
            return
        if session.waiting:
            self._look_for_answer(session, now)
        if now - session.last >= self._rules.evidence_ms:
            self._fall_silent(session, now)
        elif session.busy and not session.evidence:
            self._listen(session, now)
        lives = session.busy or session.evidence
        if lives and now - session.sent >= self._rules.touch_ms:
            self._store.touch(session, now)
        if not lives and now - session.last >= self._rules.forget_ms:
            self._store.sessions.pop(session.key, None)

    def plan(self, session: Session, now: int) -> None:
        """Sets when the session is to be looked at again."""
        rules = self._rules
        times = [session.last + rules.evidence_ms]
        times += [t for t in (session.wait_due, session.final_due) if t is not None]
        if session.pid:
            late = ALIVE_MS if session.seen_alive else rules.process_ms
            times.append(session.pid_from + late)
        if session.busy or session.evidence:
            times.append(session.sent + rules.touch_ms)
        else:
            times.append(session.last + rules.forget_ms)
        if session.busy and not session.evidence:
            looks = session.doubted + 1
            times.append(session.measured + looks * rules.doubt_ms // 2)
            times.append(session.life + rules.doubt_ms)
            times.append(session.life + rules.silence_ms)
        if session.held_from is not None:
            times.append(session.held_from + rules.give_way_ms)
        if self._may_be_answered(session):
            times.append(session.polled + POLL_MS)
        session.due = min((time for time in times if time > now), default=NEVER)
        self._arm(session)

    def _arm(self, session: Session) -> None:
        """An entry that is too early costs one look; most sessions are heard of before theirs."""
        if session.due < session.armed:
            session.armed = session.due
            heapq.heappush(self._agenda, (session.due, next(self._entries), session))

    def next_due(self) -> int:
        """No session is due before this time."""
        return self._agenda[0][0] if self._agenda else NEVER

    def pop_due(self, now: int) -> Session | None:
        """The next session whose time has come, if there is one."""
        while self._agenda and self._agenda[0][0] <= now:
            at, _, session = heapq.heappop(self._agenda)
            if at != session.armed or self._store.sessions.get(session.key) is not session:
                continue
            session.armed = NEVER
            if session.due <= now:
                return session
            self._arm(session)
        return None

    def _is_gone(self, session: Session, now: int) -> bool:
        """True if the agent's process, once known to live, does so no more.

        What reports is sometimes a shell's child: a shell that ended at once was no agent.
        """
        if not session.pid or now - session.pid_from < self._rules.process_ms:
            return False
        session.pid_from = now
        alive = self._processes.alive(session.pid)
        if not alive and not session.seen_alive:
            session.pid = 0
        session.seen_alive = session.seen_alive or alive is True
        return alive is False and session.seen_alive

    def _may_be_answered(self, session: Session) -> bool:
        wait = session.wait if session.waiting else None
        runs = wait is not None and wait.kind == "permission" and wait.code in SHELL_CODES
        return runs and session.pid > 0 and self._rules.child_process_answers

    def _look_for_answer(self, session: Session, now: int) -> None:
        """A process that the agent starts while it waits for leave says that it was given."""
        if not self._may_be_answered(session):
            return
        if session.baseline is None:
            session.baseline = self._processes.children(session.pid)
            session.polled = now
        elif now - session.polled >= POLL_MS:
            session.polled = now
            started = self._processes.children(session.pid) - session.baseline
            stayed, session.started = started & session.started, started
            if stayed:  # a hook of that moment is gone by the next look
                session.answer(list(session.asks)[:1], now + self._rules.wait_grace_ms)
                session.life = now
                self._store.show(session, RUNNING, now)

    def _listen(self, session: Session, now: int) -> None:
        """Silence of a turn of which nothing else is known."""
        self._measure(session, now)
        silent = now - session.life
        if silent >= self._rules.silence_ms:
            self._fall_silent(session, now)
        elif silent >= self._rules.doubt_ms and not session.doubted:
            self._store.doubt(session)

    def _measure(self, session: Session, now: int) -> None:
        """A transcript that grows is a sign of life."""
        if not session.transcript or now - session.measured < self._rules.doubt_ms // 2:
            return
        before, session.size = session.size, self._processes.size(session.transcript)
        session.measured = now
        if 0 <= before < session.size:
            session.life = now
            if session.doubted:
                self._store.show(session, session.code, now, session.tips, session.hud)

    def _fall_silent(self, session: Session, now: int) -> None:
        session.clear_wait()
        session.close_turn()
        session.background = session.work = 0
        session.person = False
        if session.code != IDLE:
            self._store.show(session, IDLE, now)
