"""The README's lines, typed one after another, on a board that is not there."""

import re
import subprocess
import sys

from .test_person import aora


def test_from_an_empty_board_to_a_face(tmp_path):
    words = [sys.executable, "-m", "host_bridge.cli", "board", "--empty", "--home", str(tmp_path)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as virtual:
        assert virtual.stdout is not None
        found = re.fullmatch(r"1 pico-generic (\S+)\n", virtual.stdout.readline())
        assert found
        port = found[1]
        try:
            first = aora("flash", "pico-generic", "--port", port, "--yes")
            assert first.returncode == 0, first.stderr
            assert "MicroPython" in first.stdout and "verified" in first.stdout
            assert "Hello from pico-generic: 240x240, 16 LEDs." in first.stdout
            again = aora("flash", "pico-generic", "--port", port, "--yes")
            assert "nothing copied" in again.stdout
            dry = aora("flash", "pico-generic", "--port", port, "--dry-run")
            assert "0 to copy" in dry.stdout
            assert aora("set", "brightness=30", "shape=pebble", "--port", port).returncode == 0
            assert " pebble " in aora("get", "--port", port).stdout
            wrong = aora("set", "brightness=300", "--port", port)
            assert wrong.returncode == 1 and "0-100" in wrong.stderr
        finally:
            virtual.terminate()


def test_a_board_nobody_knows_ends_with_the_known_ones():
    done = aora("flash", "pico-lcd-1.33", "--dry-run")
    assert done.returncode == 1 and "pico-lcd-1.3," in done.stderr
