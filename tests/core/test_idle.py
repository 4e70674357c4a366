"""Dozing off and waking."""

import pytest

from aora.idle import AWAKE, DROWSY, SLEEPING, WAKING, Idle
from aora.ticks import MASK


@pytest.mark.parametrize("start", (0, MASK - 1000))
def test_drowsy_then_asleep_then_a_moment_of_waking(start):
    idle = Idle(now=start)
    at = lambda ms: (start + ms) & MASK  # noqa: E731
    assert idle.tick(at(44999)) == AWAKE and idle.deadline(at(44999)) == 1
    assert idle.tick(at(45000)) == DROWSY and idle.deadline(at(45000)) == 75000
    assert idle.tick(at(120000)) == SLEEPING and idle.deadline(at(120000)) == -1
    idle.input(at(130000))
    assert idle.tick(at(130000)) == WAKING and idle.tick(at(130899)) == WAKING
    assert idle.tick(at(130900)) == AWAKE
    assert idle.tick(at(130000 + 45000)) == DROWSY


def test_input_while_waking_counts():
    idle = Idle()
    idle.tick(50000)
    idle.input(50000)
    idle.input(50800)
    assert idle.tick(50900) == AWAKE
    assert idle.tick(95799) == AWAKE and idle.tick(95800) == DROWSY


def test_input_while_awake_keeps_awake():
    idle = Idle()
    for now in range(0, 300000, 10000):
        idle.input(now)
        assert idle.tick(now) == AWAKE


def test_sleep_lasts_for_weeks():
    idle = Idle()
    now = 0
    for _ in range(24 * 30):
        now = (now + 3600000) & MASK
        assert idle.tick(now) == SLEEPING


def test_boards_doze_later():
    idle = Idle(drowsy_ms=300000, sleep_ms=900000)
    assert idle.tick(299999) == AWAKE and idle.tick(300000) == DROWSY
    assert idle.tick(900000) == SLEEPING
