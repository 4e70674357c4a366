"""Nothing flashes: WCAG 2.3.1 asks for three a second at most, this face keeps to two.

A flash is a pair of opposing changes of the relative luminance by a tenth of the maximum or
more, where the darker one is below 0.8. The whole panel and each of its quarters count, the
ring beside them, and both together; saturated red must not flash at all.
"""

from collections.abc import Iterator
from typing import cast

import pytest
from PIL import Image

from aora.protocol import CLASS_OF, CODE_OF, STATES
from host_bridge.studio import Studio

STEP_MS = 50
TURN_STEP_MS = 100  # one state turns into the next by a single fade of a quarter second
LEAST_MS = 500  # a shorter dwell is the user's own wish: the setting says that it may flash
PER_SECOND = 2


def _linear(value: int) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


LINEAR = [_linear(value) for value in range(256)]


def _luminance(picture: Image.Image) -> list[float]:
    """Of the whole picture and of its quarters, from the counts of its few colours."""
    wide, high = picture.size
    half = (wide // 2, high // 2)
    boxes = [(0, 0, wide, high)] + [
        (x, y, x + half[0], y + half[1]) for x in (0, half[0]) for y in (0, half[1])
    ]
    return [_mean(picture.crop(box)) for box in boxes]


def _counts(picture: Image.Image) -> list[tuple[int, tuple[int, int, int]]]:
    """How often each colour is there."""
    return cast("list[tuple[int, tuple[int, int, int]]]", picture.getcolors(1 << 16))


def _mean(picture: Image.Image) -> float:
    total = 0.0
    for count, (red, green, blue) in _counts(picture):
        total += count * (0.2126 * LINEAR[red] + 0.7152 * LINEAR[green] + 0.0722 * LINEAR[blue])
    return total / (picture.width * picture.height)


def _flashes(values: list[float], step: int = STEP_MS) -> int:
    """The most flashes within a second."""
    turns: list[int] = []  # frames at which a large enough change had come about
    start, direction = values[0], 0
    for i, value in enumerate(values):
        change = value - start
        if direction and change * direction > 0:
            start = value
        elif abs(change) >= 0.1 and min(value, start) < 0.8:
            turns.append(i)
            direction, start = (1 if change > 0 else -1), value
    window = 1000 // step
    return max([sum(1 for t in turns if i <= t < i + window) // 2 for i in turns], default=0)


def _red_share(picture: Image.Image) -> float:
    """How much of the picture is saturated red: R / (R + G + B) of 0.8 and more."""
    reds = sum(
        count
        for count, (red, green, blue) in _counts(picture)
        if red > 40 and LINEAR[red] >= 0.8 * (LINEAR[red] + LINEAR[green] + LINEAR[blue])
    )
    return reds / (picture.width * picture.height)


def _ring(studio: Studio, seat: int) -> float:
    """The ring's light when each seat is of this class."""
    studio.order(seats=[seat] * 5, front=0, lights=[False, 0, studio.now, STEP_MS, 1])
    leds = studio.board.ring.leds
    return sum(sum(led) for led in leds) / (len(leds) * 3 * 255)


def _watch(studio: Studio, state: str, ms: int, step: int = STEP_MS) -> list[list[float]]:
    """Of each frame: the panel's light, its quarters', the ring's, and both together."""
    studio.show(state)
    seat = CLASS_OF[CODE_OF[STATES.index(state)]]
    seen = []
    for _ in range(ms // step):
        ring = _ring(studio, seat)
        studio.run(step, step)
        picture = studio.board.panel.image()
        assert _red_share(picture) == 0
        lights = _luminance(picture)
        seen.append([*lights, ring, (lights[0] + ring) / 2])
    return seen


def _changes() -> Iterator[str]:
    """States in an order in which each comes after each other one."""
    for i, one in enumerate(STATES):
        for other in STATES[i + 1 :]:
            yield one
            yield other


def _worst(seen: list[list[float]], step: int = STEP_MS) -> int:
    return max(_flashes([values[i] for values in seen], step) for i in range(len(seen[0])))


LOUD = {"ring_brightness": 100, "budget_ma": 2000}


@pytest.mark.parametrize("board", ["pico-generic", "pico-generic-round"])
def test_no_state_flashes(board: str) -> None:
    with Studio(board, motion="lively", **LOUD) as studio:
        for state in STATES:
            assert _worst(_watch(studio, state, 3000)) <= PER_SECOND, state


def test_no_change_of_state_flashes() -> None:
    """Each state into each other, as fast as dwells allow."""
    with Studio("pico-generic", shape="screen", **LOUD) as studio:
        recent: list[list[float]] = []
        states: list[str] = []
        for state in _changes():
            recent += _watch(studio, state, LEAST_MS, TURN_STEP_MS)
            states.append(state)
            recent = recent[-2 * 1000 // TURN_STEP_MS :]
            assert _worst(recent, TURN_STEP_MS) <= PER_SECOND, states[-6:]


def test_the_ring_does_not_flash() -> None:
    """Each class of seat, and each into each other, lit by fades."""
    with Studio("pico-generic", **LOUD) as studio:
        levels = []
        for one in range(6):
            for other in range(6):
                for look in (one, other):
                    for _ in range(24):
                        levels.append(_ring(studio, look))
                        studio.now += STEP_MS
        assert _flashes(levels) <= PER_SECOND
