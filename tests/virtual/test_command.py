"""`aora board`, as typed."""

import subprocess
import sys
from pathlib import Path

import pytest

from host_bridge.virtual import HomeInUse, VirtualBoard
from host_bridge.virtual.console import HELP, obey


def aora(tmp_path, *words, **how):
    return subprocess.Popen(
        [sys.executable, "-m", "host_bridge.cli", "board", "--home", str(tmp_path), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **how,
    )


def test_boards_run_until_quit_and_their_ports_go_with_them(tmp_path):
    command = aora(tmp_path, "--empty", "pico-generic", "t-display")
    assert command.stdout
    lines = [command.stdout.readline().split() for _ in range(2)]
    assert [line[:2] for line in lines] == [["1", "pico-generic"], ["2", "t-display"]]
    typed = f"1 press\n2 press b 10\nnonsense\n2 picture {tmp_path}/two.png\n2 status\nquit\n"
    out, err = command.communicate(typed, timeout=20)
    assert command.returncode == 0, err
    assert out.startswith(HELP)
    assert f"t-display on {lines[1][2]}, running, panel off" in out
    assert (tmp_path / "two.png").read_bytes().startswith(b"\x89PNG")
    assert not any(Path(line[2]).is_symlink() for line in lines)


def test_a_terminated_command_takes_its_port_along(tmp_path):
    command = aora(tmp_path, "--empty")
    assert command.stdout
    port = command.stdout.readline().split()[2]
    command.terminate()
    command.communicate(timeout=20)
    assert not Path(port).is_symlink()


def test_what_cannot_be_is_said_in_words(tmp_path):
    command = aora(tmp_path, "no-such-board")
    _, err = command.communicate(timeout=20)
    assert command.returncode == 1
    assert err.startswith("no board named 'no-such-board'; known: ")
    command = aora(tmp_path, "t-display-s3")
    assert "runs CircuitPython" in command.communicate(timeout=20)[1]
    assert command.returncode == 1
    command = aora(tmp_path, "--picture", "/nowhere/x.png")
    assert "/nowhere/x.png: No such file" in command.communicate(timeout=30)[1]
    assert command.returncode == 1


def test_one_home_holds_one_board(tmp_path):
    with VirtualBoard(home=tmp_path, empty=True), pytest.raises(HomeInUse, match="runs in"):
        VirtualBoard(home=tmp_path, empty=True).start()
    with VirtualBoard(home=tmp_path, empty=True):
        pass


def test_the_console_answers_mistakes(boot):
    board = boot()
    assert obey([board], "press x") == "no button x; there is a"
    assert obey([board], "2 press") == HELP
    assert obey([board], "cut much").startswith("cut: ")
    assert obey([board], "press a b c").startswith("press: ")
    assert obey([board], "") == ""
    for line in ("unplug", "plug", "reset", "power", "cut 5"):
        assert obey([board], line) == ""


def test_why_a_board_was_given_up_is_said(tmp_path):
    flash = tmp_path / "1-pico-generic" / "flash"
    flash.mkdir(parents=True)
    (flash / "main.py").write_text("import machine\nprint('out of luck')\nmachine.soft_reset()\n")
    command = aora(tmp_path, "--empty")
    assert command.stdout
    out = ""
    while "`reset` starts it" not in out:
        out += command.stdout.readline() or pytest.fail(out)
    assert "1 pico-generic ended 8 times within 10 s; printed last:" in out
    assert "out of luck" in out
    command.communicate("quit\n", timeout=20)


def test_a_board_runs_the_firmware_of_its_start_and_not_one_it_was_flashed_with(tmp_path):
    with VirtualBoard(home=tmp_path) as board:
        wanted = {path.name for path in board.flash.iterdir()}
    for name in ("aora.pack", "aora_pack.mpy", "aora_board.mpy"):
        (board.flash / name).write_bytes(b"of another day")
    (board.flash / "settings.json").write_text('{"brightness": 33}')
    with VirtualBoard(home=tmp_path) as board:
        board.wait(lambda: board.panel.on)
        assert {path.name for path in board.flash.iterdir()} == wanted | {"settings.json"}
