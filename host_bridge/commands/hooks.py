"""`aora hooks`: how an agent is told to report to the bridge."""

from __future__ import annotations

import sys

import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def hooks() -> None:
    """Point an agent's hooks at the bridge."""


@app.command()
def show(
    agent: str = typer.Argument(..., help="claude-code or cursor"),
    http: bool = typer.Option(False, "--http", help="Let the agent post passive events itself."),
    sh: bool = typer.Option(False, "--sh", help="The shell recipe, for jq and curl."),
) -> None:
    """Print the block for the agent's settings file."""
    from host_bridge import hooks as blocks
    from host_bridge import paths
    from host_bridge.adapter import Adapters

    adapter = Adapters.load(paths.home()).by_id.get(agent)
    if adapter is None or not adapter.hooks:
        typer.echo(f"aora: no hooks are known for {agent}; see `aora adapters`", err=True)
        raise typer.Exit(1)
    if http and not adapter.hooks.get("passive"):
        typer.echo(f"aora: {adapter.name} cannot post by itself", err=True)
        raise typer.Exit(1)
    if sys.stdout.isatty() and not sh:
        typer.echo(f"Merge this into {adapter.hooks['file']}:", err=True)
    typer.echo(blocks.sh_text(adapter) if sh else blocks.block_text(adapter, http))
