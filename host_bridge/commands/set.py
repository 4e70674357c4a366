"""`aora set`: changes settings of a board."""

from __future__ import annotations

from typing import Annotated

import typer


def set(  # noqa: A001
    values: Annotated[list[str], typer.Argument(help="name=value, as aora get shows them.")],
    port: Annotated[str, typer.Option(help="Serial port of the board.")] = "",
    device: Annotated[str, typer.Option(help="Id or name of one board; all if left out.")] = "",
) -> None:
    """Set settings, such as brightness=30 quiet=22:00-07:00, of one board or of all."""
    from host_bridge import tune
    from host_bridge.flash import FlashError, bridge
    from host_bridge.flash.person import failing

    with failing(FlashError):
        wanted = tune.parse(values)
        for target in tune.targets(port, device):
            with bridge.released(target.port):
                tune.put(target.port, wanted)
            print(f"{target.name}: " + ", ".join(values))
