"""A small firmware that says hello, boards to put it on, and a person who answers."""

import pytest

from host_bridge import boards, paths
from host_bridge.flash import run
from host_bridge.flash.probe import wait_hello

MAIN = """
known_as_ours_by = '''
from aora.start import run
run(aora_board)
'''
import json, select, sys
import aora_board
import aora_pack
from aora import one, two, three
from aora.deep import four
assert one.V == two.V == three.V == four.V

poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
hello = {"hello": {"fw": one.V, "board": aora_board.NAME, "panel": [240, 240], "leds": 16}}
print(json.dumps(hello))
line = ""
while True:
    for _ in poll.ipoll(50):
        line += sys.stdin.read(1)
        if line.endswith("\\n"):
            if "hello" in line:
                print(json.dumps(hello))
            line = ""
"""


def write_firmware(root, version):
    """A firmware whose parts work only with parts of the same version."""
    deep = root / "aora" / "deep"
    deep.mkdir(parents=True, exist_ok=True)
    (root / "main.py").write_text(f"# {version}{MAIN}")
    for name in ("__init__", "one", "two", "three", "deep/__init__", "deep/four"):
        padding = "".join(f"X{i} = 'padding of {name} {i}'\n" for i in range(40))
        (root / "aora" / f"{name}.py").write_text(f"V = {version!r}\n{padding}")


class Scripted:
    """Answers questions in turn; keeps what was said."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.said = []
        self.asked = []

    def say(self, text):
        self.said.append(text)

    def ask(self, question, default=""):
        self.asked.append(question)
        return (self.answers.pop(0) if self.answers else "") or default

    @property
    def text(self):
        return "\n".join(self.said)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Nothing of this machine's bridge or settings."""
    monkeypatch.setenv("AORA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AORA_URL", "http://127.0.0.1:1")
    return tmp_path / "home"


@pytest.fixture
def firmware(tmp_path, monkeypatch):
    """The small firmware, in place of the real one."""
    root = tmp_path / "firmware"
    write_firmware(root, "1")
    monkeypatch.setattr(paths, "firmware_dir", lambda: root)
    return root


@pytest.fixture
def flash():
    """Flash a virtual board without questions; what was said."""

    def do(board, *answers, yes=True, dry_run=False, name="pico-generic"):
        person = Scripted(*answers)
        run.flash(run.Wish(boards.load(name), board.port, yes, dry_run), person)
        return person

    return do


def version_of(board):
    """Which version says hello on a board; "" if none does."""
    return (wait_hello(board.port, 4) or {}).get("fw", "")
