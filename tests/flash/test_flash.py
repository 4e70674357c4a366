"""A board from empty to a face, and what may go wrong on the way."""

import subprocess
import sys
import time

import pytest

from host_bridge import boards
from host_bridge.flash import FlashError, build, plan
from host_bridge.virtual import VirtualBoard

from .conftest import version_of, write_firmware

FILES = 5  # boot.py, the pack of modules and what imports from it, the board, main.py
PLENTY = 10_000_000  # bytes: the power stays


@pytest.fixture
def board(tmp_path):
    with VirtualBoard(home=tmp_path / "board", heap="400k", empty=True) as started:
        yield started


def on_board(board):
    """Path -> content of what lies on a board's flash."""
    return {
        path.relative_to(board.flash).as_posix(): path.read_bytes()
        for path in board.flash.rglob("*")
        if path.is_file()
    }


def test_an_empty_board_comes_to_life_and_a_second_time_copies_nothing(board, firmware, flash):
    first = flash(board)
    assert (
        f"{FILES} files copied" in first.text and "Hello from pico-generic: 240x240" in first.text
    )
    assert version_of(board) == "1"
    wanted = build.files(boards.load("pico-generic"), "x64")
    assert on_board(board) == wanted
    second = flash(board)
    assert "nothing copied" in second.text and "Aora Face 1" in second.text


def test_of_one_changed_file_one_is_copied(board, firmware, flash):
    flash(board)
    path = firmware / "aora" / "two.py"
    path.write_text(path.read_text() + "# changes nothing\nY = '2'\n")
    assert "1 file copied" in flash(board).text


def test_a_dry_run_changes_nothing(board, firmware, flash):
    said = flash(board, dry_run=True).text
    assert "copy    aora.pack" in said and f"{FILES} to copy" in said
    assert on_board(board) == {}


def test_files_that_the_firmware_no_longer_has_go(board, firmware, flash):
    flash(board)
    (board.flash / "aora" / "face").mkdir(parents=True)
    for path in ("aora/one.mpy", "aora/old.py", "aora/face/font.bin"):
        (board.flash / path).write_text("V = 0")
    (board.flash / "aora_board.py").write_text("NAME = 'shadows the new one'")
    (board.flash / "settings.json").write_text("kept")
    assert "4 files of an earlier version removed" in flash(board).text
    assert not (board.flash / "aora").exists() and "aora_board.py" not in on_board(board)
    assert on_board(board)["settings.json"] == b"kept"
    assert "nothing copied" in flash(board).text


def test_another_program_is_saved_first(board, firmware, flash, home):
    (board.flash / "main.py").write_text("print('weather station')\n")
    (board.flash / "lib").mkdir()
    data = bytes(range(256)) * 8
    (board.flash / "lib" / "sensor.bin").write_bytes(data)
    said = flash(board).text
    assert "another program: its 2 files lie now in" in said
    (saved,) = (home / "state" / "backups").iterdir()
    assert (saved / "main.py").read_text() == "print('weather station')\n"
    assert (saved / "lib" / "sensor.bin").read_bytes() == data
    assert version_of(board) == "1"
    assert "another program" not in flash(board).text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("next/readings.csv", "kept"),
        ("aora.next/notes.txt", "of another program"),
        ("aora.next/lib/one.py", "X = 1\n"),
        ("main.py", "# a clone of aora\nprint('weather')\n"),
        ("main.py", "import aora\naora.start()\n"),
        ("boot.py", "# look in aora.next/ready\n"),
    ],
)
def test_no_file_of_another_program_is_lost(board, firmware, flash, home, path, text):
    flash(board)
    target = board.flash / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    flash(board)
    there = on_board(board).get(path, b"").decode()
    saved = [file.read_text() for file in home.glob(f"state/backups/*/{path}")]
    assert text in [there, *saved]
    assert version_of(board) == "1"


def test_the_real_firmware_is_known_as_ours(board, flash, home):
    flash(board)
    (board.flash / "boot.py").write_text((board.flash / "boot.py").read_text() + "# older\n")
    main = board.flash / "main.py"
    main.write_text("# older\n" + main.read_text())
    assert "another program" not in flash(board).text


@pytest.mark.parametrize(
    "program",
    [
        "while True: pass\n",
        "import time\nwhile True:\n try:\n  print('spam' * 9)\n except:\n  time.sleep(0.3)\n",
        "import machine, time\nmachine.WDT(timeout=8000)\ntime.sleep(99)\n",
        "raise ValueError('broken')\n",
    ],
    ids=["busy", "prints", "watchdog", "broken"],
)
def test_a_program_that_holds_on_is_stopped(board, firmware, flash, program):
    (board.flash / "main.py").write_text(program)
    board.reset()
    time.sleep(0.3)
    flash(board)
    assert version_of(board) == "1"


