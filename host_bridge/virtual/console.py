"""Words typed at `aora board`, done to its virtual boards."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from host_bridge.virtual.board import VirtualBoard

_LOOK_S = 0.2

HELP = """\
[N] press [a|b] [MS]   hold a button down, 80 ms if not said; N is the board, else the first
[N] picture [FILE]     save the device as a PNG
[N] unplug [MS]        pull the cable, for so long or until `plug`
[N] reset              press reset
[N] power              off and on
[N] cut BYTES          fail the power when so many more bytes were written to flash
[N] status             what it shows, and what real hardware would not have taken
quit"""


def _press(board: VirtualBoard, button: str = "a", ms: str = "80") -> str:
    if button not in board.board.BUTTONS:
        return f"no button {button}; there is {', '.join(board.board.BUTTONS) or 'none'}"
    board.press(button, int(ms))
    return ""


def _picture(board: VirtualBoard, path: str = "board.png") -> str:
    from host_bridge.virtual import picture

    Path(path).write_bytes(picture.portrait_png(board))
    return path


def _unplug(board: VirtualBoard, ms: str = "") -> str:
    board.unplug(int(ms) if ms else None)
    return ""


def _plug(board: VirtualBoard) -> str:
    board.plug()
    return ""


def _reset(board: VirtualBoard) -> str:
    board.reset()
    return ""


def _power(board: VirtualBoard) -> str:
    board.power_cycle()
    return ""


def _cut(board: VirtualBoard, count: str) -> str:
    board.cut_power_after_bytes(int(count))
    return ""


def _status(board: VirtualBoard) -> str:
    lit = sum(any(led) for led in board.ring.leds)
    facts = [
        f"{board.board.NAME} on {board.port}",
        "running" if board.powered else board.failure or "off",
        f"panel {'on' if board.panel.on else 'off'} at {board.backlight:.0%}",
        f"{board.panel.frame_count} frames, {board.panel.outside} pixels beside the glass",
        f"{lit} of {len(board.ring.leds)} LEDs lit",
    ]
    return "\n".join([", ".join(facts), *board.faults])


WORDS: dict[str, Callable[..., str]] = {
    "press": _press,
    "picture": _picture,
    "unplug": _unplug,
    "plug": _plug,
    "reset": _reset,
    "power": _power,
    "cut": _cut,
    "status": _status,
}


def obey(boards: Sequence[VirtualBoard], line: str) -> str:
    """Does what a line says; answers what there is to say about it."""
    words = line.split()
    number = int(words.pop(0)) if words and words[0].isdigit() else 1
    if not words:
        return ""
    word = words.pop(0)
    if word not in WORDS or not 1 <= number <= len(boards):
        return HELP
    try:
        return WORDS[word](boards[number - 1], *words)
    except (TypeError, ValueError, OSError) as error:
        return f"{word}: {error}"


def attend(boards: Sequence[VirtualBoard]) -> None:
    """Does what is typed, until `quit` or Ctrl-C; without a keyboard, until a signal."""
    threading.Thread(target=_mourn, args=(boards,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            if line.strip() == "quit":
                return
            if answer := obey(boards, line):
                print(answer, flush=True)
        signal.pause()


def _mourn(boards: Sequence[VirtualBoard]) -> None:
    """Says of each board that it was given up, and why."""
    said: list[str | None] = [None] * len(boards)
    while True:
        for index, board in enumerate(boards):
            if board.failure != said[index]:
                said[index] = board.failure
                if board.failure:
                    name = board.board.NAME
                    print(f"{index + 1} {name} {board.failure}\n`reset` starts it", flush=True)
        time.sleep(_LOOK_S)
