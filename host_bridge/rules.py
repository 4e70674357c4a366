"""One rule of an adapter: what an event means, under which conditions on its payload."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .shapes import FLAGS, AdapterError

TIP_WORDS = frozenset(("verb", "file", "command"))

_PLACE = re.compile(r"\{(\w*)\}")
Getter = Callable[[Mapping[str, Any]], Any]
Test = Callable[[Mapping[str, Any]], bool]


class Rule(NamedTuple):
    """What an event means, once its conditions hold. `code` -1: the tool's own state decides."""

    number: int
    means: str
    code: int
    tips: str
    tests: tuple[Test, ...]
    conditions: str
    context: Getter | None
    machine: bool  # nobody typed this
    prompted: bool  # a turn that a person asked for begins with a prompt
    late: bool  # may come after the turn's end
    all: bool
    continues: bool


def getter(path: str) -> Getter:
    """Function that finds a dotted path; None where there is no such field."""
    head, *rest = path.split(".")
    if not rest:
        return lambda payload: payload.get(head)

    def walk(payload: Mapping[str, Any]) -> Any:
        value = payload.get(head)
        for key in rest:
            if not isinstance(value, dict):
                return None
            value = value.get(key)
        return value

    return walk


def first_text(paths: str | list[str]) -> Callable[[Mapping[str, Any]], str]:
    """Function that finds the first path with a text (or a list that starts with one)."""
    getters = tuple(getter(p) for p in ([paths] if isinstance(paths, str) else paths))
    if len(getters) == 1:
        only = getters[0]

        def one(payload: Mapping[str, Any]) -> str:
            value = only(payload)
            return value if isinstance(value, str) else as_text(value)

        return one

    def several(payload: Mapping[str, Any]) -> str:
        for get in getters:
            text = as_text(get(payload))
            if text:
                return text
        return ""

    return several


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return as_text(value[0]) if value and isinstance(value[0], str) else ""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _fits(wanted: Any) -> Callable[[Any], bool]:
    """Test of one value: equal, one of a list, { present = bool } or { starts = text(s) }."""
    if isinstance(wanted, list):
        choices = tuple(_fits(each) for each in wanted)
        return lambda value: any(fits(value) for fits in choices)
    if not isinstance(wanted, dict):
        return lambda value: type(value) is type(wanted) and value == wanted
    if set(wanted) == {"present"} and isinstance(wanted["present"], bool):
        return lambda value: (value is not None) is wanted["present"]
    if set(wanted) == {"starts"}:
        heads = wanted["starts"]
        starts = tuple(heads) if isinstance(heads, list) else (heads,)
        if all(isinstance(text, str) for text in starts):
            return lambda value: isinstance(value, str) and value.startswith(starts)
    raise ValueError("a condition is a value, a list of values, {present=...} or {starts=...}")


def _test(path: str, wanted: Any, holds: bool) -> Test:
    get, fits = getter(path), _fits(wanted)
    return lambda payload: fits(get(payload)) is holds


def tests_of(conditions: dict[str, Any], holds: bool = True) -> tuple[Test, ...]:
    """Tests that all pass when each condition on a payload holds, or when none does."""
    return tuple(_test(path, wanted, holds) for path, wanted in conditions.items())


def compile_rule(index: int, entry: dict[str, Any]) -> Rule:
    """A `[[rule]]` of the right shape; AdapterError says what else is wrong with it."""
    tips = entry.get("tips", "")
    for word in _PLACE.findall(tips):
        if word not in TIP_WORDS:
            known = " ".join(sorted(TIP_WORDS))
            raise AdapterError(index, "tips", f"{{{word}}} may not be shown; there are: {known}")
    tests: tuple[Test, ...] = ()
    for key, holds in (("when", True), ("unless", False)):
        try:
            tests += tests_of(entry.get(key, {}), holds)
        except ValueError as error:
            raise AdapterError(index, key, str(error)) from None
    code = entry.get("code")
    context = entry.get("context")
    return Rule(
        number=index,
        means=entry["means"],
        code=int(code) if code else -1,
        tips=tips,
        tests=tests,
        conditions=_conditions(entry),
        context=getter(context) if context else None,
        **{key: entry.get(key, False) for key in FLAGS},
    )


def _conditions(entry: dict[str, Any]) -> str:
    """The rule's conditions for a person to read."""
    tables = [("if", entry.get("when", {})), ("unless", entry.get("unless", {}))]
    words = [f"{w} {path} = {json.dumps(v)}" for w, table in tables for path, v in table.items()]
    return ", ".join(words)
