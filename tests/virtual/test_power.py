"""Power cuts, full flash, resets, and firmware that keeps ending."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import serial

from host_bridge.virtual import BoardFailed

CAREFUL = """
import os, json
def read(name):
    try:
        with open(name) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None
kept = read("kept.json")
print("found", kept)
n = 0 if kept is None else kept["n"] + 1
with open("new.json", "w") as f:
    json.dump({"n": n, "name": "x" * 30}, f)
os.rename("new.json", "kept.json")
print("kept", n)
"""


def test_power_fails_at_every_step_of_a_careful_write(boot):
    board = boot(CAREFUL)
    board.wait(lambda: "kept 0" in board.output)
    steps = 0
    while True:
        before = (board.flash / "kept.json").read_text()
        board.cut_power_after_bytes(steps)
        board.reset()
        board.wait(lambda: not board.powered or board.repl)
        if board.powered:
            break
        # Power went before the rename, which is the last step.
        assert (board.flash / "kept.json").read_text() == before
        assert not os.path.lexists(board.port)
        board.power_cycle()
        board.wait(lambda: board.repl)
        steps += 1
    written = len((board.flash / "kept.json").read_bytes())
    assert steps == written + 2  # creating the file, its bytes, the rename
    assert "found None" not in board.output.split("kept 0")[1]


def test_what_was_written_before_the_cut_is_there(boot):
    source = "f = open('new', 'wb')\nf.write(b'0123456789')\nf.write(b'abcdef')\nf.close()\n"
    board = boot("")
    board.wait(lambda: board.repl)
    (board.flash / "main.py").write_text(source)
    for budget, left in (
        (0, None),
        (1, b""),
        (5, b"0123"),
        (11, b"0123456789"),
        (13, b"0123456789ab"),
    ):
        (board.flash / "new").unlink(missing_ok=True)
        board.power_cycle()
        board.wait(lambda: board.repl)
        (board.flash / "new").unlink()
        board.cut_power_after_bytes(budget)
        board.reset()
        board.wait(lambda: not board.powered)
        new = board.flash / "new"
        assert (new.read_bytes() if new.exists() else None) == left


def test_a_cut_comes_before_a_remove_or_rename_or_not_at_all(boot):
    board = boot("import os\nos.mkdir('d')\nos.rename('a', 'b')\nos.remove('c')\nos.rmdir('d')\n")
    for budget, left in ((0, "ac"), (1, "acd"), (2, "bcd"), (3, "bd")):
        for name in "abcd":
            path = board.flash / name
            if path.is_dir():
                path.rmdir()
            path.unlink(missing_ok=True)
        (board.flash / "a").touch()
        (board.flash / "c").touch()
        board.cut_power_after_bytes(budget)
        board.power_cycle()
        board.wait(lambda: not board.powered)
        assert "".join(sorted(p.name for p in board.flash.iterdir() if len(p.name) == 1)) == left


def test_a_full_flash_says_so_and_gives_back_what_is_removed(run):
    source = """
    import os
    def free():
        return os.statvfs("/")[3]
    def fill(name, blocks):
        with open(name, "wb") as f:
            for _ in range(blocks * 4):
                f.write(bytes(1024))
    start = free()
    fill("a", 3)
    print(start - free())
    try:
        fill("b", 100)
    except OSError as error:
        print("full", error.errno, free())
    os.remove("b")
    with open("a", "ab") as f:
        f.write(b"x")
    print(start - free())
    fill("c", 1)
    os.rename("c", "a")
    print(start - free(), os.stat("a")[6])
    with open("a", "w") as f:
        print(f.write("ä" * 3))
    print(open("a").read(), start - free())
    os.remove("a")
    os.mkdir("d")
    print(start - free())
    os.rmdir("d")
    print(start - free())
    """
    board, printed = run(textwrap.dedent(source), flash_size=64 * 1024)
    assert printed.splitlines() == ["3", "full 28 0", "4", "1 4096", "3", "äää 1", "2", "0"]


def test_what_json_and_print_write_arrives_whole(run):
    source = """
    import json
    with open("j", "w") as f:
        json.dump({"a": [1, "ü", None]}, f)
        print("!", file=f)
    with open("j", "r+b") as f:
        f.seek(1)
        f.write(b"'")
        f.seek(0)
        print(f.read(), f.tell())
    """
    _, printed = run(textwrap.dedent(source))
    assert printed == repr('{\'a": [1, "ü", null]}!\n'.encode()).join(("", " 24\n"))


def test_firmware_that_keeps_ending_is_given_up_with_its_last_words(boot):
    board = boot("import sys\nprint('I fail')\nsys.exit(1)")
    with pytest.raises(BoardFailed, match="ended 8 times within 10 s; printed last:(.|\n)*I fail"):
        board.wait(lambda: False)
    assert not board.powered and not os.path.lexists(board.port)
    (board.flash / "main.py").write_text("print('better')")
    board.power_cycle()
    board.wait(lambda: "better" in board.output)


def test_firmware_that_keeps_resetting_is_given_up(boot):
    board = boot("import machine\nmachine.reset()")
    with pytest.raises(BoardFailed):
        board.wait(lambda: False)


def test_a_crash_of_the_interpreter_is_told_and_survived(boot):
    board = boot("print('up')\nimport time\nwhile True:\n time.sleep(1)")
    board.wait(lambda: "up" in board.output)
    os.kill(board._supervisor._interpreter._process.pid, signal.SIGSEGV)
    board.wait(lambda: board.output.count("up") == 2)
    assert "MicroPython ended by signal 11" in board.output


def test_the_watchdog_bites_an_idle_board_and_not_a_busy_one(boot):
    source = """
    import machine, time
    print("cause", machine.reset_cause())
    watchdog = machine.WDT(timeout=500)
    if machine.reset_cause() == machine.WDT_RESET:
        for _ in range(100):
            time.sleep_ms(10)
            watchdog.feed()
        print("fed")
        time.sleep(60)
    time.sleep(60)
    """
    board = boot(textwrap.dedent(source))
    board.wait(lambda: board.output.count("cause 3") == 2)
    assert board.output.replace("\r\n", " ").split() == [
        "cause",
        "1",
        "cause",
        "3",
        "fed",
        "cause",
        "3",
    ]


def test_reset_is_at_once_and_soft_reset_unwinds(boot):
    source = """
    import machine, os
    try:
        if not "once" in os.listdir():
            open("once", "w").close()
            machine.%s()
    finally:
        print("unwound")
    """
    for call, times in (("reset", 1), ("soft_reset", 2)):
        board = boot(textwrap.dedent(source % call))
        board.wait(lambda board=board: board.boots == 2 and board.repl)
        assert board.output.count("unwound") == times


def test_power_off_darkens_panel_and_ring_and_a_reset_does_not(boot):
    source = """
    import os
    from machine import Pin, SPI
    import neopixel
    if not "once" in os.listdir():
        open("once", "w").close()
        cs, dc = Pin(17, Pin.OUT, value=0), Pin(16, Pin.OUT, value=0)
        SPI(0, sck=18, mosi=19).write(b"\\x11\\x29")
        ring = neopixel.NeoPixel(Pin(22), 1)
        ring[0] = (1, 2, 3)
        ring.write()
    """
    board = boot(textwrap.dedent(source))
    board.wait(lambda: board.repl)
    board.reset()
    board.wait(lambda: board.boots == 2 and board.repl)
    assert board.panel.on and board.ring.leds[0] == (1, 2, 3)
    board.power_cycle()
    assert not board.panel.on and board.ring.leds[0] == (0, 0, 0)


def test_the_bootloader_waits_for_a_power_cycle(boot):
    source = "import machine, os\nif 'x' not in os.listdir():\n open('x', 'w').close()\n"
    board = boot(source + " machine.bootloader()")
    board.wait(lambda: not board.powered)
    assert not os.path.lexists(board.port)
    board.power_cycle()
    board.wait(lambda: board.repl)


def test_the_interpreter_ends_with_the_process_that_had_it(tmp_path):
    source = f"""
