"""A shell command's second look: its own name, and whether it tests or syncs (a table).

Only a plain word in a command's place may be shown. What the scanner is not sure of ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .privacy import command_word
from .tables import load, packaged

CODES = {"running": 44, "testing": 45, "syncing": 49}
_LONGEST = 3
_LOOKED_AT = 2000
_WORDS = 12
_LOOKS = 64
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")

# A substitution without quotes or further ones inside is a part of its word.
_INNER = r"""\$\([^()'"`<\\]*\)|\$\{[^{}'"`$\\]*\}|`[^`'"\\]*`|\$(?![({'])"""
_TOKEN = re.compile(
    rf"""
    (?P<blank>(?:[ \t\r]|\\\r?\n)+)
    |(?P<comment>\#[^\n]*)
    |(?P<heredoc><<-?[ \t]*(?P<quote>['"]?)(?P<tag>[\w.]+)(?P=quote)(?=[\s;&|<>)]|$))
    |(?P<redirect>\d*(?:<<<|<>|<&|<(?![<(])|>>|>&|>\||>(?!\()))
    |(?P<both>&>>?)
    |(?P<end>&&|\|\||[;|&\n)])
    |(?P<group>\((?!\())
    |(?P<word>(?:
        [^\s'"\\$`<>|&;()]+
        |\\.
        |'[^']*'
        |"(?:[^"\\$`]|\\.|{_INNER}|\$')*"
        |\$'(?:[^'\\]|\\.)*'
        |{_INNER}
    )+)
    """,
    re.VERBOSE | re.DOTALL,
)
_MARKS = re.compile(r"""[\n'"\\$`<>|&;()#]""")
_JOINED = frozenset("'\"\\$`(")  # what a word cannot end before


class Look(NamedTuple):
    """`code` to show while it runs, and the `word` that may be shown, or ""."""

    code: int
    word: str


@lru_cache(1)
def _table() -> tuple[dict[str, int], frozenset[str]]:
    data = load(packaged("_shell"))
    codes = {words: CODES[state] for state in CODES for words in data[state]}
    return codes, frozenset(data["before"] + data["before_two"])


def _commands(text: str) -> Iterator[list[str]]:
    """First words of each command, quotes and all; stops at what it does not understand."""
    if not _MARKS.search(text):
        yield text.split(None, _WORDS)[:_WORDS]
        return
    words: list[str] = []
    tags: list[str] = []
    at, operand = 0, False
    while token := _TOKEN.match(text, at):
        kind, at = token.lastgroup, token.end()
        if kind == "word":
            if text[at : at + 1] in _JOINED:
                break
            if not operand and len(words) < _WORDS:
                words.append(token[0])
            operand = False
        elif kind in ("redirect", "both"):
            operand = True
        elif kind == "heredoc":
            tags.append(token["tag"])
        elif kind == "group" and words:
            break
        elif kind == "end":
            yield words
            words, operand = [], False
            if tags and token[0] == "\n":
                at = _after_bodies(text, at, tags)
    yield words


def _after_bodies(text: str, at: int, tags: list[str]) -> int:
    """Where the text goes on behind the documents that start here."""
    while tags:
        last = re.compile(rf"^\t*{re.escape(tags.pop(0))}\r?$", re.MULTILINE).search(text, at)
        if last is None:
            return len(text)
        at = last.end()
    return at


def _own(words: list[str]) -> list[str]:
    """The words without assignments and what runs the command."""
    _, before = _table()
    while words:
        if _ASSIGNMENT.match(words[0]) or words[0] in before:
            words = words[1:]
        elif " ".join(words[:2]) in before:
            words = words[2:]
        else:
            break
    return words


@lru_cache(_LOOKS)  # each is asked for twice, for its code and for its word
def look(command: str) -> Look:
    """The first command of the line that tests or syncs, else the first one that is not `cd`.

    Of the others of a line only a name that the table has is ever told.
    """
    codes, _ = _table()
    first: str | None = None
    for words in map(_own, _commands(command[:_LOOKED_AT])):
        if not words or words[0] == "cd":
            continue
        name = command_word(words[0])
        tail = words[1:_LONGEST]
        for count in range(len(tail), -1, -1):
            code = codes.get(" ".join([name, *tail[:count]])) if name else None
            if code is not None:
                return Look(code, name)
        first = name if first is None else first
    return Look(CODES["running"], first or "")
