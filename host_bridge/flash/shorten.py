"""Names that stay within a module, made few: a board looks up each name of a module that it
loads, and keeps it.

Such names are what an object keeps to itself (`self._stage`), what a module does (`_scratch`), and
what a function calls its arguments. Functions and classes keep theirs, for tracebacks, in which
viper is not seen. A class has its bases in its own module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def shorten(sources: dict[str, str]) -> dict[str, str]:
    """The same modules, by path (aora/line.py), with `_0`, `_1` for what is private."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    shared = {name for node in nodes for name in _shared(node)}
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    for tree in trees.values():
        _shorten_attributes(tree, shared)
        _shorten_globals(tree, shared)
        _shorten_arguments(tree, keywords)
    return {name: ast.unparse(tree) for name, tree in trees.items()}


def _shared(node: ast.AST) -> Iterator[str]:
    """Names that others may ask for, or that a traceback shows."""
    if isinstance(node, ast.ClassDef):
        yield from (node.name, *_given(node))
    elif isinstance(node, (ast.FunctionDef, ast.alias)) and not _is_decorated(node, "viper"):
        yield node.name
    elif isinstance(node, ast.Attribute) and not _is_own(node):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _given(node: ast.ClassDef | ast.Module) -> Iterator[str]:
    """Names that a class or a module gives a value."""
    targets = [t for step in node.body if isinstance(step, ast.Assign) for t in step.targets]
    return (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _shorten_attributes(tree: ast.Module, shared: set[str]) -> None:
    own = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and _is_own(n)]
    private = sorted({n.attr for n in own if _is_private(n.attr)} - shared)
    short = {name: f"_{i}" for i, name in enumerate(private)}
    for node in own:
        node.attr = short.get(node.attr, node.attr)


def _shorten_globals(tree: ast.Module, shared: set[str]) -> None:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = {function.name for function in functions}.union(_given(tree)) - shared
    short = {name: f"_g{i}" for i, name in enumerate(sorted(filter(_is_private, names)))}
    _rename(tree, short)
    for function in functions:
        function.name = short.get(function.name, function.name)


def _shorten_arguments(tree: ast.Module, keywords: set[str]) -> None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or _is_decorated(node, "asm_"):
            continue
        if not _has_inner(node):
            own = sorted({argument.arg for argument in node.args.args} - keywords - {"self"})
            _rename(node, {name: f"_{i}" for i, name in enumerate(own)})


def _rename(node: ast.AST, short: dict[str, str]) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            inner.arg = short.get(inner.arg, inner.arg)
        elif isinstance(inner, ast.Name):
            inner.id = short.get(inner.id, inner.id)
        elif isinstance(inner, ast.Global):
            inner.names = [short.get(name, name) for name in inner.names]


def _has_inner(function: ast.FunctionDef) -> bool:
    inner = list(ast.walk(function))[1:]
    return any(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in inner)


def _is_decorated(node: ast.AST, word: str) -> bool:
    return any(word in ast.unparse(decorator) for decorator in getattr(node, "decorator_list", ()))
