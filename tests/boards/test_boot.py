"""Every MicroPython board starts as it is flashed and shows its face on its own glass."""

import time

import pytest

from host_bridge import boards
from host_bridge.flash import build
from host_bridge.flash.probe import wait_hello
from host_bridge.virtual import VirtualBoard

HEAP = "400k"  # objects are twice a board's size here
ALL = [name for name in boards.names() if boards.load(name).RUNTIME == "micropython"]


@pytest.fixture(params=ALL)
def board(request, tmp_path):
    """A board with what `aora flash` puts on it."""
    with VirtualBoard(request.param, home=tmp_path, heap=HEAP, empty=True) as virtual:
        for path, data in build.files(virtual.board, "x64").items():
            target = virtual.flash / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        virtual.reset()
        yield virtual


def test_it_shows_its_face_upright_and_inside_its_glass(board):
    hello = wait_hello(board.port, 10)
    assert hello is not None, board.output[-500:]
    panel = board.board.PANEL
    width, height = panel["width"], panel["height"]
    if panel["rotation"] in (90, 270):
        width, height = height, width
    assert hello["board"] == board.board.NAME and hello["panel"] == [width, height]
    board.wait(lambda: board.panel.on and board.backlight > 0, 10)
    time.sleep(0.3)
    image = board.panel.image().convert("L")
    assert image.size == (width, height)
    assert board.panel.outside == 0 and not board.faults
    lit = image.point(lambda value: 255 if value > 60 else 0).getbbox()
    assert lit is not None
    left, top, right, low = lit
    assert right - left >= width // 4 and low - top >= height // 6  # eyes, not a stray pixel
    assert abs((left + right) - width) <= width // 3  # in the middle
