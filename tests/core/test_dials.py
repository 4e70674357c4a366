"""Dials: what a ring of any length shows of each kind."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aora import hud
from aora.line import UPDATE, Line


def _hud(spec):
    line = Line()
    line.load(json.dumps({"session_id": "s", "aoraBotId": "47", "hud": spec}).encode())
    assert line.parse() == UPDATE and line.record.hud.kind
    return line.record.hud


def _dial(spec, leds, elapsed_ms=0):
    out = bytearray(leds)
    tone = hud.dial(_hud(spec), leds, elapsed_ms, out)
    return list(out), tone


_unit = st.integers(0, 1000).map(lambda n: n / 1000)
_specs = st.one_of(
    st.builds(lambda v: {"kind": "progress", "value": v}, _unit),
    st.builds(
        lambda r, t: {"kind": "timer", "remainingMs": r, "totalMs": t},
        st.integers(0, 10**11),
        st.integers(1, 10**11),
    ),
    st.builds(
        lambda u, t: {"kind": "context", "used": u, "total": t},
        st.floats(0, 9e11),
        st.floats(1e-9, 9e11),
    ),
    st.builds(lambda v: {"kind": "voice", "level": v}, _unit),
    st.builds(
        lambda v: {"kind": "waveform", "levels": v}, st.lists(_unit, min_size=1, max_size=24)
    ),
    st.builds(
        lambda v, t: {"kind": "kpi", "value": v, "target": t},
        st.floats(-9e11, 9e11),
        st.floats(1e-9, 9e11),
    ),
    st.builds(lambda v: {"kind": "count", "value": v}, st.integers(0, 64)),
    st.builds(
        lambda v, t: {"kind": "count", "value": v, "total": t},
        st.integers(0, 64),
        st.integers(1, 1000),
    ),
)


@given(_specs, st.integers(1, 240), st.integers(0, 2**28))
def test_any_dial_fills_any_ring(spec, leds, elapsed_ms):
    levels, tone = _dial(spec, leds, elapsed_ms)
    assert len(levels) == leds and tone in (hud.NORMAL, hud.AMBER, hud.RED)


@given(st.integers(0, 1000), st.integers(1, 60))
def test_an_arc_is_as_long_as_its_share(share, leds):
    levels, _ = _dial({"kind": "progress", "value": share / 1000}, leds)
    assert abs(sum(levels) - share * leds * 255 / 1000) <= leds + 255 / 16
    assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize(
    ("spec", "levels"),
    (
        ({"kind": "progress", "value": 0}, [0] * 4),
        ({"kind": "progress", "value": 1}, [255] * 4),
        ({"kind": "progress", "value": 0.375}, [255, 127, 0, 0]),
        ({"kind": "waveform", "levels": [0, 1]}, [0, 0, 255, 255]),
        ({"kind": "count", "value": 2}, [255, 255, 0, 0]),
        ({"kind": "count", "value": 1, "total": 3}, [255, 24, 24, 0]),
        ({"kind": "count", "value": 4, "total": 8}, [255, 255, 24, 24]),
        ({"kind": "voice", "level": 0}, [0] * 4),
        ({"kind": "voice", "level": 1}, [255] * 4),
        ({"kind": "kpi", "value": 2, "target": 4}, [160, 160, 0, 255]),
        ({"kind": "kpi", "value": 8, "target": 4}, [160, 160, 255, 160]),
        ({"kind": "kpi", "value": -1, "target": 4}, [0, 0, 0, 255]),
    ),
)
def test_levels_of_each_kind(spec, levels):
    assert _dial(spec, 4)[0] == levels


def test_a_timer_runs_down_by_itself():
    spec = {"kind": "timer", "remainingMs": 60000, "totalMs": 60000}
    assert _dial(spec, 4, 0)[0] == [255] * 4
    assert _dial(spec, 4, 30000)[0] == [255, 255, 0, 0]
    assert _dial(spec, 4, 60000)[0] == [0] * 4
    assert _dial(spec, 4, 2**28)[0] == [0] * 4


@pytest.mark.parametrize(
    ("used", "total", "tone"),
    (
        (69, 100, hud.NORMAL),
        (70, 100, hud.AMBER),
        (89, 100, hud.AMBER),
        (90, 100, hud.RED),
        (106291, 118194, hud.AMBER),
    ),
)
def test_a_full_context_warns(used, total, tone):
    assert _dial({"kind": "context", "used": used, "total": total}, 12)[1] == tone


def test_no_dial_is_dark():
    out = bytearray(b"\xff" * 6)
    assert hud.dial(hud.Hud(), 6, 0, out) == hud.NORMAL and bytes(out) == bytes(6)
