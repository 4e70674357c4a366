"""Tables that firmware modules work out at their start, worked out here instead.

A module says how its tables come about; a board gets what came out, and not the way to it.
Only for boards with viper.
"""

from __future__ import annotations

import array
import ast
import sys
from collections.abc import Iterable

# Module -> its tables: bytes, tuples, or vocabularies of _tables.words.
TABLES = {
    "aora/_scan.py": ("_GRAMMAR",),
    "aora/line.py": (
        *("_words", "_hud_words", "_kinds", "_states", "_hud_fields"),
        *("_KEY_COUNT", "_HUD_KEY_COUNT"),
    ),
    "aora/talk.py": ("_STATE_NAMES",),
    "aora/events.py": ("agents", "events", "codes"),
    "aora/protocol.py": ("STATES", "STATE_OF", "SETTLE", "PRIORITY", "CLASS_OF", "CODE_OF"),
    "aora/face/expressions.py": ("CLASS", "ROWS", "MOVES", "FIRST"),
}


def bake(sources: dict[str, str]) -> dict[str, str]:
    """The same modules, by path (aora/line.py), with their tables as literals."""
    return {
        name: _baked(text, TABLES[name]) if name in TABLES else text
        for name, text in sources.items()
    }


def _baked(text: str, tables: tuple[str, ...]) -> str:
    values: dict[str, object] = {"__name__": "baked"}
    exec(compile(text, "baked", "exec"), values)
    tree = ast.parse(text)
    for at, node in enumerate(tree.body):
        names = _given(node)
        if isinstance(node, ast.Assign) and names and names <= set(tables):
            literals = [f"{name} = {_literal(values[name])}" for name in sorted(names)]
            tree.body[at] = ast.parse("; ".join(literals)).body[0]
            tree.body[at + 1 : at + 1] = ast.parse("; ".join(literals)).body[1:]
    while _less(tree):
        pass
    return ast.unparse(tree) + "\n"


def _literal(value: object) -> str:
    if isinstance(value, array.array):
        # Viper reads the numbers out of the bytes; as an array they would be there twice.
        assert sys.byteorder == "little"  # as on every board
        return repr(value.tobytes())
    if isinstance(value, (list, tuple)):
        return "(" + "".join(f"{_literal(item)}, " for item in value) + ")"
    return repr(value)


def _less(tree: ast.Module) -> bool:
    """Drops what is private or imported, and asked for by nobody; whether there was any."""
    asked = {
        inner.id
        for node in tree.body
        if not isinstance(node, ast.Delete)
        for inner in _inside(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }
    kept = [node for node in tree.body if not _is_spare(node, asked)]
    fewer = len(kept) < len(tree.body)
    tree.body = kept
    return fewer


def _inside(node: ast.stmt) -> Iterable[ast.AST]:
    """What a statement asks for; a function that calls itself does not ask for itself."""
    return (
        inner
        for inner in ast.walk(node)
        if not (isinstance(node, ast.FunctionDef) and getattr(inner, "id", "") == node.name)
    )


def _is_spare(node: ast.stmt, asked: set[str]) -> bool:
    if isinstance(node, ast.Delete):
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
    elif isinstance(node, ast.FunctionDef):
        names = {node.name}
    else:
        names = _given(node)
    if isinstance(node, ast.ImportFrom):
        return not asked & {alias.asname or alias.name for alias in node.names}
    private = bool(names) and all(name.startswith("_") for name in names)
    return private and not any(name.startswith("__") for name in names) and not names & asked


def _given(node: ast.stmt) -> set[str]:
    """The names that an assignment gives a value; none for another kind of target."""
    if not isinstance(node, ast.Assign):
        return set()
    targets = [t for target in node.targets for t in getattr(target, "elts", [target])]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return names if len(names) == len(targets) else set()
