import pytest

from aora.protocol import BROKEN, DONE, NEEDS_YOU, NOTHING, REFUSED, WORKING
from host_bridge.studio import Studio

EMPTY = 255


@pytest.fixture(scope="module")
def studio():
    with Studio("pico-generic") as it:
        yield it


def lights(studio, *, seats=None, front=-1, hud=None, elapsed=0, ms=3000, step=50):
    """The ring after a while."""
    if hud:
        studio.show("progress", hud=hud)
    count = ms // step
    order = {"lights": [bool(hud), elapsed, studio.now, step, count]}
    if seats is not None:
        order |= {"seats": seats, "front": front}
    studio.order(**order)
    studio.now += ms
    return studio.board.ring.leds


def test_each_class_has_its_seat(studio) -> None:
    studio.make(ring_brightness=100, budget_ma=2000, leds=16, ring_offset=0, ring_dir=1)
    leds = lights(studio, seats=[NOTHING, WORKING, DONE, NEEDS_YOU, BROKEN])
    lit = [max(led) > 0 for led in leds]
    assert lit[:16] == [0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0]
    bright = [max(led) for led in leds]
    assert bright[1] < bright[4] < bright[6] < bright[9]
    assert leds[6][1] > leds[6][0] and leds[9][0] > leds[9][2] and leds[12][0] > leds[12][1]
    refused = lights(studio, seats=[REFUSED, EMPTY, EMPTY, EMPTY, EMPTY])
    assert max(refused[1]) == 0 and refused[0] == refused[2]
    assert refused[0][2] > refused[0][1]


def test_the_front_seat_is_brighter(studio) -> None:
    studio.make(ring_brightness=60, budget_ma=2000, leds=16)
    leds = lights(studio, seats=[DONE, DONE, EMPTY, EMPTY, EMPTY], front=1)
    assert max(leds[4]) > max(leds[1])


def test_offset_and_direction(studio) -> None:
    studio.make(ring_brightness=100, budget_ma=2000, leds=16, ring_offset=5, ring_dir=-1)
    leds = lights(studio, seats=[DONE, EMPTY, EMPTY, EMPTY, EMPTY])
    assert [i for i, led in enumerate(leds) if max(led)] == [3, 4, 5]
    studio.make(ring_offset=0, ring_dir=1)


@pytest.mark.parametrize("budget", [40, 120, 300])
def test_the_sum_of_all_channels_keeps_to_the_budget(studio, budget: int) -> None:
    studio.make(ring_brightness=100, budget_ma=budget, leds=16)
    for seats in ([NEEDS_YOU] * 5, [BROKEN] * 5, [DONE] * 5):
        leds = lights(studio, seats=seats, front=0)
        drawn = sum(sum(led) for led in leds) * 20 / 255 + 16
        assert drawn <= budget
    drawn = lights(studio, hud={"kind": "progress", "value": 1})
    assert sum(sum(led) for led in drawn) * 20 / 255 + 16 <= budget


def test_it_starts_softly(studio) -> None:
    studio.make(ring_brightness=100, budget_ma=2000, leds=16)
    studio.board.ring.writes.clear()
    lights(studio, seats=[NEEDS_YOU] * 5, ms=1000, step=20)
    sums = [sum(write.data) for write in studio.board.ring.writes]
    assert len(sums) > 8 and sums == sorted(sums)
    assert sums[0] < sums[-1] // 4


@pytest.mark.parametrize("percent", [100, 50, 10])
def test_brightness_follows_the_eye(studio, percent: int) -> None:
    studio.make(ring_brightness=percent, budget_ma=2000, leds=16)
    leds = lights(studio, seats=[NEEDS_YOU] * 5)
    assert max(leds[0]) == pytest.approx(220 * 0.6 * (percent / 100) ** 2, abs=2)


@pytest.mark.parametrize(
    ("hud", "lit"),
    [
        ({"kind": "progress", "value": 0.5}, range(8)),
        ({"kind": "count", "value": 3}, range(3)),
        ({"kind": "timer", "remainingMs": 10000, "totalMs": 20000}, range(4)),
        ({"kind": "voice", "level": 0.5}, range(4, 13)),
    ],
)
def test_a_dial_on_the_ring(studio, hud, lit) -> None:
    studio.make(ring_brightness=100, budget_ma=2000, leds=16)
    leds = lights(studio, hud=hud, elapsed=5000)
    assert [i for i, led in enumerate(leds) if max(led) > 8] == list(lit)


def test_tones_of_a_context(studio) -> None:
    studio.make(ring_brightness=100, budget_ma=2000, leds=16)
    colours = [
        lights(studio, hud={"kind": "context", "used": used, "total": 100})[0]
        for used in (50, 75, 95)
    ]
    assert colours[0][2] > colours[0][0]
    assert colours[1][0] > colours[1][1] > colours[2][1]