def test_a_program_that_cannot_be_stopped_is_said(board, firmware, flash):
    program = "import micropython, time\nmicropython.kbd_intr(-1)\nwhile True: time.sleep(1)\n"
    (board.flash / "main.py").write_text(program)
    board.reset()
    time.sleep(0.3)
    with pytest.raises(FlashError, match=r"does not let go[\s\S]*aora image pico-generic --uf2"):
        flash(board)


def free_on(board):
    used = sum(-(-len(data) // 4096) * 4096 for data in on_board(board).values())
    return 1408 * 1024 - used


def test_a_full_board_keeps_what_it_has(board, firmware, flash):
    flash(board)
    write_firmware(firmware, "2")
    (board.flash / "log.txt").write_bytes(b"x" * (free_on(board) - 16 * 1024))
    board.power_cycle()
    with pytest.raises(FlashError, match=r"the board is full: .*Delete some of log.txt"):
        flash(board)
    assert version_of(board) == "1"
    (board.flash / "log.txt").unlink()
    board.power_cycle()
    flash(board)
    assert version_of(board) == "2"


def test_a_board_that_fills_up_on_the_way_keeps_what_it_has(board, firmware, flash, monkeypatch):
    flash(board)
    write_firmware(firmware, "2")
    (board.flash / "log.txt").write_bytes(b"x" * (free_on(board) - 12 * 1024))
    board.power_cycle()
    monkeypatch.setattr(plan, "check_space", lambda *known: None)
    with pytest.raises(FlashError, match="the board is full"):
        flash(board)
    assert version_of(board) == "1"
    assert not any(path.startswith(plan.STAGE) for path in on_board(board))


def changes(board):
    """What the next flash will send, in its order."""
    there = on_board(board)
    wanted = build.files(boards.load("pico-generic"), "x64")
    return {name: data for name, data in wanted.items() if there.get(name) != data}


def test_the_cable_may_be_pulled_after_each_file_in_turn(tmp_path, firmware, flash):
    """The old firmware runs on, and the next flash sends what had not arrived."""
    with VirtualBoard(home=tmp_path / "board", empty=True) as board:
        flash(board)
        write_firmware(firmware, "later 0")
        for turn in range(len(changes(board))):
            write_firmware(firmware, f"later {turn}")
            sizes = [len(data) + 1 for data in changes(board).values()]
            before = version_of(board)
            board.cut_power_after_bytes(1 + sum(sizes[:turn]))
            with pytest.raises(FlashError, match="Nothing was changed"):
                flash(board)
            board.wait(lambda: not board.powered)
            board.cut_power_after_bytes(PLENTY)
            board.power_cycle()
            assert version_of(board) == before
            left = len(sizes) - turn
            assert f"Copying {left} file" in flash(board).text
            assert version_of(board) == f"later {turn}"


def test_power_may_fail_at_every_step_of_putting_files_in_place(tmp_path, firmware, flash):
    """From the first rename on, the next start finishes what was begun."""
    with VirtualBoard(home=tmp_path / "board", empty=True) as board:
        flash(board)
        for step in range(0, FILES + 4, 3):
            version = f"step {step}"
            write_firmware(firmware, version)
            # All but the last steps, which are counted one by one.
            changed = changes(board)
            steps = sum(len(name) + 2 for name in changed) - 1
            sent = sum(len(data) + 1 for data in changed.values())
            board.cut_power_after_bytes(1 + sent + 1 + steps + 1 + step)
            try:
                flash(board)
            except FlashError as error:
                assert "the next start puts the rest in place" in str(error)
                board.wait(lambda: not board.powered)
                board.power_cycle()
            board.cut_power_after_bytes(PLENTY)
            assert version_of(board) == version
            assert "nothing copied" in flash(board).text


def test_power_may_fail_while_an_older_layout_goes(tmp_path, firmware, flash):
    """Its modules lay in files of their own; the new ones run, whatever is left of those."""
    with VirtualBoard(home=tmp_path / "board", empty=True) as board:
        flash(board)
        steps = "+aora.pack +main.py -aora/__init__.mpy -aora/deep/four.mpy -aora/one.mpy "
        written = len(steps + "/aora/deep /aora")
        for step in range(0, 9, 2):
            write_firmware(firmware, f"step {step}")
            (board.flash / "aora" / "deep").mkdir(parents=True)
            for name in ("__init__", "one", "deep/four"):
                (board.flash / "aora" / f"{name}.mpy").write_bytes(b"of another version")
            board.power_cycle()
            sent = sum(len(data) + 1 for data in changes(board).values())
            board.cut_power_after_bytes(1 + sent + 1 + written + 1 + step)
            with pytest.raises(FlashError, match="the next start puts the rest in place"):
                flash(board)
            board.wait(lambda: not board.powered)
            board.power_cycle()
            board.cut_power_after_bytes(PLENTY)
            assert version_of(board) == f"step {step}"
            assert "nothing copied" in flash(board).text
            assert not (board.flash / "aora").exists()


def test_an_unplugged_cable_in_the_middle_is_said_and_repaired(board, firmware, flash):
    flash(board)
    write_firmware(firmware, "2")
    real = plan.staged

    def pull(path):
        if path == "main.py":
            board.unplug()
        return real(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("host_bridge.flash.device.staged", pull)
        with pytest.raises(FlashError, match="what was on the board still runs"):
            flash(board)
    board.plug()
    board.reset()
    assert version_of(board) == "1"
    said = flash(board).text
    assert version_of(board) == "2"
    assert f"{FILES} files" not in said  # what had arrived was not sent again


def test_a_port_that_is_not_there_is_named(flash, tmp_path):
    class Gone:
        port = str(tmp_path / "no-board")

    with pytest.raises(FlashError, match="no-board is not there"):
        flash(Gone)


def test_a_port_in_use_is_named(board, firmware, flash):
    from host_bridge.links.serial import open_serial

    with open_serial(board.port), pytest.raises(FlashError, match="in use"):
        flash(board)


def test_the_wrong_name_is_noticed(board, firmware, flash, monkeypatch):
    survey = plan.Survey(machine="Generic ESP32S3 module with ESP32S3")
    from host_bridge.flash.run import _chip

    with pytest.raises(FlashError, match="this is a esp32s3; t-display has a esp32"):
        _chip(boards.load("t-display"), survey)
    pico2 = plan.Survey(machine="Raspberry Pi Pico 2 with RP2350")
    assert _chip(boards.load("pico-generic"), pico2) == "rp2350"
    assert _chip(boards.load("pico-generic"), plan.Survey(machine="linux")) == "rp2040"


def test_copying_takes_no_longer_than_mpremote_does(board, flash, tmp_path):
    """The real firmware from an empty board to its hello, against one bare `mpremote cp` of the
    same bytes."""
    wanted = build.files(boards.load("pico-generic"), "x64")  # compiled and cached
    began = time.monotonic()
    flash(board)
    ours = time.monotonic() - began
    folder = tmp_path / "files"
    for name, data in wanted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    with VirtualBoard(home=tmp_path / "other", empty=True) as other:
        began = time.monotonic()
        copy = ["connect", other.port, "cp", "-r", *map(str, sorted(folder.iterdir())), ":"]
        subprocess.run([sys.executable, "-m", "mpremote", *copy], check=True, capture_output=True)
        theirs = time.monotonic() - began
    print(f"flash {ours:.2f} s, bare mpremote cp {theirs:.2f} s")
    assert ours <= 1.5 * theirs, f"{ours:.2f} s against {theirs:.2f} s"


@pytest.mark.parametrize(
    ("survey", "said"),
    [
        (plan.Survey(name="circuitpython", version=(9, 2, 1)), "runs circuitpython"),
        (plan.Survey(name="micropython", version=(1, 22, 2)), "runs MicroPython 1.22.2; put 1.24"),
    ],
)
def test_what_is_too_old_or_another_python_is_said(survey, said):
    with pytest.raises(FlashError, match=said):
        plan.check_runtime(survey)


def test_an_mpy_format_that_the_board_does_not_read_is_said():
    assert build.arch_of(4 << 10 | 3 << 8 | 6) == "armv6m"
    assert build.arch_of(0x1F06) == "armv7emsp"
    with pytest.raises(FlashError, match="too old or too new"):
        build.arch_of(4 << 10 | 2 << 8 | 6)


@pytest.mark.parametrize("arch", ["armv6m", "armv7emsp", "xtensawin", "rv32imc"])
def test_the_whole_firmware_is_small(arch):
    files = build.files(boards.load("pico-generic"), arch)
    size = sum(map(len, files.values()))
    assert size <= 120 * 1024, f"{size:,} bytes for {arch}"


def test_the_firmware_asks_for_the_room_that_it_takes():
    files = build.files(boards.load("pico-generic"), "armv6m")
    blocks = sum(-(-len(data) // 4096) for data in files.values())
    roomy = plan.Survey(space=(4096, 4096, 352, blocks + 24))
    plan.check_space(roomy, plan.make(roomy, files), files)
    tight = plan.Survey(space=(4096, 4096, 352, blocks))
    with pytest.raises(FlashError, match="the board is full"):
        plan.check_space(tight, plan.make(tight, files), files)


@pytest.mark.parametrize("byte", [0, 10])
def test_a_cut_while_the_steps_are_written_down_changes_nothing(board, firmware, flash, byte):
    flash(board)
    write_firmware(firmware, "2")
    sent = sum(len(data) + 1 for data in changes(board).values())
    board.cut_power_after_bytes(1 + sent + 1 + byte)
    with pytest.raises(FlashError, match="Nothing was changed"):
        flash(board)
    board.wait(lambda: not board.powered)
    board.cut_power_after_bytes(PLENTY)
    board.power_cycle()
    assert version_of(board) == "1"
