"""The firmware's modules in one file: MicroPython imports from it as it does from files."""

import pytest

from host_bridge import boards
from host_bridge.flash import build
from host_bridge.flash.pack import pack
from host_bridge.virtual import VirtualBoard

IMPORTS = """
import sys
import aora_board
import aora_pack
import aora.one, aora.deep.four
from aora import two
print("values", aora.one.V, aora.deep.four.V, two.V, aora.one.__file__)
with open(aora.deep.four.__file__.rsplit("/", 1)[0] + "/data.bin", "rb") as file:
    print("data", file.read(2), len(file.read()))
for name in ("aora.missing", "aora.deep.missing", "missing"):
    try:
        __import__(name)
    except ImportError as error:
        print("error", error)
del sys.modules["aora.two"]
import aora.two
print("again", sys.modules["aora.two"].V)
try:
    aora.one.fail()
except ValueError as error:
    sys.print_exception(error, sys.stdout)
"""

FORGOTTEN = """
import sys
import aora_board
import aora_pack
from aora.settings import Settings
settings = Settings(aora_board)
print("loaded", "aora.table" in sys.modules)
print("wrong", settings.set({"shape": "cube"}))
from aora.face.caption import Caption
caption = Caption(10, 2, 16)
caption.set(b"two words", 9)
print("rows", caption.rows)
"""


def _said(board, script):
    (board.flash / "main.py").write_text(script)
    with board:
        board.wait(lambda: board.repl, timeout=20)
        return board.output.replace("\r", "")


@pytest.fixture
def board(tmp_path):
    return VirtualBoard(home=tmp_path / "board", heap="400k", empty=True)


def _install(board, files):
    for name, data in files.items():
        (board.flash / name).write_bytes(data)


def test_modules_data_and_tracebacks_are_as_from_files(board, firmware):
    (firmware / "aora" / "one.py").write_text("V = '1'\n\n\ndef fail():\n    raise ValueError\n")
    (firmware / "aora" / "deep" / "data.bin").write_bytes(b"\0\1" + bytes(5000))
    _install(board, build.files(boards.load("pico-generic"), "x64"))
    said = _said(board, IMPORTS)
    assert "values 1 1 1 /aora/aora/one.mpy" in said
    assert "data b'\\x00\\x01' 5000" in said
    assert "again 1" in said
    assert 'File "aora.one", line 1, in fail\nValueError' in said
    for name in ("aora.missing", "aora.deep.missing", "missing"):
        assert f"error no module named '{name}'" in said


def test_modules_that_are_forgotten_come_again(board):
    _install(board, build.files(boards.load("pico-generic"), "x64"))
    said = _said(board, FORGOTTEN)
    assert "loaded False" in said and "wrong shape takes blob" in said
    assert "rows 1" in said


def test_files_of_the_old_layout_shadow_nothing(board, firmware):
    _install(board, build.files(boards.load("pico-generic"), "x64"))
    (board.flash / "aora" / "deep").mkdir(parents=True)
    for name in ("__init__", "one", "two", "deep/four"):
        (board.flash / "aora" / f"{name}.py").write_text("V = 'old'\n")
    said = _said(board, "import aora_pack\nfrom aora import one\nprint('is', one.V)\n")
    assert "is 1" in said


def test_only_one_file_can_lie_last():
    with pytest.raises(AssertionError, match="lies last"):
        pack({"aora/a.bin": b"", "aora/b.bin": b"", "aora/c.mpy": b""})
