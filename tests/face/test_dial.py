"""The dial at the panel's edge, in the pictures that show it."""

import pytest

from aora.face.scene import SEATS
from host_bridge.studio import Studio

APART = (
    {"kind": "progress", "value": 0},
    {"kind": "progress", "value": 0.5},
    {"kind": "progress", "value": 0.99},
    {"kind": "progress", "value": 1},
    {"kind": "count", "value": 3},
    {"kind": "count", "value": 3, "total": 5},
    {"kind": "count", "value": 3, "total": 24},
    {"kind": "waveform", "levels": [0.1] * 8},
    {"kind": "waveform", "levels": [0.5] * 8},
    {"kind": "waveform", "levels": [0.9, 0.1] * 4},
    {"kind": "context", "used": 75, "total": 100},
    {"kind": "context", "used": 95, "total": 100},
    {"kind": "kpi", "value": 75, "target": 100},
    {"kind": "voice", "level": 0.5},
)


@pytest.mark.parametrize("board", ["pico-generic", "pico-generic-round", "pico-lcd-1.14"])
def test_different_dials_look_different(board: str) -> None:
    with Studio(board, motion="still") as studio:
        pictures = []
        for hud in APART:
            studio.show("idle", hud=hud, look=SEATS)
            studio.run(1200, 400)
            pictures.append(studio.image().tobytes())
    assert len(set(pictures)) == len(APART)


def test_a_dial_leaves_a_call_its_ground() -> None:
    """What of a dial is not lit yet is not drawn where the ground itself says something."""
    with Studio("pico-generic-round", motion="still") as studio:
        for state in ("listening", "alerting", "refusing"):
            pictures = []
            for look in (0, SEATS):
                studio.show(state, hud={"kind": "progress", "value": 0}, look=look)
                studio.run(1200, 400)
                pictures.append(studio.image().tobytes())
            assert pictures[0] == pictures[1], state


def test_a_dial_leaves_the_caption_whole_on_round_glass() -> None:
    hud = {"kind": "progress", "value": 1}
    words = "Rotated glass"
    with Studio("pico-generic-round", motion="still") as studio:
        pictures = []
        for look in (0, SEATS):
            studio.show("working", words, hud=hud, look=look)
            studio.run(1200, 400)
            pictures.append(studio.image().crop((64, 195, 176, 211)).tobytes())
    assert pictures[0] == pictures[1]
