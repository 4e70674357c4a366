"""`aora sheet`, where it has nothing to draw."""

import subprocess
import sys
from pathlib import Path

import pytest


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
