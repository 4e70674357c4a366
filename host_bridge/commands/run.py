"""`aora run`: the bridge."""

from __future__ import annotations

from typing import Annotated

import typer

PORT = 27182


def run(
    port: Annotated[
        int, typer.Option(help="Port of the bridge on this machine.", min=0, max=65535)
    ] = PORT,
    virtual: Annotated[
        str | None,
        typer.Option(help="A board of software: micropython (default) or displayio."),
    ] = None,
    board: Annotated[
        list[str] | None,
        typer.Option(help="Which board the virtual one is (see boards/); again for another."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="The serial port of one board, instead of looking for boards."),
    ] = None,
    no_device: Annotated[
        bool, typer.Option("--no-device", help="No board: only the preview.")
    ] = False,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Also take messages on standard input, one a line.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="Address to serve on; not loopback only with a token.")
    ] = "127.0.0.1",
) -> None:
    """Run the bridge: agents' hooks in, the right line on the right board out."""
    from host_bridge import bridge

    if sum(map(bool, (virtual or board, device, no_device))) > 1:
        raise typer.BadParameter("choose one of --virtual (or --board), --device and --no-device")
    if virtual not in (None, "micropython", "displayio"):
        raise typer.BadParameter("--virtual takes micropython or displayio")
    options = bridge.Options(host, port, virtual, board or [], device, no_device, stdin)
    raise typer.Exit(bridge.main(options))
