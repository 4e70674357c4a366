"""From what a person sees of the test picture to the settings that put it right.

The picture has a dot in its upper left corner and a red bar beside it, lying along the upper
edge. The ring lights its LED at twelve o'clock green and the one at three o'clock blue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CORNERS = ("top left", "top right", "bottom left", "bottom right")
COLOURS = ("red", "blue", "cyan", "yellow")

# What the picture is seen as when the red bar looks like this.
_WRONG = {"red": (), "blue": ("bgr",), "cyan": ("invert",), "yellow": ("bgr", "invert")}

# Orientations as the rows of a matrix: x and y (to the right, down) of where a point goes.
Turn = tuple[int, int, int, int]
_STRAIGHT: Turn = (1, 0, 0, 1)
_QUARTER: Turn = (0, -1, 1, 0)  # clockwise
_MIRROR: Turn = (-1, 0, 0, 1)


@dataclass(frozen=True)
class Seen:
    """A person's answers."""

    corner: str = CORNERS[0]
    colour: str = COLOURS[0]
    lying: bool = True  # the bar lies (True) or stands


def _after(second: Turn, first: Turn) -> Turn:
    """One turn after another."""
    a, b, c, d = second
    e, f, g, h = first
    return (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)


def _undone(turn: Turn) -> Turn:
    a, b, c, d = turn
    return (a, c, b, d)


def turn_of(rotation: int, mirror: bool) -> Turn:
    """What the settings do to a picture: mirrored first, then turned clockwise."""
    turn = _MIRROR if mirror else _STRAIGHT
    for _ in range(rotation // 90):
        turn = _after(_QUARTER, turn)
    return turn


def seen_as(turn: Turn, colour: str = "red") -> Seen:
    """How the test picture looks after a turn."""
    a, b, c, d = turn
    x, y = -a - b, -c - d  # where the upper left corner went
    corner = ("top" if y < 0 else "bottom") + (" left" if x < 0 else " right")
    return Seen(corner, colour, lying=b == 0)


_TURNS = {(r, m): turn_of(r, m) for m in (False, True) for r in (0, 90, 180, 270)}
_BY_LOOK = {(seen_as(t).corner, seen_as(t).lying): t for t in _TURNS.values()}


def panel_settings(now: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The settings to change, given those the picture was drawn with."""
    turned = _BY_LOOK[seen.corner, seen.lying]
    right = _after(turn_of(now["rotation"], now["mirror"]), _undone(turned))
    rotation, mirror = next(key for key, turn in _TURNS.items() if turn == right)
    wanted = {"rotation": rotation, "mirror": mirror}
    wanted |= {key: not now[key] for key in _WRONG[seen.colour]}
    return {key: value for key, value in wanted.items() if value != now[key]}


def ring_settings(now: dict[str, Any], twelve: float, three: float) -> dict[str, Any]:
    """The same for the ring: at which o'clock the green and the blue LED were seen."""
    leds, offset, turning = now["leds"], now["ring_offset"], now["ring_dir"]
    quarter = (three - twelve) % 12
    backwards = quarter > 6
    direction = -turning if backwards else turning
    place = round(twelve % 12 / 12 * leds) % leds
    wanted = {"ring_offset": (offset - direction * place) % leds, "ring_dir": direction}
    return {key: value for key, value in wanted.items() if value != now[key]}


def parse_clock(text: str) -> tuple[float, float] | None:
    """Two o'clocks, halves allowed: "12 3", "1.5, 4.5"; None if it is something else."""
    words = text.replace(",", " ").split()
    try:
        hours = [float(word) for word in words]
    except ValueError:
        return None
    if len(hours) != 2 or any(not 0 <= hour <= 12 for hour in hours) or hours[0] == hours[1]:
        return None
    return hours[0], hours[1]
