"""A shell command's second look: its own name, and whether it tests or syncs (a table)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .privacy import command_word
from .tables import load, packaged

CODES = {"running": 44, "testing": 45, "syncing": 49}
_LONGEST = 3
_LOOKED_AT = 2000
_SPLIT = re.compile(r"&&|\|\||[;|\n&]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class Look(NamedTuple):
    """`code` to show while it runs, and the `word` that may be shown, or ""."""

    code: int
    word: str


@lru_cache(1)
def _table() -> tuple[dict[str, int], frozenset[str]]:
    data = load(packaged("_shell"))
    codes = {words: CODES[state] for state in CODES for words in data[state]}
    return codes, frozenset(data["before"] + data["before_two"])


def _words(part: str) -> list[str]:
    """First words of one command of a line, without assignments and what runs it."""
    _, before = _table()
    words = part.split(None, 12)[:12]
    while words:
        if _ASSIGNMENT.match(words[0]) or words[0] in before:
            del words[0]
        elif " ".join(words[:2]) in before:
            del words[:2]
        else:
            return words
    return []


def look(command: str) -> Look:
    """The first command of the line that tests or syncs, else the first one that is not `cd`."""
    codes, _ = _table()
    first = ""
    for part in _SPLIT.split(command[:_LOOKED_AT]):
        words = _words(part)
        if not words or words[0] == "cd":
            continue
        name = command_word(words[0])
        tail = words[1:_LONGEST]
        for count in range(len(tail), -1, -1):
            code = codes.get(" ".join([name, *tail[:count]])) if name else None
            if code is not None:
                return Look(code, name)
        first = first or name
    return Look(CODES["running"], first)
