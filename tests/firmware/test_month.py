"""Simulated days of the whole firmware, across the clock's wrap."""

import json

import pytest

from host_bridge.flash import build
from host_bridge.virtual import VirtualBoard
from tests.conftest import ROOT

SCRIPT = ROOT / "tests" / "firmware" / "mp_month.py"


@pytest.mark.parametrize(
    ("days", "patience_s"), ((2, 120), pytest.param(30, 1500, marks=pytest.mark.soak))
)
def test_days_leave_nothing_behind(tmp_path, days, patience_s):
    """The clock wraps in the middle: 2^29 ms are 6.2 days, and it starts 20 hours before."""
    board = VirtualBoard(home=tmp_path, empty=True)
    for name, path in build.sources().items():
        (board.flash / name).parent.mkdir(parents=True, exist_ok=True)
        (board.flash / name).write_bytes(path.read_bytes())
    (board.flash / "aora_board.py").write_bytes(build.description(board.board))
    asked = f"DAYS = {days}\nSTART = {2**29 - 20 * 3_600_000}\n"
    (board.flash / "month.py").write_text(asked)
    (board.flash / "main.py").write_text(SCRIPT.read_text())
    with board:
        board.wait(lambda: board.repl, timeout=patience_s)
        said = board.output.splitlines()
    told = [line for line in said if '"grown"' in line]
    assert told, "\n".join(said)
    found = json.loads(told[0])
    assert found["grown"] < 128, "some hundred bytes would be one a day at the most"
    assert found["shown"] > 30 * days and found["steps"] > 10_000 * days
