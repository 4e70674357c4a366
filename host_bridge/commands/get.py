"""`aora get`: a board's settings."""

from __future__ import annotations

from typing import Annotated

import typer


def get(
    names: Annotated[list[str] | None, typer.Argument(help="Settings; all if left out.")] = None,
    port: Annotated[str, typer.Option(help="Serial port of the board.")] = "",
    device: Annotated[str, typer.Option(help="Id or name of one board; all if left out.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="As JSON, one board a line.")] = False,
) -> None:
    """Show the settings of one board, or of all."""
    import json

    from host_bridge import tune
    from host_bridge.flash import FlashError, bridge
    from host_bridge.flash.person import failing

    with failing(FlashError):
        targets = tune.targets(port, device)
        for target in targets:
            with bridge.released(target.port):
                values = tune.get(target.port)
            chosen = tune.chosen(values, names or [])
            if json_:
                print(json.dumps({"device": target.name, "settings": chosen}))
                continue
            if len(targets) > 1:
                print(f"{target.name} ({target.port})")
            for name, value, meaning in tune.shown(chosen):
                print(f"  {name:16}{value:14}{meaning}")