import time
from pathlib import Path
from pathlib import Path
from host_bridge.virtual import VirtualBoard
board = VirtualBoard(home=Path({str(tmp_path)!r}), empty=True)
(board.flash / "main.py").write_text("while True:\\n pass")
board.start()
print(board._supervisor._interpreter._process.pid, flush=True)
time.sleep(60)
"""
    parent = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(500):
        try:
            with open(f"/proc/{child}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    break
        except OSError:
            break
        time.sleep(0.01)
    else:
        raise AssertionError("it lives on")


def test_resets_in_the_middle_of_anything_leave_a_board_that_starts(boot):
    source = (
        "print('main runs')\nfrom machine import SPI\ns = SPI(0)\n"
        "while True:\n print('x' * 50)\n s.write(bytes(3000))\n"
    )
    board = boot(source)
    for _ in range(20):
        board.reset()
    for _ in range(5):
        board.power_cycle()
    board.wait(lambda: os.path.lexists(board.port))
    with serial.Serial(board.port, timeout=5) as port:
        assert port.read(10)


@pytest.mark.parametrize("ending", ["machine.soft_reset()", "sys.exit()", "machine.reset()"])
def test_a_firmware_that_ends_again_and_again_is_given_up_until_reset(boot, ending):
    board = boot(f"import machine, sys\nprint('runs')\n{ending}\n")
    with pytest.raises(BoardFailed, match="ended 8 times"):
        board.wait(lambda: False)
    assert not board.powered
    (board.flash / "main.py").write_text("print('mended')\n")
    board.reset()
    board.wait(lambda: "mended" in board.output and board.repl)


def test_resets_that_somebody_asks_for_do_not_count(boot):
    board = boot("print('main runs')\n")
    for turn in range(12):
        board.wait(lambda: board.repl)
        with serial.Serial(board.port, exclusive=True) as line:
            line.write(b"\r\x03\x01import machine\nmachine.reset()\x04" if turn % 2 else b"\x04")
            line.flush()
            board.wait(lambda count=turn + 2: board.boots >= count)
        board.wait(lambda: Path(board.port).exists())
    for _ in range(12):
        board.reset()
    assert board.failure is None
