import pytest
from PIL import Image

from host_bridge.studio import Studio

BOARDS = ("pico-generic", "pico-lcd-1.14", "esp32-s3-lcd-1.47", "pico-lcd-2")


@pytest.mark.parametrize("board", BOARDS)
def test_every_rotation_stays_on_the_glass(board: str) -> None:
    pictures = []
    with Studio(board) as studio:
        for rotation in (0, 90, 180, 270):
            studio.make(rotation=rotation)
            studio.now = 0
            studio.show("editing", "Turning round")
            studio.run(1000, 50)
            assert not studio.board.panel.outside
            assert not studio.board.panel.faults
            pictures.append(studio.image())
    assert pictures[0].size == pictures[2].size == pictures[1].size[::-1]
    assert pictures[0].tobytes() == pictures[2].tobytes()
    assert pictures[1].tobytes() == pictures[3].tobytes()


def test_a_mirrored_picture_is_mirrored() -> None:
    with Studio("pico-generic") as studio:
        studio.now = 0
        studio.show("curious")
        studio.run(800, 50)
        plain = studio.image()
        studio.make(mirror=True)
        studio.now = 0
        studio.show("curious")
        studio.run(800, 50)
        turned = studio.image().transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        assert turned.tobytes() == plain.tobytes()


def test_the_dial_is_at_the_panels_edge() -> None:
    for board in ("pico-generic", "pico-generic-round"):
        with Studio(board) as studio:
            pictures = []
            for look in (0, 16):
                studio.make()
                studio.now = 0
                studio.show("progress", hud={"kind": "progress", "value": 0.5}, look=look)
                studio.run(800, 50)
                pictures.append(studio.image())
            inner = [picture.crop((60, 40, 180, 200)).tobytes() for picture in pictures]
            assert inner[0] == inner[1]
            assert pictures[0].tobytes() != pictures[1].tobytes()
