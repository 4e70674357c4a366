"""Adapters: what an agent's event means, read from a table. No agent's name is in here.

A file names the fields that may be read and has ordered rules; the first rule whose event and
conditions fit decides. `Adapters.read` turns a payload into a `Signal`, or nothing; of the
payload only the signal's fields go any further.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from aora.protocol import CODES, emotion_id_for_state
from aora.tools import state_for_tool

from .rules import AdapterError, Rule, compile_rule, first_text, getter, known, tests_of
from .tables import adapter_files, load, parse

FIELDS = frozenset(
    ("event", "session", "child", "tool", "tool_id")
    + ("file", "command", "folder", "transcript", "final")
)
END = "end"

_MISSHAPEN = (TypeError, AttributeError, KeyError)  # a text where a table belongs, and such
_STATES = 512  # tools whose state is remembered


class Signal(NamedTuple):
    """One event in the words of the rules, with the fields that may be known of it.

    `command`, `file`, `folder`, `transcript` are as sent: for privacy.py and probes only.
    `background` and `background_work` are numbers of running tasks, -1 when not told.
    """

    rule: Rule
    event: str
    session: str
    child: str
    tool: str
    tool_id: str
    code: int
    file: str
    command: str
    folder: str
    transcript: str
    final: bool
    background: int
    background_work: int
    context: float | None


class Adapter:
    """One agent's table, compiled."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.id: str = _text(table, "id")
        self.name: str = _text(table, "name")
        self.hooks: dict[str, Any] = table.get("hooks", {})
        self.names: dict[str, str] = table.get("names", {})
        known(-1, table, "id name fields background parent names hand_over hooks rule")
        fields = _fields(table)
        self.session_paths = _paths(fields["session"])
        self._event = first_text(fields["event"])
        self._texts = tuple(
            first_text(fields.get(name, []))
            for name in ("session", "child", "tool", "tool_id", "file", "command", "folder")
        )
        self._transcript = first_text(fields.get("transcript", []))
        self._final = getter(fields["final"]) if "final" in fields else None
        self._parent = table.get("parent")
        self._background = _background(table.get("background"))
        over = table.get("hand_over", {})
        self._over = tests_of(over.get("when", {}), {}) if over else ()
        self.over_to: str = over.get("to", "")
        self.rules: dict[str, tuple[Rule, ...]] = {}
        for index, entry in enumerate(table.get("rule", [])):
            self._add(index, entry)
        self._check_hooks()

    def _add(self, index: int, entry: dict[str, Any]) -> None:
        known(
            index,
            entry,
            "event when unless means code tips context machine prompted late all continues",
        )
        rule = compile_rule(index, entry)
        events = entry.get("event")
        events = [events] if isinstance(events, str) else events
        if not events or not all(isinstance(event, str) for event in events):
            raise AdapterError(index, "event", "event is a name or a list of names")
        for event in events:
            self.rules[event] = (*self.rules.get(event, ()), rule)

    def _check_hooks(self) -> None:
        for key in ("events", "passive", "async"):
            for event in self.hooks.get(key, []):
                if event not in self.rules:
                    raise AdapterError(-1, key, f"no rule for the event {event}")

    def belongs_elsewhere(self, payload: Mapping[str, Any]) -> bool:
        """True if another adapter (`over_to`) understands this payload."""
        return bool(self._over) and all(test(payload) for test in self._over)

    def plain(self, event: str) -> str | None:
        """Code of an event by name alone (two digits, or "end"); None for no such event."""
        for rule in self.rules.get(event, ()):
            if all(test({}) for test in rule.tests):
                if rule.means in (END, "child_end"):
                    return END
                return CODES[rule.code] if rule.code >= 0 else CODES[32]
        return None

    def read(self, payload: Mapping[str, Any], event: str = "") -> Signal | None:
        """The payload's signal; None for an unknown event or no session."""
        event = self._event(payload) or event
        event = self.names.get(event, event)
        for rule in self.rules.get(event, ()):
            for test in rule.tests:
                if not test(payload):
                    break
            else:
                return self._signal(rule, event, payload)
        return None

    def _signal(self, rule: Rule, event: str, payload: Mapping[str, Any]) -> Signal | None:
        session, child, tool, tool_id, file, command, folder = [t(payload) for t in self._texts]
        transcript = self._transcript(payload)
        if self._parent and not child:
            session, child = _below_parent(self._parent["folder"], session, transcript)
        if not session:
            return None
        final = self._final is not None and bool(self._final(payload))
        running, work = self._background(payload) if rule.means in _COUNTS else (-1, -1)
        context = rule.context(payload) if rule.context else None
        return Signal(
            rule=rule,
            event=event,
            session=session,
            child=child,
            tool=tool,
            tool_id=tool_id,
            code=rule.code if rule.code >= 0 else code_of_tool(tool),
            file=file,
            command=command,
            folder=folder,
            transcript=transcript,
            final=final,
            background=running,
            background_work=work,
            context=context if type(context) in (int, float) else None,
        )


