"""`aora sheet`: the README shows its pictures, and a wrong wish is told."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from host_bridge import sheet

README = Path(__file__).parents[2] / "sprites" / "readme"


def _frames(path: Path) -> list[bytes]:
    with Image.open(path) as picture:
        return [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(picture)]


def test_the_pictures_of_the_readme_are_what_the_firmware_draws(tmp_path: Path) -> None:
    shown = [path for path in sheet.write(tmp_path) if (README / path.name).exists()]
    assert len(shown) == 3
    for path in shown:
        assert _frames(path) == _frames(README / path.name), "run: aora sheet, and copy it"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shape", "cube"), "blob, pebble, screen"),
        (("--colour", "red"), "blue, green, orange"),
        (("--out", "/dev/null/x"), "/dev/null/x"),
    ],
)
def test_a_wrong_wish_is_told_apart(words, said):
    aora = Path(sys.executable).with_name("aora")
    done = subprocess.run([aora, "sheet", *words], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and said in done.stderr
