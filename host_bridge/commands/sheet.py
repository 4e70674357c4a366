"""`aora sheet`: pictures of all faces and their motions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def sheet(
    out: Annotated[Path, typer.Option(help="Folder for the pictures.")] = Path("sheet"),
    shape: Annotated[str, typer.Option(help="blob, pebble or screen.")] = "blob",
    colour: Annotated[
        str, typer.Option(help="blue, green, orange, yellow, pink or white.")
    ] = "blue",
) -> None:
    """Draw every state as the firmware shows it, square and round, and a strip of each motion."""
    from aora import table
    from host_bridge import sheet as sheets

    for name, value, known in (("shape", shape, table.SHAPES), ("colour", colour, table.COLOURS)):
        if value not in known:
            raise typer.BadParameter(f"no {name} {value!r}; there are: {', '.join(known)}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"{out}: {error.strerror}") from None
    for path in sheets.write(out, shape=shape, colour=colour):
        typer.echo(path)
