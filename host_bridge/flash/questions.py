"""The test picture, what a person says of it, and the settings that follow."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from host_bridge import tune
from host_bridge.boards import Board
from host_bridge.flash import FlashError, ask
from host_bridge.flash.device import Device, board_script
from host_bridge.flash.probe import wait_hello
from host_bridge.flash.run import HELLO_S, Person

_CORNER_WORDS = {
    **{name: name for name in ask.CORNERS},
    **{"".join(word[0] for word in name.split()): name for name in ask.CORNERS},
    **{str(number): name for number, name in enumerate(ask.CORNERS, 1)},
}
_COLOUR_WORDS = {**{name: name for name in ask.COLOURS}, **{name[0]: name for name in ask.COLOURS}}
_NO_RING = ("none", "no", "n")


def settle(port: str, board: Board, person: Person) -> None:
    """Show the test picture, ask, and set what the answers say."""
    person.say("The panel shows a dot and a bar. Enter means: as it should be.")
    with Device(port) as device:
        device.break_in()
        try:
            now = ast.literal_eval(device.run(board_script("picture.py")).splitlines()[-1])
            change = _panel(now, person) | _ring(now, board, person)
        finally:
            device.reset()
    if wait_hello(port, HELLO_S) is None:
        raise FlashError("no hello after the test picture: flash again")
    if change:
        tune.put(port, change)
        person.say("Set: " + ", ".join(f"{key}={value}" for key, value in change.items()))
    person.say("Done. aora run shows your agents on it.")


def _panel(now: dict[str, Any], person: Person) -> dict[str, Any]:
    corner = _choice(person, "Which corner is the dot in? (tl, tr, bl, br)", "tl", _CORNER_WORDS)
    right = person.ask("Is the bar red, and does it lie (not stand)? (y/n)", "y")
    if right.strip().lower().startswith("y"):
        return ask.panel_settings(now, ask.Seen(corner))
    colour = _choice(person, "Its colour? (red, blue, cyan, yellow)", "red", _COLOUR_WORDS)
    lying = _choice(person, "Does it lie or stand?", "lie", {"lie": "lie", "stand": "stand"})
    return ask.panel_settings(now, ask.Seen(corner, colour, lying == "lie"))


def _ring(now: dict[str, Any], board: Board, person: Person) -> dict[str, Any]:
    if board.RING["pin"] is None or not now["leds"]:
        return {}
    question = "Ring: at which o'clock is green, at which blue? (halves allowed; none: no ring)"
    while True:
        answer = person.ask(question, "12 3").strip().lower()
        if answer in _NO_RING:
            return {"leds": 0}
        hours = ask.parse_clock(answer)
        if hours is not None:
            return ask.ring_settings(now, *hours)
        person.say("Two o'clocks, such as: 12 3")


def _choice(person: Person, question: str, default: str, words: dict[str, str]) -> str:
    while True:
        answer = person.ask(question, default).strip().lower()
        with contextlib.suppress(KeyError):
            return words[answer]
        person.say(f"One of: {', '.join(dict.fromkeys(words.values()))}")
