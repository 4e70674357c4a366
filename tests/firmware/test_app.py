"""The loop with a slow panel in hand: what no fast virtual board can show."""

import json
import sys
import types

import pytest

from aora.line import Line
from aora.link.writer import Writer
from aora.settings import Settings
from host_bridge import boards


class SlowScreen:
    """A frame takes this many chunks."""

    chunks = 6

    def __init__(self):
        self.left = 0

    def show(self, record, now):
        pass

    look = show

    def brightness(self, percent):
        pass

    dark = brightness

    def begin(self, now):
        self.left = self.chunks
        return True

    def push(self):
        self.left -= 1
        return self.left > 0


class Tape:
    """A link with a line for each step; `said` is what the board said."""

    ring = 512

    def __init__(self):
        self.line = Line()
        self.out = Writer()
        self.data: dict[str, object] | None = None
        self.said = []
        self._text = bytearray()

    def read(self):
        if self.data is None:
            return False
        self.line.load(json.dumps(self.data).encode())
        self.data = None
        return True

    def pump(self):
        while self.out.pending():
            self._text.append(self.out.peek())
            self.out.drop()
        *lines, rest = bytes(self._text).split(b"\n")
        self._text = bytearray(rest)
        self.said += [json.loads(line) for line in lines]

    def wait(self, ms):
        pass


@pytest.fixture
def app(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "machine", types.SimpleNamespace(Pin=None))
    from aora.app import App

    board = boards.load("pico-generic")
    settings = Settings(board, str(tmp_path / "settings.json"))
    tape = Tape()
    made = App(board, settings, SlowScreen(), None, tape, [], "x", 0)

    def step(now, **message):
        tape.data = message or None
        made.step(now)
        return tape.said

    return step


def _shown(said):
    return [answer["shown"] for answer in said if "shown" in answer]


def test_what_is_shown_is_told_however_many_lines_come(app):
    """Lines between all chunks do not keep a finished frame from being told."""
    said = []
    for n in range(300):
        said = app(n * 10, session_id=f"s{n % 3}", aoraBotId=str(40 + n % 5), seq=n)
    assert len([a for a in said if "ack" in a]) == 300
    assert len(_shown(said)) >= 3


def test_what_is_told_is_what_the_frame_drew(app):
    """A caption that comes while a frame is on its way waits for the next."""
    app(0, session_id="a", aoraBotId="34", tips="one", seq=1)
    for now in range(10, 40, 10):
        app(now)
    app(40, session_id="a", aoraBotId="34", tips="two", seq=2)
    said = []
    for now in range(50, 400, 10):
        said = app(now)
    assert [face["seq"] for face in _shown(said)] == [1, 2]
