"""What pip installs can do all of it without the checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile

import pytest

from host_bridge.virtual import VirtualBoard

from ..conftest import ROOT
from .test_image import PICO, RP2040, as_uf2, program

# Without -S the checkout would be on the path, as an editable installation puts it there.
START = """
import sys
sys.path[:0] = [{wheel!r}]
sys.path.append({site!r})
import aora, host_bridge
assert aora.__file__.startswith({wheel!r}) and host_bridge.__file__.startswith({wheel!r})
from host_bridge.cli import main
main()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Runs `aora` from an unpacked wheel, in a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)]
    built = subprocess.run(build, capture_output=True, text=True, timeout=300)
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("no package index: a wheel cannot be built here")
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    unpacked = folder / "site"
    zipfile.ZipFile(wheel).extractall(unpacked)
    start = START.format(wheel=str(unpacked), site=sysconfig.get_path("purelib"))

    def aora(*words):
        env = {**os.environ, "AORA_HOME": str(folder / "home"), "AORA_URL": "http://127.0.0.1:1"}
        run = [sys.executable, "-I", "-S", "-c", start, *map(str, words)]
        done = subprocess.run(
            run, capture_output=True, text=True, cwd=folder, env=env, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return aora


def test_it_flashes_a_board_and_makes_images(installed, tmp_path):
    assert "pico-generic-round" in installed("flash", "--list")
    with VirtualBoard(home=tmp_path / "board", heap="400k", empty=True) as board:
        said = installed("flash", "pico-generic", "--port", board.port, "--yes")
        assert "verified" in said and "Hello from pico-generic: 240x240, 16 LEDs." in said
        assert "nothing copied" in installed(
            "flash", "pico-generic", "--port", board.port, "--yes"
        )
        installed("set", "brightness=30", "--port", board.port)
        assert " 30 " in installed("get", "brightness", "--port", board.port)
    uf2 = tmp_path / "RPI_PICO-latest.uf2"
    uf2.write_bytes(as_uf2(program(*PICO[2:4]), RP2040))
    installed("image", "pico-generic", "--uf2", uf2, "--out", tmp_path / "joined.uf2")
    assert (tmp_path / "joined.uf2").stat().st_size > uf2.stat().st_size + 100_000
