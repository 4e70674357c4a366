"""The port as mpremote, pyserial and a careless user meet it."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import serial

from host_bridge.virtual.interpreter import SHIMS

LOOP = "print('main runs')\nwhile True:\n    pass\n"


def mpremote(board, *words, timeout=30):
    command = [sys.executable, "-m", "mpremote", "connect", board.port, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def busy(boot):
    """A board whose main.py never ends."""
    board = boot(LOOP)
    board.wait(lambda: "main runs" in board.output)
    return board


def test_mpremote_runs_code_while_main_runs(busy, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('ran', __name__)\nprint('ä')")
    assert mpremote(busy, "exec", "print('one'); print('two')") == "one\ntwo\n"
    assert mpremote(busy, "eval", "2 ** 70") == f"{2**70}\n"
    assert mpremote(busy, "run", str(script)) == "ran __main__\nä\n"
    failed = subprocess.run(
        [sys.executable, "-m", "mpremote", "connect", busy.port, "exec", "open('nowhere')"],
        capture_output=True,
        text=True,
    )
    assert failed.returncode == 1
    lines = (failed.stdout + failed.stderr).strip().splitlines()
    assert lines[-1] == "OSError: [Errno 2] ENOENT"
    assert not any("shims" in line for line in lines)


@pytest.mark.parametrize("cut", [1, 5, 8, 40])
def test_a_line_about_a_shim_is_left_out_in_parts_too(busy, cut):
    line = f'  File "{SHIMS}/_flash.py", line 7, in open'
    code = (
        "import sys, time\n"
        "print('Traceback')\n"
        f"sys.stdout.write({line[:cut]!r})\n"
        "time.sleep_ms(5)\n"
        f"sys.stdout.write({line[cut:]!r} + '\\n')\n"
        "sys.stdout.write('  File')\n"
        "time.sleep_ms(200)\n"
        "print(' here')\n"
    )
    assert mpremote(busy, "exec", code) == "Traceback\n  File here\n"


def test_mpremote_moves_files(busy, tmp_path):
    every_byte = bytes(range(256)) * 40
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / "every.bin").write_bytes(every_byte)
    (tree / "module.py").write_text("X = 42\n")
    mpremote(busy, "cp", "-r", str(tree), ":")
    assert (busy.flash / "tree" / "sub" / "every.bin").read_bytes() == every_byte
    listed = mpremote(busy, "ls", ":tree", "+", "ls", ":tree/sub")
    assert listed.split() == ["ls", ":tree", "7", "module.py", "0", "sub/"] + [
        *("ls", ":tree/sub", "10240", "every.bin")
    ]
    back = tmp_path / "back.bin"
    mpremote(busy, "cp", ":tree/sub/every.bin", str(back))
    assert back.read_bytes() == every_byte
    assert mpremote(busy, "exec", "from tree.module import X; print(X)") == "42\n"
    mpremote(busy, "rm", "-r", ":tree")
    assert not (busy.flash / "tree").exists()
    assert mpremote(busy, "df").split()[7:] == [
        "<VfsLfs2>",
        "1441792",
        "12288",
        "1429504",
        "0",
        "/",
    ]


def test_mpremote_mounts_a_folder_of_the_host(busy, tmp_path):
    every_byte = bytes(range(256)) * 40
    (tmp_path / "every.bin").write_bytes(every_byte)
    (tmp_path / "there.py").write_text("X = 42\n")
    code = (
        "import there; print(there.X); data = open('every.bin', 'rb').read(); print(len(data), "
        "sum(data)); open('new.bin', 'wb').write(bytes(range(256)))"
    )
    printed = mpremote(busy, "mount", str(tmp_path), "exec", code)
    assert printed.splitlines()[1:] == ["42", f"10240 {sum(every_byte)}"]
    assert (tmp_path / "new.bin").read_bytes() == bytes(range(256))


def test_soft_reset_leaves_main_out_and_reset_runs_it(busy):
    mpremote(busy, "soft-reset")
    assert busy.output.count("main runs") == 1
    mpremote(busy, "exec", "x = 5")
    assert mpremote(busy, "resume", "exec", "print('x' in globals())") == "True\n"
    assert mpremote(busy, "exec", "print('x' in globals())") == "False\n"
    mpremote(busy, "reset")
    busy.wait(lambda: busy.output.count("main runs") == 2)
    busy.wait(Path(busy.port).exists)
    cause = mpremote(busy, "exec", "import machine; print(machine.reset_cause())")
    assert cause == "3\n"  # an RP2 resets itself by its watchdog


ENDLESS = {
    "pass": "while True:\n pass",
    "sleep": "import time\nwhile True:\n time.sleep(10)",
    "poll": (
        "import select, sys\np = select.poll()\np.register(sys.stdin, select.POLLIN)\n"
        "while True:\n for _ in p.ipoll(1000):\n  pass"
    ),
    "read": "import sys\nsys.stdin.buffer.read(100)",
    "print": "while True:\n print('0123456789' * 20)",
    "native": "import micropython\n@micropython.native\ndef f():\n while True:\n  pass\nf()",
    "spi": "from machine import SPI\ns = SPI(0)\nb = bytes(4000)\nwhile True:\n s.write(b)",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_ctrl_c_breaks_into_anything(boot, kind):
    board = boot("print('main runs')\n" + ENDLESS[kind])
    board.wait(lambda: "main runs" in board.output)
    assert mpremote(board, "eval", "1 + 1") == "2\n"


def read_until(port, text):
    got = b""
    while text not in got:
        more = port.read(max(1, port.in_waiting))
        assert more, got
        got += more
    return got


def test_many_interrupts_at_once_are_one(busy):
    with serial.Serial(busy.port, timeout=5, exclusive=True) as port:
        for _ in range(30):
            port.write(b"\x03")
        read_until(port, b">>> ")
        port.write(b"\x03\x03\x03print('still', 'here')\r")
        read_until(port, b"still here\r\n")
    assert busy.boots == 1
    assert "KeyboardInterrupt" in busy.output


def test_ctrl_d_at_the_prompt_starts_anew_with_main(boot):
    board = boot("print('main runs')")
    with serial.Serial(board.port, timeout=5) as port:
        port.write(b"\r")
        read_until(port, b">>> ")
        port.write(b"\x04")
        read_until(port, b"MPY: soft reboot\r\nmain runs\r\n")
    assert board.boots == 2


def test_reading_waits_for_all_bytes_and_takes_them_as_they_are(boot):
    source = (
        "import micropython, sys\nmicropython.kbd_intr(-1)\nprint('ready')\n"
        "while True:\n sys.stdout.buffer.write(sys.stdin.buffer.read(512))\n"
    )
    board = boot(source)
    every_byte = bytes(range(256)) * 2
    with serial.Serial(board.port, timeout=5) as port:
        board.wait(lambda: "ready" in board.output)
        port.write(every_byte[:500])
        board.wait(lambda: not port.out_waiting)
        port.timeout = 0.1
        assert port.read(600).replace(b"ready\r\n", b"") == b""
        port.timeout = 5
        port.write(every_byte[500:])
        assert port.read(512) == every_byte


def test_reading_and_writing_bytes_allocates_nothing(boot):
    source = (
        "import gc, micropython, select, sys\np = select.poll()\np.register(sys.stdin, 1)\n"
        "poll = p.ipoll\npoll(0)\nread = sys.stdin.buffer.readinto\n"
        "write = sys.stdout.buffer.write\nb = bytearray(1)\nprint('ready')\n"
        "def step():\n for _ in poll(5000):\n  read(b)\n write(b)\n"
        "step()\nmicropython.heap_lock()\nfor _ in range(9):\n step()\n"
        "micropython.heap_unlock()\nprint('done')\n"
    )
    board = boot(source)
    with serial.Serial(board.port, timeout=5) as port:
        board.wait(lambda: "ready" in board.output)
        port.write(b"0123456789")
        assert b"0123456789done" in read_until(port, b">>> ").replace(b"\r\n", b"")


def test_bursts_are_held_back_not_lost(boot):
    source = (
        "import sys, time\nn = 0\nread = sys.stdin.buffer.readinto\nb = bytearray(1)\n"
        "print('ready')\nwhile n < 60000:\n"
        " read(b)\n assert b[0] == 32 + n % 64\n n += 1\n"
        " if n % 5000 == 0:\n  time.sleep_ms(20)\nprint('all', n)\n"
    )
    board = boot(source)
    board.wait(lambda: "ready" in board.output)
    with serial.Serial(board.port, timeout=5, write_timeout=20) as port:
        port.write(bytes(32 + i % 64 for i in range(60000)))
        board.wait(lambda: "all 60000" in board.output, 20)


def test_output_to_a_host_that_does_not_read_ends_up_dropped(boot):
    source = (
        "import neopixel, sys, time\nfrom machine import Pin\n"
        "ring = neopixel.NeoPixel(Pin(22), 1)\ntime.sleep(0.3)\n"
        "for i in range(30):\n sys.stdout.buffer.write(b'x' * 2000)\nring.write()\n"
    )
    board = boot(source)
    with serial.Serial(board.port, timeout=5) as port:
        board.wait(lambda: board.ring.write_count, 20)
        assert port.in_waiting < 50_000


def test_what_nobody_read_is_gone_when_the_port_is_opened_again(boot):
    board = boot("print('main runs')")
    first = serial.Serial(board.port, timeout=5)
    first.write(b"'old' + 'text'\r")
    board.wait(lambda: "oldtext" in board.output)
    first.close()
    time.sleep(0.1)
    with serial.Serial(board.port, timeout=5) as port:
        port.write(b"'new' + 'text'\r")
        assert b"oldtext" not in read_until(port, b"newtext")


def test_boards_live_side_by_side(boot):
    boards = [boot(LOOP) for _ in range(4)]
    ids = {}

    def ask(board):
        code = "import machine; print(machine.unique_id().hex())"
        ids[board.port] = mpremote(board, "exec", code)

    threads = [threading.Thread(target=ask, args=(board,)) for board in boards]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == len(set(ids.values())) == 4


def test_the_cable_is_pulled_and_put_back(boot):
    board = boot("import time\nwhile True:\n print('tick')\n time.sleep_ms(10)\n")
    port = serial.Serial(board.port, timeout=5)
    read_until(port, b"tick")
    board.unplug()
    assert not Path(board.port).is_symlink()
    with pytest.raises(serial.SerialException):
        while True:
            port.read(1)
    with pytest.raises(serial.SerialException):
        port.write(b"x")
    port.close()
    ticks = board.output.count("tick")
    board.wait(lambda: board.output.count("tick") > ticks + 3)
    board.plug()
    with serial.Serial(board.port, timeout=5) as port:
        read_until(port, b"tick")
    assert board.boots == 1
    board.unplug(ms=50)
    board.wait(Path(board.port).exists)


def test_a_serial_chip_keeps_the_port_through_a_reset_and_usb_does_not(boot):
    for name, keeps in (("t-display", True), ("pico-generic", False)):
        board = boot("print('main runs')", name)
        board.wait(lambda board=board: board.repl)
        with serial.Serial(board.port, timeout=5) as port:
            board.reset()
            board.wait(lambda board=board: board.output.count("main runs") == 2)
            if keeps:
                read_until(port, b"main runs")
            else:
                with pytest.raises(serial.SerialException):
                    port.write(b"x")
                    read_until(port, b"main runs")
