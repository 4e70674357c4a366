import pytest

from aora.face.palette import COLOURS
from aora.face.scene import SHAPES
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
                    studio.run(800, 400)
                    picture = studio.image()
                    kind = expected(CLASS_OF[CODE_OF[STATES.index(state)]])
                    if told(picture) != kind:
                        wrong.append((shape, colour, state, told(picture), cells(picture)))
    assert not wrong


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
