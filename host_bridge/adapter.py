"""Adapters: what an agent's event means, read from a table. No agent's name is in here.

A file names the fields that may be read and has ordered rules; the first rule whose event and
conditions fit decides. `Adapters.read` turns a payload into a `Signal`, or nothing; of the
payload only the signal's fields go any further.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from aora.protocol import CODES, emotion_id_for_state
from aora.tools import state_for_tool

from .rules import Rule, Test, compile_rule, first_text, getter, tests_of
from .shapes import AdapterError, check_shapes, paths
from .tables import adapter_files, load, parse

END = "end"

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
        check_shapes(table)
        self.id: str = table["id"]
        self.name: str = table["name"]
        self.hooks: dict[str, Any] = table.get("hooks", {})
        self.names: dict[str, str] = table.get("names", {})
        fields = table["fields"]
        self.session_paths = paths(fields["session"])
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
        self._over = _over_tests(over.get("when", {}))
        self.over_to: str = over.get("to", "")
        self.rules: dict[str, tuple[Rule, ...]] = {}
        for index, entry in enumerate(table.get("rule", [])):
            self._add(index, entry)
        self._check_hooks()

    def _add(self, index: int, entry: dict[str, Any]) -> None:
        rule = compile_rule(index, entry)
        for event in paths(entry["event"]):
            self.rules[event] = (*self.rules.get(event, ()), rule)

    def _check_hooks(self) -> None:
        for key in ("events", "passive", "async"):
            for event in self.hooks.get(key, []):
                if event not in self.rules:
                    raise AdapterError(-1, key, f"no rule for the event {event}", "hooks")

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


def _over_tests(when: dict[str, Any]) -> tuple[Test, ...]:
    try:
        return tests_of(when)
    except ValueError as error:
        raise AdapterError(-1, "when", str(error), "hand_over") from None


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
            except (OSError, ValueError) as error:
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


def check(text: str, others: Collection[str] | None = None) -> list[tuple[int, str]]:
    """What is wrong with an adapter's file: (line from 1, text). Empty: it is right.

    `others` are the adapters that it may hand over to, by default those of the package.
    """
    try:
        adapter = Adapter(parse(text))
        known = Adapters.load().by_id if others is None else others
        if adapter.over_to and adapter.over_to not in (adapter.id, *known):
            there = " ".join(sorted(known))
            raise AdapterError(
                -1, "to", f"there is no adapter {adapter.over_to}; there are: {there}", "hand_over"
            )
    except AdapterError as error:
        return [(_line_of(text, error), str(error))]
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        return [(int(at[1]) if at else text.count("\n") + 1, str(error))]
    return []


_HEADER = re.compile(r"\[\[?\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?\Z")
_KEY = re.compile(r"""["']?([\w.-]+)["']?\s*=""")


def _names(text: str) -> Iterator[tuple[int, str]]:
    """(line, full name) of each table and key, like "hooks.timeout" and "rule.3.code"."""
    table, rule = "", -1
    for line, content in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(content.strip()):
            table = header[1]
            rule += table == "rule"
            table = re.sub(r"\Arule\b", f"rule.{rule}", table)
            yield line, table
        elif key := _KEY.match(content.strip()):
            yield line, f"{table}.{key[1]}".lstrip(".")


def _line_of(text: str, error: AdapterError) -> int:
    """Line where the error's key stands; else its table's; else line 1."""
    table = f"rule.{error.rule}" if error.rule >= 0 else error.table
    for wanted in (f"{table}.{error.key}".lstrip("."), table):
        for line, name in _names(text):
            if wanted and f"{name}.".startswith(f"{wanted}."):
                return line
    return 1
