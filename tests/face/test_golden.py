"""Each state on each kind of panel, pixel by pixel. AORA_GOLDEN=write renews the pictures."""

import os
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from aora.protocol import STATES
from host_bridge.studio import Studio

GOLDEN = Path(__file__).parents[1] / "golden"
PANELS = {
    "square": ("pico-generic", {}),
    "round": ("pico-generic-round", {"colour": "green"}),
    "tall": ("t-display", {"rotation": 0, "shape": "pebble", "colour": "orange"}),
    "wide": ("pico-lcd-1.14", {"shape": "screen", "colour": "pink"}),
    "tall-172": ("esp32-s3-lcd-1.47", {"colour": "white"}),
    "wide-320": ("pico-lcd-2", {"shape": "pebble", "colour": "yellow"}),
}
SETTLED_MS = 1040


def _shows(picture: Image.Image, path: Path, folder: Path) -> str:
    """What is wrong, or nothing; a picture of the difference is left in the folder."""
    if not path.exists():
        return f"{path} is missing"
    golden = Image.open(path).convert("RGB")
    if golden.size == picture.size and golden.tobytes() == picture.tobytes():
        return ""
    difference = ImageChops.difference(golden, picture.resize(golden.size))
    lit = difference.convert("L").point(lambda value: 255 if value else 0)
    sheet = Image.new("RGB", (golden.width * 3, golden.height))
    for i, part in enumerate((golden, picture, lit.convert("RGB"))):
        sheet.paste(part, (i * golden.width, 0))
    target = folder / path.name
    sheet.save(target)
    return f"{path.name} differs: golden, now and difference are in {target}"


@pytest.mark.parametrize("panel", PANELS)
def test_every_state_looks_as_it_did(panel: str, tmp_path: Path) -> None:
    board, settings = PANELS[panel]
    wrong = []
    with Studio(board, **settings) as studio:
        for state in STATES:
            studio.skip_blinks()
            studio.show(state, tips="Editing arbiter.py")
            studio.run(SETTLED_MS, 40)
            path = GOLDEN / f"{panel}-{state}.png"
            if os.environ.get("AORA_GOLDEN") == "write":
                studio.image().quantize(24, dither=Image.Dither.NONE).save(path, optimize=True)
            if text := _shows(studio.image(), path, tmp_path):
                wrong.append(text)
    assert not wrong, "\n".join(wrong)
