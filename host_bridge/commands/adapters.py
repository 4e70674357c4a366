"""`aora adapters`: which agents are understood, and how."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from host_bridge.adapter import Adapters


def adapters(
    name: Annotated[str, typer.Argument(help="An agent's name, or `check`.")] = "",
    file: Annotated[str, typer.Argument(help="The file to check.")] = "",
) -> None:
    """List the agents that are understood, show what one's events mean, or check FILE."""
    if name == "check" and not file:
        raise typer.BadParameter("name the file to check: aora adapters check FILE")
    if name == "check":
        _check(Path(file))
    elif file:
        raise typer.BadParameter("use `aora adapters check FILE`")
    elif name:
        _show(name)
    else:
        _list()


def _list() -> None:
    known = _load()
    for adapter in known.by_id.values():
        typer.echo(f"{adapter.id:<14} {adapter.name}, {len(adapter.rules)} events")
    for problem in known.broken:
        typer.echo(f"aora: {problem}", err=True)


def _show(name: str) -> None:
    adapter = _load().by_id.get(name)
    if adapter is None:
        _fail(f"aora: no adapter {name}; see `aora adapters`")
    typer.echo(f"{adapter.name} ({adapter.id})")
    for event, rules in adapter.rules.items():
        for rule in rules:
            code = f"{rule.code:02d}" if rule.code >= 0 else "--"
            typer.echo(f"  {event:<22} {code}  {rule.means:<10} {rule.conditions}".rstrip())


def _check(path: Path) -> None:
    from host_bridge.adapter import check

    try:
        problems = check(path.read_text("utf-8"), _load().by_id)
    except (OSError, UnicodeDecodeError) as error:
        _fail(f"{path}: {error}")
    for line, text in problems:
        typer.echo(f"{path}:{line}: {text}", err=True)
    if problems:
        raise typer.Exit(1)
    typer.echo(f"{path}: fine")


def _fail(text: str) -> NoReturn:
    typer.echo(text, err=True)
    raise typer.Exit(1)


def _load() -> Adapters:
    from host_bridge import paths
    from host_bridge.adapter import Adapters

    return Adapters.load(paths.home())
