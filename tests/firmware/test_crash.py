"""What a board does when its firmware fails: it says why, on glass and wire, and starts again."""

from host_bridge.flash import build
from host_bridge.virtual import VirtualBoard


def test_a_crash_is_shown_and_the_board_starts_again(tmp_path):
    board = VirtualBoard(home=tmp_path, empty=True)
    for name, path in build.sources().items():
        (board.flash / name).parent.mkdir(parents=True, exist_ok=True)
        (board.flash / name).write_bytes(path.read_bytes())
    (board.flash / "aora_board.py").write_bytes(build.description(board.board))
    with (board.flash / "aora" / "app.py").open("a") as app:
        app.write("\n\ndef _fail(self, now):\n    return [][7]\n\n\nApp.step = _fail\n")
    with board:
        board.wait(lambda: "IndexError" in board.output)
        board.wait(lambda: board.panel.on and len(set(board.panel.rgb())) > 1)
        assert board.boots == 1
        board.wait(lambda: board.boots > 1, timeout=20)