_COUNTS = ("done", "child_end")


def _below_parent(folder: str, session: str, transcript: str) -> tuple[str, str]:
    """(parent, child) of a helper whose transcript lies in `folder` below its parent's."""
    parts = re.split(r"[/\\]", transcript)
    if folder in parts[1:]:
        parent = parts[parts.index(folder, 1) - 1]
        if parent and parent != session:
            return parent, session
    return session, ""


def _background(table: Any) -> Callable[[Mapping[str, Any]], tuple[int, int]]:
    """Function that counts (tasks that run, those of them that are an agent's own work)."""
    if not table:
        return lambda payload: (-1, -1)
    get, running, work = getter(table["list"]), table["status"], table["work"]

    def count(payload: Mapping[str, Any]) -> tuple[int, int]:
        tasks = get(payload)
        if not isinstance(tasks, list):
            return -1, -1
        kinds = [
            task.get("type") if isinstance(task, dict) else None
            for task in tasks
            if not isinstance(task, dict) or task.get("status", running[0]) in running
        ]
        return len(kinds), sum(kind in work for kind in kinds)

    return count


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise AdapterError(-1, key, f"{key} is missing")
    return value


def _fields(table: dict[str, Any]) -> dict[str, Any]:
    fields = table.get("fields", {})
    for key, value in fields.items():
        if key not in FIELDS:
            names = " ".join(sorted(FIELDS))
            raise AdapterError(-1, key, f"unknown field {key}; there are: {names}")
        if not all(isinstance(path, str) and path for path in _paths(value)):
            raise AdapterError(-1, key, f"{key} is a path or a list of paths")
    for key in ("event", "session"):
        if not fields.get(key):
            raise AdapterError(-1, "fields", f"fields has no {key}")
    return fields


def _paths(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_tool_codes: dict[str, int] = {}


def code_of_tool(tool: str) -> int:
    """Code of the state for a tool's name."""
    code = _tool_codes.get(tool)
    if code is None:
        code = int(emotion_id_for_state(state_for_tool(tool)) or 32)
        if len(_tool_codes) < _STATES:
            _tool_codes[tool] = code
    return code


class Adapters:
    """All adapters that there are, by id."""

    def __init__(self, adapters: list[Adapter]) -> None:
        self.by_id = {adapter.id: adapter for adapter in adapters}

    @classmethod
    def load(cls, home: Path | None = None) -> Adapters:
        """The package's adapters and those in `home`/adapters; a broken one of the user's
        is left out and kept in `broken`."""
        found, broken = [], []
        for path in adapter_files(home):
            try:
                found.append(Adapter(load(path)))
            except (OSError, ValueError, *_MISSHAPEN) as error:
                broken.append(f"{path}: {error}")
        adapters = cls(found)
        adapters.broken = broken
        return adapters

    broken: list[str] = []

    def find(self, agent: str) -> tuple[Adapter | None, str]:
        """The adapter of this id; or, for the name of an event, the first one that knows it."""
        adapter = self.by_id.get(agent)
        if adapter:
            return adapter, ""
        for adapter in self.by_id.values():
            if agent in adapter.rules:
                return adapter, agent
        return None, ""

    def read(self, agent: str, payload: Mapping[str, Any]) -> Signal | None:
        """What the payload says, by the adapter of `agent` or the one it hands over to."""
        adapter, event = self.find(agent)
        if adapter and adapter.belongs_elsewhere(payload):
            adapter = self.by_id.get(adapter.over_to, adapter)
        return adapter.read(payload, event) if adapter else None

    def plain(self, agent: str, event: str) -> str | None:
        """Code, or "end", of an event by name alone; None when the agent or event is unknown."""
        adapter = self.by_id.get(agent)
        return adapter.plain(event) if adapter else None


def check(text: str) -> list[tuple[int, str]]:
    """What is wrong with an adapter's file: (line from 1, text). Empty: it is right."""
    try:
        Adapter(parse(text))
    except AdapterError as error:
        return [(_line_of(text, error.rule, error.key), str(error))]
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        return [(int(at[1]) if at else text.count("\n") + 1, str(error))]
    except _MISSHAPEN as error:
        return [(1, f"a table, a list or a text is expected: {error!r}")]
    return []


def _line_of(text: str, rule: int, key: str) -> int:
    """Line where the key of the rule of this number stands (else the rule, else line 1)."""
    found, number = -1, 1
    for line, content in enumerate(text.splitlines(), 1):
        words = content.strip()
        if words.replace(" ", "") == "[[rule]]":
            found += 1
            if found == rule:
                number = line
        elif found == rule and re.match(rf"""\[?["']?{re.escape(key)}["']?\s*[=\]]""", words):
            return line
    return number
