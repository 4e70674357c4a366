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
    from host_bridge import sheet as sheets

    out.mkdir(parents=True, exist_ok=True)
    for path in sheets.write(out, shape=shape, colour=colour):
        typer.echo(path)
