"""`aora why`: what decided about the face."""

from __future__ import annotations

import typer


def why() -> None:
    """Why the face shows what it shows, and what waits behind it."""
    from host_bridge import client
    from host_bridge.why import text

    try:
        typer.echo(text(client.Client().get("/why")))
    except (client.NoBridge, client.Refused) as error:
        typer.echo(f"aora: {error}", err=True)
        raise typer.Exit(1) from None
