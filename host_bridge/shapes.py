"""What an adapter's tables may hold: each key with its shape, and whether it must be there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from aora.protocol import CODES, STATE_OF, STATES

FIELDS = frozenset(
    ("event", "session", "child", "tool", "tool_id")
    + ("file", "command", "folder", "transcript", "final")
)
MEANINGS = frozenset(
    ("session", "prompt", "tool", "tool_end", "tool_fail", "ask", "notice", "question", "denied")
    + ("work", "idle", "note", "child", "child_end", "done", "fail", "stopped", "end")
)
FLAGS = ("machine", "prompted", "late", "all", "continues")


class AdapterError(ValueError):
    """What is wrong with an adapter's table: (number of the rule or -1, key, text, and the name
    of the table where it is no rule)."""

    def __init__(self, rule: int, key: str, text: str, table: str = "") -> None:
        super().__init__(text)
        self.rule = rule
        self.key = key
        self.table = table


class Shape(NamedTuple):
    """`fits` says whether a value is right, `words` what it must be."""

    fits: Callable[[Any], bool]
    words: str
    needed: bool = False


def paths(value: Any) -> list[Any]:
    """A path or a list of them as a list."""
    return value if isinstance(value, list) else [value]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_text, value))


def _has_state(code: Any) -> bool:
    return code in CODES and (code == "02" or STATES[STATE_OF[int(code)]] != "idle")


TEXT = Shape(_is_text, "a text")
LINE = Shape(lambda value: isinstance(value, str), "a text")
NAMES = Shape(lambda value: value == [] or _are_texts(value), "a list of texts")
SOME_NAMES = Shape(_are_texts, "a list of texts, one at least")
PATHS = Shape(lambda value: _are_texts(paths(value)), "a path or a list of paths")
EVENTS = Shape(lambda value: _are_texts(paths(value)), "a name or a list of names")
FLAG = Shape(lambda value: isinstance(value, bool), "true or false")
TABLE = Shape(lambda value: isinstance(value, dict), "a table")
TABLES = Shape(
    lambda value: isinstance(value, list) and all(isinstance(each, dict) for each in value),
    "a list of tables",
)
SECONDS = Shape(lambda value: type(value) is int and value > 0, "a whole number above 0")
ANSWERS = Shape(
    lambda value: isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
    "a table of texts",
)
LAYOUT = Shape(lambda value: value in ("nested", "flat"), '"nested" or "flat"')
MEANS = Shape(
    lambda value: isinstance(value, str) and value in MEANINGS,
    "one of: " + " ".join(sorted(MEANINGS)),
)
CODE = Shape(_has_state, 'two digits in quotes that have a state, like "30"')


def _must(shape: Shape) -> Shape:
    return shape._replace(needed=True)


_TOP = {
    "id": _must(TEXT),
    "name": _must(TEXT),
    "fields": _must(TABLE),
    "background": TABLE,
    "parent": TABLE,
    "names": TABLE,
    "hand_over": TABLE,
    "hooks": TABLE,
    "rule": TABLES,
}
_INNER = {
    "fields": {
        **dict.fromkeys(FIELDS, PATHS),
        "event": _must(PATHS),
        "session": _must(PATHS),
        "final": TEXT,
    },
    "background": {"list": _must(TEXT), "status": _must(SOME_NAMES), "work": _must(NAMES)},
    "parent": {"path": TEXT, "folder": _must(TEXT)},
    "hand_over": {"when": _must(TABLE), "to": _must(TEXT)},
    "hooks": {
        "file": _must(TEXT),
        "shape": _must(LAYOUT),
        "timeout": _must(SECONDS),
        "events": _must(SOME_NAMES),
        "async": NAMES,
        "passive": NAMES,
        "say": LINE,
        "answers": ANSWERS,
    },
}
_RULE = {
    "event": _must(EVENTS),
    "means": _must(MEANS),
    "code": CODE,
    "tips": LINE,
    "context": TEXT,
    "when": TABLE,
    "unless": TABLE,
    **dict.fromkeys(FLAGS, FLAG),
}


def check_shapes(table: dict[str, Any]) -> None:
    """AdapterError for the first value that is none of what its key may hold."""
    _check(table, _TOP)
    for name, shapes in _INNER.items():
        if name in table:
            _check(table[name], shapes, table=name)
    names = table.get("names", {})
    _check(names, dict.fromkeys(names, TEXT), table="names")
    for number, rule in enumerate(table.get("rule", [])):
        _check(rule, _RULE, number)


def _check(
    given: dict[str, Any], shapes: dict[str, Shape], rule: int = -1, table: str = ""
) -> None:
    where = table or ("a rule" if rule >= 0 else "the file")
    for key, value in given.items():
        if key not in shapes:
            there = " ".join(sorted(shapes))
            raise AdapterError(rule, key, f"{where} has no {key}; there are: {there}", table)
        if not shapes[key].fits(value):
            raise AdapterError(rule, key, f"{key} is {shapes[key].words}", table)
    for key, shape in shapes.items():
        if shape.needed and key not in given:
            raise AdapterError(rule, key, f"{where} wants {key}: {shape.words}", table)
