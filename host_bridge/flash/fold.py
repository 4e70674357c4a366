"""Whole numbers that firmware modules name, put in the places that use them.

mpy-cross does this within a module, for names that begin with `_`; here it is done across
modules. A board then looks up no such name, and keeps none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_OPERATIONS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.LShift: lambda a, b: a << b,
    ast.BitOr: lambda a, b: a | b,
}
_LIMIT = 1 << 30  # a board's small integers are below


def fold(sources: dict[str, str]) -> dict[str, str]:
    """The same modules, by path (aora/line.py), without the names of whole numbers."""
    modules = {name: _Module(name, text) for name, text in sources.items()}
    by_name = {module.dotted: module for module in modules.values()}
    while sum(module.learn(by_name) for module in modules.values()):
        pass
    for module in modules.values():
        module.use(by_name)
    for module in modules.values():
        module.drop()
    return {name: module.text() for name, module in modules.items()}


class _Module:
    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.dotted = name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self.numbers: dict[str, int] = {}
        self._lines = [line.encode() for line in text.split("\n")]
        self._tree = ast.parse(text)
        self._edits: list[tuple[tuple[int, int], tuple[int, int], bytes]] = []
        self._kept: set[str] = set()  # numbers that somebody asks for in another way
        self._assigned = _assignments(self._tree)

    # Names from other modules: alias -> module, name -> (module, its name there).

    def _imports(self) -> Iterator[tuple[ast.ImportFrom, ast.alias]]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    yield node, alias

    def learn(self, by_name: dict[str, _Module]) -> bool:
        """Works out more of the module's numbers; whether there were any."""
        known = len(self.numbers)
        for name, value in self._assigned.items():
            number = self._value(value, by_name)
            if number is not None and abs(number) < _LIMIT:
                self.numbers[name] = number
        return len(self.numbers) > known

    def _value(self, node: ast.expr, by_name: dict[str, _Module]) -> int | None:
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self._value(node.operand, by_name)
            return None if inner is None else -inner
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._value(node.args[0], by_name) if node.func.id == "const" else None
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            left, right = self._value(node.left, by_name), self._value(node.right, by_name)
            if left is None or right is None:
                return None
            return _OPERATIONS[type(node.op)](left, right)
        return self._number(node, by_name)

    def _number(self, node: ast.AST, by_name: dict[str, _Module]) -> int | None:
        """The number that a name or an attribute stands for, or None."""
        if isinstance(node, ast.Name):
            if node.id in self.numbers:
                return self.numbers[node.id]
            for source, alias in self._imports():
                if (alias.asname or alias.name) == node.id and source.module in by_name:
                    return by_name[source.module].numbers.get(alias.name)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            for source, alias in self._imports():
                module = by_name.get(f"{source.module}.{alias.name}")
                if module and (alias.asname or alias.name) == node.value.id:
                    return module.numbers.get(node.attr)
        return None

    def use(self, by_name: dict[str, _Module]) -> None:
        """Puts numbers in the places of names, and imports no name that is then left over."""
        stored = _stored_inside(self._tree)
        for node in ast.walk(self._tree):
            if not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            if not isinstance(node.ctx, ast.Load) or getattr(node, "id", "") in stored:
                continue
            number = self._number(node, by_name)
            if number is not None:
                self._replace(node, str(number) if number >= 0 else f"({number})")
        needed = self._names_left() | stored
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom):
                self._import_less(node, by_name, needed)

    def _names_left(self) -> set[str]:
        """Names that are still asked for after the replacements."""
        gone = {start for start, _, _ in self._edits}
        names = [n for n in ast.walk(self._tree) if isinstance(n, ast.Name)]
        return {n.id for n in names if (n.lineno - 1, n.col_offset) not in gone}

    def _import_less(
        self, node: ast.ImportFrom, by_name: dict[str, _Module], needed: set[str]
    ) -> None:
        source = by_name.get(node.module or "")
        left = []
        for alias in node.names:
            name = alias.asname or alias.name
            number = source and alias.name in source.numbers
            if name in needed or not (number or f"{node.module}.{alias.name}" in by_name):
                left.append(f"{alias.name} as {name}" if alias.asname else name)
                if source:
                    source._kept.add(alias.name)
        if len(left) < len(node.names):
            text = f"from {node.module} import {', '.join(left)}" if left else "pass"
            self._replace(node, text)

    def drop(self) -> None:
        """Forgets the numbers that nobody asks for any more."""
        for node in self._tree.body:
            name = _given(node)
            if name in self.numbers and name not in self._kept:
                self._replace(node, "pass")

    def _replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start, end = (node.lineno - 1, node.col_offset), (node.end_lineno - 1, node.end_col_offset)
        self._edits.append((start, end, text.encode()))

    def text(self) -> str:
        """The source with all replacements, each line where it was."""
        lines = list(self._lines)
        above = (len(lines), 0)  # where the last edit starts: this goes from the end to the start
        for start, end, text in sorted(self._edits, key=lambda e: (e[1], [-n for n in e[0]]))[
            ::-1
        ]:
            if end > above:
                continue  # inside of what has been replaced
            above = start
            tail = lines[end[0]][end[1] :]
            lines[start[0] : end[0] + 1] = [
                lines[start[0]][: start[1]] + text + (tail if end[0] == start[0] else b""),
                *[b""] * (end[0] - start[0] - 1),
                *[tail] * (end[0] > start[0]),
            ]
        return b"\n".join(lines).decode()


def _given(node: ast.stmt) -> str | None:
    """The one name that a statement gives a value."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        return target.id if isinstance(target, ast.Name) else None
    return None


def _assignments(tree: ast.Module) -> dict[str, ast.expr]:
    """Names in capitals that the module itself gives a value, and once only."""
    stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_store(n)]
    found = {}
    for node in tree.body:
        name = _given(node)
        if name and name.isupper() and stores.count(name) == 1:
            assert isinstance(node, ast.Assign)
            found[name] = node.value
    return found


def _is_store(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _stored_inside(tree: ast.Module) -> set[str]:
    """Names that a function gives a value of its own."""
    inside: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.Lambda)):
            inside |= {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
            names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
            inside |= {n.id for n in names if _is_store(n)}
    return inside
