"""`aora flash`: the firmware onto a board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def flash(
    name: Annotated[str, typer.Argument(help="A board's name (see --list), or a board.py.")] = "",
    port: Annotated[str, typer.Option(help="Serial port; found if left out.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be copied, change nothing.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List boards and ports.")] = False,
    uf2: Annotated[
        Path | None, typer.Option(help="Put this MicroPython on a board in BOOTSEL first.")
    ] = None,
    firmware: Annotated[
        Path | None, typer.Option(help="Erase an ESP32 and put this MicroPython on it first.")
    ] = None,
) -> None:
    """Put the firmware on a board: find it, copy what changed, check it, ask what is seen."""
    from host_bridge import boards
    from host_bridge.flash import FlashError, first, run
    from host_bridge.flash.person import Terminal, failing

    with failing(FlashError, boards.BoardError):
        if list_ or not name:
            first.listing(print)
            return
        person = Terminal()
        wish = run.Wish(boards.load(name), port, yes, dry_run)
        if uf2 is not None:
            wish = first.copy_uf2(wish, uf2, person)
        if firmware is not None:
            wish = first.run_esptool(wish, firmware, person)
        if not (dry_run and (uf2 or firmware)):  # what is there now would be gone
            run.flash(wish, person)
