"""Nothing flashes: WCAG 2.3.1 asks for three a second at most, this face keeps to two.

A flash is a pair of opposing changes of the relative luminance by a tenth of the maximum or
more, where the darker one is below 0.8. The whole panel and each of its quarters count, with
the ring's light beside them; saturated red must not flash at all.
"""

from typing import cast

import pytest
from PIL import Image

from aora.protocol import CLASS_OF, CODE_OF, STATES
from host_bridge.studio import Studio

STEP_MS = 40
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


def _flashes(values: list[float]) -> int:
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
    window = 1000 // STEP_MS
    return max([sum(1 for t in turns if i <= t < i + window) // 2 for i in turns], default=0)


def _red_share(picture: Image.Image) -> float:
    """How much of the picture is saturated red: R / (R + G + B) of 0.8 and more."""
    reds = sum(
        count
        for count, (red, green, blue) in _counts(picture)
        if red > 40 and LINEAR[red] >= 0.8 * (LINEAR[red] + LINEAR[green] + LINEAR[blue])
    )
    return reds / (picture.width * picture.height)


def _watch(studio: Studio, ms: int) -> list[list[float]]:
    seen = []
    for _ in range(ms // STEP_MS):
        studio.run(STEP_MS, STEP_MS)
        picture = studio.board.panel.image()
        assert _red_share(picture) == 0
        seen.append(_luminance(picture))
    return seen


def _worst(seen: list[list[float]]) -> int:
    return max(_flashes([values[i] for values in seen]) for i in range(len(seen[0])))


@pytest.mark.parametrize("board", ["pico-generic", "pico-generic-round"])
def test_no_state_flashes(board: str) -> None:
    with Studio(board, motion="lively") as studio:
        for state in STATES:
            studio.show(state)
            assert _worst(_watch(studio, 3000)) <= PER_SECOND, state


def test_no_change_of_state_flashes() -> None:
    """One state of each class and kind of eyes, into each other, as fast as dwells allow."""
    kinds = ("idle", "sleeping", "thinking", "humming", "celebrate", "alerting", "listening")
    with Studio("pico-generic", shape="screen") as studio:
        for one in (*kinds, "refusing"):
            for other in (*kinds, "refusing"):
                seen = []
                for state in (one, other, one):
                    studio.show(state)
                    seen += _watch(studio, 480 if CLASS_OF[CODE_OF[STATES.index(state)]] else 320)
                assert _worst(seen) <= PER_SECOND, (one, other)


def test_the_ring_does_not_flash() -> None:
    """Each class of seat, and each into each other, lit by fades."""
    with Studio("pico-generic", ring_brightness=100, budget_ma=2000) as studio:
        levels = []
        for one in range(6):
            for other in range(6):
                for look in (one, other):
                    for _ in range(24):
                        studio.order(
                            seats=[look] * 5, front=0, lights=[False, 0, studio.now, 40, 1]
                        )
                        studio.now += 40
                        light = sum(sum(led) for led in studio.board.ring.leds)
                        levels.append(light / (16 * 3 * 255))
        assert _flashes(levels) <= PER_SECOND
