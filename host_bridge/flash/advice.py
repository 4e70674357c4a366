"""What a person has to do next, by what was found. One place, so that every line reads alike."""

from __future__ import annotations

from host_bridge.boards import Board
from host_bridge.flash import find
from host_bridge.flash.probe import AORA, CIRCUITPYTHON, MICROPYTHON, Probe

DOWNLOAD = "https://micropython.org/download"


def download(board: Board) -> str:
    """The exact files that put MicroPython on this board."""
    suffix = "uf2" if board.chip.spi else "bin"
    names = [f"{name}-latest.{suffix}  {DOWNLOAD}/{name}/" for name in board.FIRMWARE]
    names = names or [f"{DOWNLOAD}/?mcu={board.MCU}"]
    return "\n".join(f"  {name}" for name in names)


def _file(board: Board) -> str:
    return board.FIRMWARE[0] if board.FIRMWARE else "MICROPYTHON"


def put_micropython(board: Board) -> str:
    """How MicroPython gets on this board."""
    file = _file(board)
    if board.chip.spi:
        return (
            "Hold BOOT (BOOTSEL) while you press RESET or plug the cable in, then:\n"
            f"  aora flash {board.NAME} --uf2 {file}-latest.uf2\n"
            f"with the file for your board:\n{download(board)}"
        )
    return (
        f"Then: aora flash {board.NAME} --firmware {file}-latest.bin\n"
        f"with the file for your board:\n{download(board)}"
    )


def nothing(board: Board, drives: list[find.Drive]) -> str:
    """No serial port of a board."""
    if drives:
        waits = f"A {drives[0].board} in BOOTSEL waits at {drives[0].path} for MicroPython"
        return f"{waits}.\n{put_micropython(board)}"
    return (
        "No board found. Is it plugged in? Some cables only charge: try another one.\n"
        "A board that runs nothing yet shows no port.\n" + put_micropython(board)
    )


def not_ours(board: Board, port: find.Port, found: Probe) -> str | None:
    """Why the firmware cannot go on what answered there; None if it can."""
    if found.kind in (AORA, MICROPYTHON):
        return None
    if found.kind == CIRCUITPYTHON:
        return (
            f"{port.device} runs CircuitPython {found.version}. Save what you need from its "
            f"drive; {board.NAME} wants MicroPython.\n{put_micropython(board)}"
        )
    if (port.vid, port.pid) in find.DEMO:
        what = "RP2350" if port.pid == 0x0009 else "RP2040"
        return f"{port.device}: {what} running something else.\n{put_micropython(board)}"
    if board.chip.spi:
        return held(board, port.device)
    return (
        f"{port.device}: no MicroPython answers; {board.chip.title} running something else.\n"
        + put_micropython(board)
    )


def held(board: Board, port: str) -> str:
    """A program on the board that cannot be stopped."""
    first = f"{port}: the program on the board does not let go of it (its main.py hangs?).\n"
    if board.chip.spi:
        return first + (
            f"  aora image {board.NAME} --uf2 {_file(board)}-latest.uf2\n"
            "makes one file that replaces it: hold BOOT while you plug the cable in, and drag "
            "the file onto the drive that appears."
        )
    return first + (
        f"  aora flash {board.NAME} --firmware {_file(board)}-latest.bin --port {port}\n"
        "erases the board and starts anew."
    )


def still_runs(staged: bool) -> str:
    """What a broken-off flash leaves behind."""
    if staged:
        return "All files had arrived: the next start puts the rest in place. Or flash again."
    return "Nothing was changed: what was on the board still runs. Flash again to go on."
