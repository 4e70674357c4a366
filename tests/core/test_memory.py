"""Fixed memory: after start-up, taking messages and arbitrating allocate nothing."""

import os
import re
import shutil
import subprocess

import pytest

from host_bridge.flash import build
from host_bridge.flash.fold import fold
from host_bridge.portable import portable
from host_bridge.virtual import VirtualBoard
from tests.conftest import ROOT

HEAP = ROOT / "tests" / "core" / "mp_heap.py"
WASM = ROOT / "tests" / "wasm"


def _check(output):
    word, before, grown, after, shown, refused = output.split()
    assert word == "ok"
    assert before == grown == after, "the heap grew"
    assert int(shown) > 100 and int(refused) > 1000


def test_core_on_64_bit(micropython):
    options = ("-X", "heapsize=200k")
    _check(micropython(HEAP, "core", 10_000, 100_000, options=options))


FRAMES = """
import gc
import aora_board
import aora_pack
from aora.display import memory
memory.reserve(aora_board)
gc.threshold(4096)
import heap
heap.main("frames", 10_000, 500)
"""


def test_core_and_frames_on_64_bit():
    """The firmware as a board gets it, screen and ring too, in 200 KB of objects twice as large;
    what the virtual board's own peripherals take is not counted."""
    board = VirtualBoard(empty=True, heap="200k")
    for name, data in build.files(board.board, "x64").items():
        path = board.flash / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    texts = {n: p.read_text() for n, p in build.sources().items() if n.endswith(".py")}
    texts["heap.py"] = HEAP.read_text().split("if __name__")[0]
    heap = fold(texts)["heap.py"].encode()
    (board.flash / "heap.mpy").write_bytes(build.compiled(heap, "heap.py", "x64"))
    (board.flash / "main.py").write_text(FRAMES)
    with board:
        board.wait(lambda: board.repl, timeout=300)
        output = board.output
    found = re.search(r"^ok .*$", output, re.MULTILINE)
    assert found, output
    _check(found[0])


def _node() -> str:
    """Node with the WebAssembly build; a skip outside CI says what is missing."""
    missing = None
    if not shutil.which("node") or not shutil.which("npm"):
        missing = "node and npm are not installed (Debian: apt-get install nodejs npm)"
    elif not (WASM / "node_modules").is_dir():
        quiet = ["npm", "ci", "--no-audit", "--no-fund", "--silent"]
        done = subprocess.run(quiet, cwd=WASM, capture_output=True, text=True)
        if done.returncode:
            missing = "npm could not install MicroPython's WebAssembly build: " + done.stderr
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return shutil.which("node") or "node"


def test_core_on_32_bit(tmp_path):
    node = _node()
    package = ROOT / "firmware" / "aora"
    files = []
    for path in sorted(package.glob("*.py")):
        plain = tmp_path / path.name
        plain.write_text(portable(path.read_text()))
        files.append(f"aora/{path.name}={plain}")
    script = tmp_path / "main.py"
    script.write_text(HEAP.read_text().split("if __name__")[0] + "main('core', 10000, 100000)\n")
    done = subprocess.run(
        [node, "run.mjs", str(script), *files],
        cwd=WASM,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    _check(done.stdout)


def test_decorators_of_viper_are_what_is_taken_out():
    source = "x = 1\n@micropython.viper\ndef f(a: int) -> int:\n    return a\n"
    assert portable(source) == "x = 1\ndef f(a: int) -> int:\n    return a\n"
    assert portable("def g():\n    pass\n") == "def g():\n    pass\n"
