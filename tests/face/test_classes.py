import pytest

from aora.face.palette import COLOURS
from aora.face.scene import DOUBT, SEATS, SHAPES
from aora.protocol import CLASS_OF, CODE_OF, STATES
from host_bridge.studio import Studio
from tests.face.classes import cells, expected, told

PANELS = {
    "pico-generic": list(COLOURS),
    "pico-generic-round": ["yellow", "blue", "green"],
    "t-display": ["yellow", "blue"],
    "pico-lcd-1.14": ["yellow", "blue"],
    "esp32-s3-lcd-1.47": ["yellow", "blue"],
    "pico-lcd-2": ["yellow", "blue"],
}


@pytest.mark.parametrize("board", PANELS)
def test_a_blurred_picture_tells_the_class(board: str) -> None:
    wrong = []
    with Studio(board) as studio:
        turned = studio.board.board.PANEL["rotation"]
        for shape in SHAPES:
            for colour in PANELS[board]:
                studio.make(
                    shape=shape, colour=colour, rotation=0 if board == "t-display" else turned
                )
                for state in STATES:
                    studio.show(state, tips="Building the project" if colour != "blue" else "")
                    wrong += _misread(studio, state, shape, colour)
    assert not wrong


def _misread(studio: Studio, state: str, *what: str) -> list[tuple[object, ...]]:
    """What is wrong with the class that the picture tells."""
    studio.run(800, 400)
    picture = studio.image()
    right = told(picture) == expected(CLASS_OF[CODE_OF[STATES.index(state)]])
    return [] if right else [(*what, state, told(picture), cells(picture))]


@pytest.mark.parametrize("board", ["pico-generic", "pico-generic-round"])
@pytest.mark.parametrize("value", [0, 0.5, 1])
def test_a_dial_at_the_edge_does_not_hide_the_class(board: str, value: float) -> None:
    wrong = []
    used = {"kind": "context", "used": value, "total": 1}
    with Studio(board) as studio:
        for shape, colour in (("blob", "yellow"), ("pebble", "white"), ("screen", "blue")):
            studio.make(shape=shape, colour=colour)
            for hud in ({"kind": "progress", "value": value}, used):
                for state in STATES:
                    studio.show(state, tips="Building the project", hud=hud, look=SEATS)
                    wrong += _misread(studio, state, shape, colour)
    assert not wrong


@pytest.mark.parametrize("shape", SHAPES)
def test_doubt_can_be_seen_in_every_state(shape: str) -> None:
    with Studio("pico-generic", motion="still", shape=shape) as studio:
        alike = []
        for state in STATES:
            pictures = []
            for look in (0, DOUBT):
                studio.show(state, look=look)
                studio.run(1200, 400)
                pictures.append(studio.image().convert("L").resize((60, 60)).tobytes())
            if sum(abs(a - b) > 30 for a, b in zip(*pictures, strict=True)) < 24:
                alike.append(state)
    assert not alike


def test_states_of_one_class_look_different() -> None:
    """In grey, at 60 x 60, still and without their motion: no two states are the same."""
    with Studio("pico-generic", motion="still") as studio:
        seen = {}
        for state in STATES:
            studio.show(state)
            studio.run(1200, 400)
            seen[state] = studio.image().convert("L").resize((60, 60)).tobytes()
    alike = [
        (one, other)
        for one in STATES
        for other in STATES
        if one < other
        and sum(abs(a - b) > 60 for a, b in zip(seen[one], seen[other], strict=True)) < 24
    ]
    assert not alike
