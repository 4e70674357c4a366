"""framebuf on the board and displayio on this Python draw the same face.

The measure: of each picture's pixels, the share whose grey differs by more than a fifth of the
range. Outlines are rounded to whole pixels in displayio and not in the canvas, so that rims
may differ by a pixel; shapes, places and colours may not.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from aora.protocol import CLASS_OF, CODE_OF, STATES
from host_bridge.studio import round_glass
from tests.face.classes import expected, told
from tests.face.test_golden import GOLDEN, SETTLED_MS

MOST = 0.025

# In a process of its own: Blinka puts modules of the board's names on the path.
_DRAW = """
import sys
from host_bridge import boards
from aora.face import motion
from aora.protocol import CODE_OF, STATES
from aora.record import Record
from aora.settings import Settings
from host_bridge.studio import BLINKS_OVER_MS
from host_bridge.virtual.displayio_board import DisplayioPanel
from host_bridge.virtual.panel import decoder

name, colour, folder, settled = sys.argv[1:]
board = boards.load(name)
settings = Settings(board, folder + "/settings.json")
settings.colour = colour
face = DisplayioPanel(board, settings, decoder(board.PANEL))
record = Record()
tips = b"Editing arbiter.py"
record.tips[: len(tips)] = tips
record.tips_len = len(tips)
now = 0
for index, state in enumerate(STATES):
    record.code = CODE_OF[index]
    now = (now // motion.BLINK_SLOT + 1) * motion.BLINK_SLOT + BLINKS_OVER_MS
    face.screen.show(record, now)
    face.screen.begin(now + int(settled) - 40)
    face.screen.push()
    face.panel.image().save(f"{folder}/{state}.png")
print(face.panel.outside, face.panel.faults)
"""


@pytest.mark.parametrize(
    ("kind", "board", "colour"),
    [("square", "pico-generic", "blue"), ("round", "pico-generic-round", "green")],
)
def test_both_renderers_agree(kind: str, board: str, colour: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DRAW, board, colour, str(tmp_path), str(SETTLED_MS)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip().endswith("0 []"), done.stderr
    wrong = []
    for index, state in enumerate(STATES):
        drawn = Image.open(tmp_path / f"{state}.png").convert("L")
        golden = Image.open(GOLDEN / f"{kind}-{state}.png").convert("L")
        if kind == "round":
            drawn = round_glass(drawn)
        differing = ImageChops.difference(drawn, golden).point([0] * 52 + [255] * 204)
        share = differing.histogram()[255] / (golden.width * golden.height)
        if share > MOST or told(drawn) != expected(CLASS_OF[CODE_OF[index]]):
            wrong.append((state, round(share, 4), told(drawn)))
    assert not wrong


_TALK = """
import json, sys, time
from pathlib import Path
import serial
from host_bridge.virtual.displayio_board import DisplayioBoard

board = DisplayioBoard("pico-generic", Path(sys.argv[1])).start()
port = serial.serial_for_url(board.port, timeout=5)
port.write(b'{"hello":true}\\n')
port.write(b'{"session_id":"a","state":"editing","tips":"Editing x.py","seq":1}\\n')
heard = []
while not any("shown" in line and line["shown"]["state"] == "editing" for line in heard):
    heard.append(json.loads(port.readline()))
end = time.monotonic() + 5
while not board.panel.image().getbbox() and time.monotonic() < end:
    time.sleep(0.05)
port.close()
board.stop()
print([next(iter(line)) for line in heard], len(board.panel.image().getcolors()) > 4)
"""


def test_a_whole_board_answers_without_micropython(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TALK, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert "'hello'" in done.stdout and "'ack'" in done.stdout, done.stderr
    assert done.stdout.strip().endswith("True")
