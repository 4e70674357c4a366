import pytest

from host_bridge.virtual import VirtualBoard


@pytest.fixture
def boot(tmp_path):
    """Starts boards with this text as their main.py; they end with the test."""
    boards = []

    def start(source="", board="pico-generic", **how):
        home = tmp_path / str(len(boards))
        made = VirtualBoard(board, home=home, empty=True, **how)
        (made.flash / "main.py").write_text(source)
        boards.append(made)
        return made.start()

    yield start
    for made in boards:
        made.stop()


@pytest.fixture
def run(boot):
    """Runs this text as main.py to its end and answers the board and what was printed."""

    def ended(source, board="pico-generic", **how):
        made = boot(source, board, **how)
        made.wait(lambda: made.repl)
        return made, made.output.split("MicroPython ")[0].replace("\r\n", "\n")

    return ended
