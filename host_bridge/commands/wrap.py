"""`aora wrap`: any command as a session on the face."""

from __future__ import annotations

from typing import Annotated

import typer

SETTINGS = {"ignore_unknown_options": True, "allow_interspersed_args": False}


def wrap(
    command: Annotated[list[str], typer.Argument(help="The command and its arguments.")],
    session: Annotated[str, typer.Option(help="Its name; the command's by default.")] = "",
) -> None:
    """Run a command and show how it goes: aora wrap -- make test

    Its output, input, signals and exit status pass through untouched; "3/10" and "30 %" in the
    output become progress on the face.
    """
    from host_bridge import wrapper

    raise typer.Exit(wrapper.run(command, session))
