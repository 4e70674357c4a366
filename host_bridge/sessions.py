"""The truth about agents' sessions: events in, wire messages out, by rules and a clock.

Agents say when something starts; they are silent when a person interrupts, answers, or pulls
the plug. What an event means comes from adapters; what silence means is decided here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from . import shell
from .adapter import Adapters, Signal, code_of_tool
from .captions import caption
from .config import SessionSettings
from .processes import Processes
from .session import IDLE, LISTENING, NEVER, RUNNING, THINKING, Ask, Session, child_key, short_key
from .shapes import MEANINGS
from .silence import Silence
from .store import Store

PUZZLED, DOWN, HUMMING, CELEBRATE = 11, 12, 27, 33
COUNT_MOST = 64  # most that a count's dial takes

_STARTS = frozenset(("session", "prompt", "tool", "ask", "question", "child"))
_BEGINNINGS = frozenset(("session", "prompt", "child"))
_ENDS = frozenset(("tool_end", "tool_fail"))
_SILENT = frozenset(("note", "idle"))
_ELSEWHERE = _SILENT | {"end", "child_end"}
_OF_CHILDREN = frozenset(("child", "child_end"))
_KEEPS_WAIT = frozenset(("ask", "question", "notice"))
_OF_TOOLS = frozenset(("tool", "tool_end", "tool_fail", "denied"))
_MOST_ASKS = 16


def monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class Sessions:
    """Takes hooks' payloads and gives wire messages to `emit`; never raises for a payload.

    `tick` must be called when `next_deadline` says; `processes` answers about the system.
    """

    def __init__(
        self,
        emit: Callable[[dict[str, Any]], Any],
        settings: SessionSettings | None = None,
        clock: Callable[[], int] = monotonic_ms,
        adapters: Adapters | None = None,
        processes: Processes | None = None,
    ) -> None:
        self._set = settings or SessionSettings()
        self._clock = clock
        self._adapters = adapters or Adapters.load()
        self._store = Store(emit)
        self._silence = Silence(self._store, self._set, processes or Processes())
        self._recent: dict[tuple[Any, ...], int] = {}
        self._handlers: dict[str, Callable[[Session, Signal, int], None]] = {
            means: getattr(self, "_on_" + means) for means in MEANINGS - _ELSEWHERE
        }
        self.ignored = 0  # payloads that no adapter understands

    # What comes in

    def hook(
        self, agent: str, payload: Any, headers: Mapping[str, str], now_ms: int | None = None
    ) -> None:
        """One event of an agent, as its hook sent it."""
        now = self._clock() if now_ms is None else now_ms
        self.tick(now)
        signal = self._adapters.read(agent, payload) if isinstance(payload, dict) else None
        if signal is None:
            self.ignored += 1
        elif not self._is_duplicate(signal, now):
            self._take(signal, _pid(headers), now)

    def _is_duplicate(self, signal: Signal, now: int) -> bool:
        """Two agents that load the same hooks send each event twice."""
        oldest = now - self._set.duplicate_ms
        while self._recent:
            first = next(iter(self._recent))
            if self._recent[first] > oldest:
                break
            del self._recent[first]
        what = signal.tool_id or hash((signal.tool, signal.file, signal.command))
        event = (signal.session, signal.child, signal.event, signal.rule.number, what)
        known = event in self._recent
        if not known:
            self._recent[event] = now
        return known

    def _take(self, signal: Signal, pid: int, now: int) -> None:
        means = signal.rule.means
        if means in _OF_CHILDREN and not signal.child:
            return
        parent = short_key(signal.session)
        key = child_key(parent, signal.child) if signal.child else parent
        session = self._store.sessions.get(key)
        if means in _SILENT:
            if means == "idle" and session and not session.wait:
                session.tools.clear()
                self._silence.age(session, now)
                self._silence.plan(session, now)
        elif means == "end" or means == "child_end":
            self._store.end(key, now)
            if means == "child_end":
                self._child_gone(parent, signal, now)
        elif session or self._may_wake(key, parent, means):
            session = session or self._store.adopt(key, parent if signal.child else "", now)
            self._meet(session, signal, pid, now)
            if not self._is_late(session, signal):
                self._handle(session, signal, now)
            self._silence.plan(session, now)

    def _may_wake(self, key: str, parent: str, means: str) -> bool:
        """What was said to be over begins again; a late word of it does not bring it back."""
        if self._store.is_over(key) or self._store.is_over(parent):
            return means in _BEGINNINGS
        return means in _STARTS or not self._store.has_ended(key)

    def _meet(self, session: Session, signal: Signal, pid: int, now: int) -> None:
        if pid and pid != session.pid:
            session.pid, session.pid_from, session.seen_alive = pid, now, False
        elif pid and now > session.pid_from:  # two hooks of one parent: it is no passing shell
            session.seen_alive = True
        if signal.folder:
            session.folder = hash(signal.folder)
        if signal.transcript and not signal.transcript.startswith(("//", "\\\\")):
            session.transcript = signal.transcript

    def _is_late(self, session: Session, signal: Signal) -> bool:
        """An end without its start, or a word after the turn: it does not wake a session."""
        if session.busy or session.code < 0:
            return False
        if signal.rule.means in _ENDS:
            return _tool_key(signal) not in session.tools
        return signal.rule.late or signal.rule.means == "notice"

    def _handle(self, session: Session, signal: Signal, now: int) -> None:
        session.hears(now)
        parent = self._store.sessions.get(session.parent)
        if parent and parent.final_due is not None:
            parent.final_due = now + self._set.background_ms
            self._silence.plan(parent, now)
        means = signal.rule.means
        if means == "work" and signal.rule.late and session.tools:  # from before the tool started
            return
        if session.asks and means not in _KEEPS_WAIT:
            self._answer(session, signal, now)
        if session.waiting and means in _OF_TOOLS:  # the question stays in sight
            self._note_tool(session, signal)
        else:
            self._handlers[means](session, signal, now)

    def _answer(self, session: Session, signal: Signal, now: int) -> None:
        """Takes away the asks that this event answers: the tool's own, if that can be told,
        else all of them."""
        means = signal.rule.means
        tools = session.tools.keys() - {_tool_key(signal)}
        known = bool(signal.tool) and all(ask.tool for ask in session.asks.values())
        if means not in _OF_TOOLS or not known or (means != "tool" and not tools):
            session.clear_wait()
            return
        own = {_ask_key(signal), session.tools.get(_tool_key(signal))} & session.asks.keys()
        if own:
            session.answer(own, now + self._set.wait_grace_ms)
        elif means == "tool" and session.waiting:  # at once it is a parallel one
            session.clear_wait()

    # What each meaning does

    def _on_session(self, session: Session, signal: Signal, now: int) -> None:
        if signal.rule.continues:
            self._end_continued(session, now)
        self._store.end_children(session, now)
        session.close_turn()
        self._store.show(session, signal.code, now)

    def _end_continued(self, new: Session, now: int) -> None:
        """Ends the session that the new one goes on with: of the same process or, where that
        is unknown, the idle ones of the same folder."""
        for old in list(self._store.sessions.values()):
            if old is new or old.parent:
                continue
            same = old.pid == new.pid if new.pid else old.folder == new.folder and not old.busy
            if same and (new.pid or new.folder):
                self._store.end(old.key, now, certain=False)

    def _on_prompt(self, session: Session, signal: Signal, now: int) -> None:
        if not session.background:
            self._store.end_children(session, now)
        session.tools.clear()
        session.busy = False
        session.person = session.person and signal.rule.machine
        self._begin_turn(session, not signal.rule.machine, now)
        session.prompted = True
        self._store.show(session, signal.code, now)

    def _wake(self, session: Session, now: int) -> None:
        """A turn runs whose prompt was not seen: the bridge came later, or nobody typed one."""
        self._begin_turn(session, not session.prompted, now)

    def _begin_turn(self, session: Session, person: bool, now: int) -> None:
        """A turn whose person was not told of its end yet goes on: its background woke it."""
        session.final_due = None
        if not session.busy and not session.person:
            session.person = person
            session.turn_from = now
        session.busy = True

    def _on_tool(self, session: Session, signal: Signal, now: int) -> None:
        self._wake(session, now)
        self._note_tool(session, signal)
        session.had_tools = True
        session.asked = False
        code = _running_code(signal)
        if code == LISTENING:
            self._ask(session, signal, "question", now)
            return
        if code == CELEBRATE:
            code = self._result(session, now)
        self._store.show(session, code, now, self._caption(signal, code))

    def _on_tool_end(self, session: Session, signal: Signal, now: int) -> None:
        self._close_tool(session, signal)
        self._wake(session, now)
        self._store.show(session, signal.code, now)

    def _on_tool_fail(self, session: Session, signal: Signal, now: int) -> None:
        self._close_tool(session, signal)
        self._wake(session, now)
        code = self._set.tool_failure if signal.code == PUZZLED else signal.code
        if isinstance(code, str):
            self._store.show(session, THINKING, now)
        else:
            self._store.show(session, code, now, self._caption(signal, code))

    def _on_denied(self, session: Session, signal: Signal, now: int) -> None:
        self._close_tool(session, signal)
        self._wake(session, now)
        self._store.show(session, signal.code, now, self._caption(signal, signal.code))

    def _on_work(self, session: Session, signal: Signal, now: int) -> None:
        self._wake(session, now)
        hud = None
        if signal.context is not None and 0 <= signal.context <= 100:
            hud = {"kind": "context", "used": signal.context, "total": 100}
        code = _running_code(signal)
        self._store.show(session, code, now, self._caption(signal, code), hud)

    def _on_child(self, session: Session, signal: Signal, now: int) -> None:
        session.busy = True
        self._store.show(session, signal.code, now)

    def _on_ask(self, session: Session, signal: Signal, now: int) -> None:
        self._wake(session, now)
        session.asked = True
        question = code_of_tool(signal.tool) == LISTENING
        self._ask(session, signal, "question" if question else "permission", now)

    def _on_notice(self, session: Session, signal: Signal, now: int) -> None:
        """Says late that a permission is asked for: by then it may have been answered."""
        answered = session.asked or (session.had_tools and not session.tools)
        if not session.wait and not answered:
            self._wake(session, now)
            self._ask(session, signal, "permission", now, known=False)

    def _on_question(self, session: Session, signal: Signal, now: int) -> None:
        self._wake(session, now)
        if not session.waiting:
            self._ask(session, signal, "question", now, known=False)

    def _on_done(self, session: Session, signal: Signal, now: int) -> None:
        if session.parent:
            self._store.end(session.key, now)
            return
        if signal.rule.machine or (signal.rule.prompted and not session.prompted):
            session.person = False
        self._settle_children(session, signal, now)
        session.close_turn()
        if session.background:
            session.final = signal.final
            self._show_background(session, now)
        else:
            self._store.show(session, self._result(session, now), now)

    def _settle_children(self, session: Session, signal: Signal, now: int) -> None:
        """Counts what still runs when a turn ends, and ends the subagents that do not."""
        if signal.background >= 0:
            session.background, session.work = signal.background, signal.background_work
        else:
            children = self._store.children(session)
            running = sum(bool(child.tools or child.asks) for child in children)
            session.background = session.work = running
        if not session.work:
            self._store.end_children(session, now)

    def _on_fail(self, session: Session, signal: Signal, now: int) -> None:
        self._stop(session, now)
        self._store.show(session, signal.code, now, self._caption(signal, signal.code))

    def _on_stopped(self, session: Session, signal: Signal, now: int) -> None:
        self._stop(session, now)
        self._store.show(session, signal.code, now)

    def _stop(self, session: Session, now: int) -> None:
        if not session.background:
            self._store.end_children(session, now)
        session.person = False
        session.close_turn()

    # Parts of them

    def _note_tool(self, session: Session, signal: Signal) -> None:
        if signal.rule.means == "tool":
            session.tools[_tool_key(signal)] = _ask_key(signal)
        else:
            self._close_tool(session, signal)

    def _close_tool(self, session: Session, signal: Signal) -> None:
        if signal.rule.all:
            session.tools.clear()
        else:
            session.tools.pop(_tool_key(signal), None)

    def _result(self, session: Session, now: int) -> int:
        """Code for a turn that reached its end: a celebration only if it means something."""
        asked, session.person = session.person, False
        if session.parent or not asked:
            return IDLE
        last = session.celebrated
        short = now - session.turn_from < self._set.long_turn_ms
        if short or (last is not None and now - last < self._set.celebrate_gap_ms):
            self._store.mark_done(session)
            return IDLE
        session.celebrated = now
        return CELEBRATE

    def _show_background(self, session: Session, now: int) -> None:
        quiet = session.person and session.final and not session.work
        session.final_due = now + self._set.background_ms if quiet else None
        count = session.background
        tips = "" if self._set.captions == "off" else f"{count} in the background"
        hud = {"kind": "count", "value": min(count, COUNT_MOST)}
        self._store.show(session, HUMMING, now, tips, hud)

    def _child_gone(self, parent: str, signal: Signal, now: int) -> None:
        session = self._store.sessions.get(parent)
        if session is None or session.busy or not session.background:
            return
        session.hears(now)
        if signal.background >= 0:
            session.background, session.work = signal.background, signal.background_work
        elif session.work:
            session.background -= 1
            session.work -= 1
        if session.background:
            self._show_background(session, now)
        elif session.person and session.final:
            session.final_due = now + self._set.background_ms
        else:
            self._store.show(session, IDLE, now)
        self._silence.plan(session, now)

    def _ask(
        self, session: Session, signal: Signal, kind: str, now: int, known: bool = True
    ) -> None:
        """A person is asked; what can tell by itself that it waits is shown at once."""
        known = known and bool(signal.tool)
        key = _ask_key(signal) if known else 0
        if key in session.asks or len(session.asks) >= _MOST_ASKS:
            return
        code = _running_code(signal, code_of_tool(signal.tool))
        ask = Ask(kind, self._caption(signal, LISTENING), code, known)
        if signal.rule.means == "ask" and kind == "permission":
            if not session.asks:
                session.wait_due = now + self._set.wait_grace_ms
            session.asks[key] = ask
        elif session.waiting:
            session.asks[key] = ask
        else:
            session.asks = {key: ask, **session.asks}
            self._show_wait(session, now)

    def _show_wait(self, session: Session, now: int) -> None:
        session.wait_due = None
        session.look_anew()
        self._store.show(session, LISTENING, now, session.wait.tips if session.wait else "")
        self._give_way(now)

    def _give_way(self, now: int) -> None:
        """A held error has been seen for long enough when somebody else waits for a person."""
        waiting = [s for s in self._store.sessions.values() if s.waiting]
        for session in self._store.sessions.values() if waiting else ():
            held = session.held_from
            if held is None or now - held < self._set.give_way_ms:
                continue
            if any(other is not session for other in waiting):
                self._store.show(session, DOWN, now, session.tips)
                self._silence.plan(session, now)

    def _caption(self, signal: Signal, code: int) -> str:
        return caption(signal, code, self._set.captions)

    def all(self) -> list[Session]:
        """Every session that is known, subagents too."""
        return list(self._store.sessions.values())

    # What time does

    def next_deadline(self, now_ms: int) -> int | None:
        """When `tick` is to be called next; None while nothing waits for a time."""
        due = self._silence.next_due()
        return None if due == NEVER else max(due, now_ms)

    def tick(self, now_ms: int) -> None:
        """Does everything whose time has come."""
        while session := self._silence.pop_due(now_ms):
            self._come_due(session, now_ms)
            self._silence.age(session, now_ms)
            if self._store.sessions.get(session.key) is session:
                self._silence.plan(session, now_ms)
        self._store.forget_ended(now_ms - self._set.touch_ms)

    def _come_due(self, session: Session, now: int) -> None:
        if session.wait_due is not None and session.wait_due <= now:
            self._show_wait(session, now)
        if session.final_due is not None and session.final_due <= now:
            session.final_due = None
            self._store.show(session, self._result(session, now), now)
            if session.background:
                self._show_background(session, now)
        if session.held_from is not None:
            self._give_way(now)


def _tool_key(signal: Signal) -> str:
    return signal.tool_id or "name:" + signal.tool


def _ask_key(signal: Signal) -> int:
    """Tells apart what is asked for, where a request for leave has no id of its call."""
    return hash((signal.tool, signal.file, signal.command))


def _running_code(signal: Signal, code: int | None = None) -> int:
    """Code while the tool runs; a shell's command is looked at once more."""
    code = signal.code if code is None else code
    return shell.look(signal.command).code if code == RUNNING and signal.command else code


def _pid(headers: Mapping[str, str]) -> int:
    text = headers.get("x-aora-pid", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
