"""Buttons, on the real firmware's class with pins in hand."""

import sys
import types

import pytest


@pytest.fixture
def button(monkeypatch):
    """A button whose pin reads what `level[0]` says."""
    level = [1]

    class Pin:
        IN = PULL_UP = 0

        def __init__(self, *_):
            self.value = lambda: level[0]

    monkeypatch.setitem(sys.modules, "machine", types.SimpleNamespace(Pin=Pin))
    monkeypatch.delitem(sys.modules, "aora.buttons", raising=False)
    from aora.buttons import Button

    made = Button("a", 15)

    def hold(value, now, ms=1):
        """Polls every millisecond with this level; answers what was pressed."""
        level[0] = value
        presses = [made.poll(t & (2**29 - 1)) for t in range(now, now + ms)]
        return [press for press in presses if press]

    return hold


@pytest.mark.parametrize("start", (0, 2**29 - 500))
def test_short_and_long(button, start):
    assert button(1, start, 100) == []
    assert button(0, start + 100, 200) == []
    assert button(1, start + 300, 100) == [b"short"]
    assert button(0, start + 400, 900) == [b"long"]
    assert button(1, start + 1300, 100) == []


def test_bounces_count_once(button):
    button(1, 0, 100)
    presses = []
    for t in range(100, 120):
        presses += button(t % 2, t)
    presses += button(0, 120, 100) + button(1, 220, 100)
    assert presses == [b"short"]


def test_a_pin_that_is_down_from_the_start_is_no_press(button):
    assert button(0, 0, 2000) == []
    assert button(1, 2000, 100) == []
    assert button(0, 2100, 100) + button(1, 2200, 100) == [b"short"]
