"""`aora board`: virtual boards, for mpremote, for tests, and for lack of a real one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def board(
    names: Annotated[list[str] | None, typer.Argument(help="Boards; else pico-generic.")] = None,
    home: Annotated[Path | None, typer.Option(help="Where flash and port are kept.")] = None,
    empty: Annotated[bool, typer.Option(help="Only MicroPython, no firmware.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Save the first board's face once it is there, and end.")
    ] = None,
) -> None:
    """Run virtual boards: MicroPython and the firmware behind a serial port of their own."""
    import contextlib
    import signal
    import sys

    from host_bridge import paths
    from host_bridge.boards import BoardError
    from host_bridge.flash.person import failing
    from host_bridge.virtual import BoardFailed, HomeInUse, NoMicroPython, VirtualBoard, console
    from host_bridge.virtual.picture import portrait_png

    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # ports and processes go along
    root = home or paths.home() / "state" / "virtual"
    with (
        failing(BoardError, BoardFailed, HomeInUse, NoMicroPython, OSError),
        contextlib.ExitStack() as stack,
    ):
        boards = []
        for number, name in enumerate(names or ["pico-generic"], 1):
            made = VirtualBoard(name, home=root / f"{number}-{Path(name).stem}", empty=empty)
            boards.append(stack.enter_context(made))
            print(f"{number} {made.board.NAME} {made.port}", flush=True)
        if picture:
            boards[0].wait(lambda: boards[0].panel.on and boards[0].panel.frame_count > 2)
            picture.write_bytes(portrait_png(boards[0]))
            return
        console.attend(boards)
