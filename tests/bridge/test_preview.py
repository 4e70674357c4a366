"""The bridge's own face: as patient with what a board says of itself as with everybody."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aora import ticks
from host_bridge.links.link import Link
from host_bridge.preview import Preview

WORKING = b'{"session_id":"a","aoraBotId":"32"}\n'
READING = b'{"session_id":"b","aoraBotId":"42"}\n'
DEFAULTS = {"min_display_ms": 900, "sticky_ms": 0, "slots": 16}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
NAMES = st.sampled_from(["leds", "dwell", "sticky_ms", "brightness", "quiet", "name", "else"])


def shown(preview: Preview, now: int) -> str | None:
    preview.feed(WORKING, now)
    preview.tick(now + 60_000)
    return preview.face()["session_id"]


@given(st.dictionaries(NAMES, JSON), JSON)
def test_no_settings_and_no_size_upset_it(settings: dict[str, Any], slots: Any) -> None:
    preview = Preview(lambda face: None)
    link = Link("port", lambda _: None, None, lambda: 0)  # type: ignore[arg-type]
    link.hello = {"slots": slots}
    preview.configure(settings, link.slots)
    assert shown(preview, 1) == "a"
    assert 100 <= preview.options["min_display_ms"] <= 10_000
    assert 0 <= preview.options["sticky_ms"] <= 60_000
    assert 0 < preview.options["slots"] <= 255


@pytest.mark.parametrize(
    "settings",
    [{"leds": "x"}, {"leds": -5}, {"leds": 10**9}, {"dwell": [1]}, {"dwell": 0}]
    + [{"dwell": True}, {"sticky_ms": None}, {"sticky_ms": 1e400}],
)
def test_what_is_no_setting_changes_nothing(settings: dict[str, Any]) -> None:
    preview = Preview(lambda face: None)
    preview.configure(settings, 10**9)
    assert (preview.options, len(preview.seats())) == (DEFAULTS, 5)


def test_settings_are_followed() -> None:
    preview = Preview(lambda face: None)
    preview.configure({"leds": 24, "dwell": 200, "sticky_ms": 5000}, 4)
    assert preview.options == {"min_display_ms": 200, "sticky_ms": 5000, "slots": 4}
    assert len(preview.seats()) == 6
    preview.feed(WORKING, 10)
    preview.feed(READING, 20)
    preview.tick(2000)
    assert preview.face()["session_id"] == "a"


@pytest.mark.parametrize("now", [0, ticks.PERIOD // 4, ticks.PERIOD * 3 // 4, 10 * ticks.PERIOD])
def test_it_works_however_long_the_machine_has_run(now: int) -> None:
    preview = Preview(lambda face: None, now)
    preview.feed(WORKING, now)
    preview.feed(READING, now + 10)
    preview.tick(now + 1000)
    assert preview.face()["session_id"] == "b"
    assert now + 900 <= preview.face_since() <= now + 1000
