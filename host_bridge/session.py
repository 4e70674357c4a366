"""What the bridge knows of one agent's session, or of one of its subagents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

IDLE, THINKING, RUNNING, LISTENING = 2, 30, 44, 35
HELD = (34, 38)
SHELL_CODES = (RUNNING, 45, 49)
PARENT_BYTES = 40
_KEPT_BYTES = 30
_HASH_DIGITS = 9
_SLASH = str.maketrans({"/": "_", "\n": " ", "\r": " "})
NEVER = 1 << 62


class Ask(NamedTuple):
    """A question to a person: `kind` permission or question, `tips` its caption, `code` what
    the asked tool shows when it runs, `tool` False if nobody knows which tool it is about."""

    kind: str
    tips: str
    code: int
    tool: bool


class Session:
    """`busy`: a turn runs. Times are the injected clock's milliseconds, None where unset."""

    __slots__ = (
        "armed",
        "asked",
        "asks",
        "background",
        "baseline",
        "busy",
        "celebrated",
        "code",
        "doubted",
        "due",
        "final",
        "final_due",
        "folder",
        "had_tools",
        "held_from",
        "hud",
        "key",
        "last",
        "life",
        "measured",
        "parent",
        "person",
        "pid",
        "pid_from",
        "polled",
        "prompted",
        "seen_alive",
        "sent",
        "size",
        "started",
        "tips",
        "tools",
        "transcript",
        "turn_from",
        "wait_due",
        "work",
    )

    def __init__(self, key: str, parent: str, now: int) -> None:
        self.key = key
        self.parent = parent  # key of the session whose subagent this is, or ""
        self.code = -1
        self.tips = ""
        self.hud: dict[str, object] | None = None
        self.last = now  # its last event
        self.life = now  # its last sign of life, a growing transcript included
        self.sent = now  # its last message to the boards
        self.due = now
        self.armed = NEVER  # its entry in the agenda
        self.busy = False
        self.turn_from = now
        self.person = False  # a person asked for this turn, and has not been told of its end
        self.prompted = False  # a prompt was seen at least once
        self.celebrated: int | None = None
        self.tools: dict[str, int] = {}  # those that run, with what they would ask for
        self.had_tools = False
        self.asks: dict[int, Ask] = {}  # what a person was asked; the first is waited for
        self.wait_due: int | None = None  # when an open wait is to be shown
        self.asked = False  # a permission was asked for since the last tool started
        self.held_from: int | None = None
        self.background = 0
        self.work = 0  # those of the background that are an agent's own work
        self.final = False
        self.final_due: int | None = None
        self.doubted = False
        self.pid = 0
        self.pid_from = now
        self.seen_alive = False
        self.polled = now
        self.baseline: frozenset[int] | None = None  # the agent's children when the wait began
        self.started: frozenset[int] = frozenset()  # those of the last look that are new
        self.transcript = ""
        self.size = -1
        self.measured = now
        self.folder = 0

    @property
    def evidence(self) -> bool:
        """Something is known to go on, so that silence says nothing."""
        return bool(self.tools or self.asks or self.held_from is not None or self.background)

    @property
    def waiting(self) -> bool:
        """A wait is open and shown."""
        return bool(self.asks) and self.wait_due is None

    @property
    def wait(self) -> Ask | None:
        """What is waited for: people are asked one thing at a time."""
        return next(iter(self.asks.values()), None)

    def hears(self, now: int) -> None:
        """An event came, or something else that shows life."""
        self.last = self.life = self.measured = now
        self.size = -1

    def clear_wait(self) -> None:
        """Whatever was asked is answered."""
        self.answer(list(self.asks), 0)

    def answer(self, asks: Iterable[int], due: int) -> None:
        """These asks are answered; another one that is left is shown at `due`."""
        before = self.wait
        for ask in asks:
            self.asks.pop(ask, None)
        if self.wait is not before:
            self.wait_due = due if self.asks else None
            self.look_anew()

    def look_anew(self) -> None:
        """What the agent's children are is to be found out again."""
        self.baseline = None
        self.started = frozenset()

    def close_turn(self) -> None:
        """Nothing runs any more."""
        self.busy = False
        self.asked = False
        self.tools.clear()
        self.final_due = None


def short_key(session: str) -> str:
    """A session's id for the wire: at most 40 bytes, so that a subagent's part fits behind it;
    a longer one becomes its start and a hash of the whole."""
    text = session.translate(_SLASH)
    raw = text.encode("utf-8", "replace")
    if len(raw) <= PARENT_BYTES:
        return raw.decode()
    digits = hashlib.blake2b(raw).hexdigest()[:_HASH_DIGITS]
    return raw[:_KEPT_BYTES].decode("utf-8", "ignore") + "~" + digits


def child_key(parent: str, child: str) -> str:
    """A subagent's id for the wire."""
    return f"{parent}/{child.translate(_SLASH)}"
