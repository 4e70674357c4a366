"""The firmware on an emulated Pico: the real MicroPython for the chip, its USB, SPI and DMA.

It checks that all works together, not how fast: rp2040py (its compiled core) takes about 20 s of a
processor for each emulated second, and all takes more than three: one to two minutes.
"""

import importlib.util
import os
from pathlib import Path

import pytest

from host_bridge import boards
from host_bridge.flash import image

UF2 = os.environ.get("AORA_UF2", "")
if not UF2:
    WANTING = "set AORA_UF2 to a MicroPython RPI_PICO .uf2 to run the firmware on an emulated Pico"
elif not importlib.util.find_spec("rp2040py"):
    WANTING = "pip install aora-face[emulator] to run the firmware of AORA_UF2 on an emulated Pico"
else:
    WANTING = ""

BLACK = (0, 0, 0)


@pytest.mark.skipif(bool(WANTING), reason=WANTING)
def test_the_firmware_shows_a_face(tmp_path):
    """From `aora image`'s file to hello, an acknowledged line, and its face on the panel."""
    from tests.emulator.pico import Pico

    board = boards.load("pico-generic")
    joined = tmp_path / "joined.uf2"
    joined.write_bytes(image.make(board, Path(UF2).read_bytes(), Path(UF2).name))
    pico = Pico(joined, board)

    hello = pico.hear("hello", within=15)
    assert hello["board"] == "pico-generic" and hello["panel"] == [240, 240]

    line = {"session_id": "a", "aoraBotId": "43", "tips": "Editing app.ts", "seq": 7}
    line["x"] = "x" * 200  # more than three packets
    pico.send(line)
    assert pico.hear("ack", within=5) == 7
    while (shown := pico.hear("shown", within=5))["seq"] != 7:
        pass  # the face it started with
    assert shown == {"code": "43", "state": "editing", "session_id": "a", "seq": 7}

    panel = pico.panel
    picture = panel.image()
    assert panel.on and not panel.outside and not panel.faults and not pico.noise
    face, caption = picture.crop((0, 0, 240, 196)), picture.crop((0, 210, 240, 230))
    for part in (face, caption):
        colours = part.getcolors(240 * 240)
        assert colours is not None and len(colours) > 1, "nothing is drawn there"
        assert max(colours)[0] < part.width * part.height * 0.95
