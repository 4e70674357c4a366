"""`aora image`: one file with MicroPython and the firmware, to drag onto a board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def image(
    name: Annotated[str, typer.Argument(help="A board's name (aora flash --list).")],
    uf2: Annotated[Path, typer.Option(help="The MicroPython UF2 for this board.")],
    out: Annotated[Path | None, typer.Option(help="Where to write; else aora-NAME.uf2.")] = None,
) -> None:
    """Join MicroPython and the firmware into one UF2."""
    from host_bridge import boards
    from host_bridge.flash import FlashError
    from host_bridge.flash import image as images
    from host_bridge.flash.person import failing

    with failing(FlashError, boards.BoardError, OSError):
        board = boards.load(name)
        joined = images.make(board, uf2.read_bytes(), uf2.name)
        target = out or Path(f"aora-{board.NAME}.uf2")
        target.write_bytes(joined)
        print(f"{target}: hold BOOT while you plug the board in, and drag it onto the drive.")
