"""What a person is asked and told: questions about the picture, settings, ports, first steps."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import cast

import pytest
import serial

from aora import table
from host_bridge import boards, tune
from host_bridge.flash import FlashError, advice, find, first, questions, run
from host_bridge.flash import probe as probing
from host_bridge.virtual import VirtualBoard

from .conftest import Scripted
from .test_image import PICO, RP2040, RP2350, as_uf2, program

HEAP = "400k"  # objects are twice a board's size here


@pytest.fixture
def face(tmp_path):
    """A virtual board with the real firmware."""
    with VirtualBoard(home=tmp_path / "face", heap=HEAP) as board:
        assert probing.wait_hello(board.port, 15)
        yield board


def aora(*words, env=None):
    """The command as a person types it."""
    run_it = [sys.executable, "-m", "host_bridge.cli", *map(str, words)]
    return subprocess.run(
        run_it, capture_output=True, text=True, timeout=60, env={**os.environ, **(env or {})}
    )


# The test picture.


def test_wrong_glass_is_put_right_by_the_answers(face):
    person = Scripted("br", "n", "blue", "lie", "6 9")
    questions.settle(face.port, boards.load("pico-generic"), person)
    assert "rotation=180" in person.text and "bgr=True" in person.text
    values = tune.get(face.port)
    assert (values["rotation"], values["mirror"], values["bgr"]) == (180, False, True)
    assert (values["ring_offset"], values["ring_dir"]) == (8, 1)
    # The next picture stands on its head for this decoder, whose glass was right before.
    again = Scripted("br", "n", "blue", "lie", "6 9")
    questions.settle(face.port, boards.load("pico-generic"), again)
    values = tune.get(face.port)
    assert (values["rotation"], values["bgr"], values["ring_offset"]) == (0, False, 0)


def test_the_picture_is_what_the_questions_say(face):
    seen = {}

    class Looking(Scripted):
        def ask(self, question, default=""):
            if "corner" in question:
                image = face.panel.image().convert("RGB")
                seen["dot"], seen["bar"] = image.getpixel((28, 28)), image.getpixel((130, 28))
                seen["rest"] = image.getpixel((200, 200))
                seen["ring"] = list(face.ring.leds)
            return super().ask(question, default)

    person = Looking()
    questions.settle(face.port, boards.load("pico-generic"), person)
    assert seen["dot"] == (255, 255, 255) and seen["rest"] == (0, 0, 0)
    assert seen["bar"][0] > 240 and max(seen["bar"][1:]) < 10
    lit = {i: led for i, led in enumerate(seen["ring"]) if any(led)}
    assert set(lit) == {0, 4} and lit[0][1] and lit[4][2]
    assert "Set:" not in person.text


def test_answers_that_are_none_are_asked_again(face):
    person = Scripted("middle", "tl", "y", "noon", "none")
    questions.settle(face.port, boards.load("pico-generic"), person)
    assert "One of: top left" in person.text and "Two o'clocks" in person.text
    assert tune.get(face.port)["leds"] == 0
    tune.put(face.port, {"leds": 16})


# Settings.


def test_every_setting_can_be_read_set_and_read_again(face):
    told = aora("get", "--port", face.port)
    assert "blob, pebble, screen" in told.stdout and "auto, seats, dial" in told.stdout
    assert told.returncode == 0, told.stderr
    for row in table.TABLE:
        assert f"  {row[0]} " in told.stdout and row[3] in told.stdout
    words = ["brightness=30", "quiet=22:00-07:00", "shape=pebble", "mirror=yes", "ring_dir=-1"]
    done = aora("set", *words, "--port", face.port)
    assert done.returncode == 0, done.stderr
    values = json.loads(aora("get", "--json", "--port", face.port).stdout)["settings"]
    assert values["quiet"] == "22:00-07:00" and values["mirror"] is True
    assert (values["brightness"], values["shape"], values["ring_dir"]) == (30, "pebble", -1)
    back = ["brightness=70", "quiet=", "shape=blob", "mirror=no", "ring_dir=1"]
    assert aora("set", *back, "--port", face.port).returncode == 0
    assert aora("get", "quiet", "--port", face.port).stdout.split()[:1] == ["quiet"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("brightness=101", "brightness takes a whole number 0-100"),
        ("brightness=bright", "brightness takes"),
        ("shape=cube", "shape takes blob, pebble, screen"),
        ("mirror=perhaps", "mirror takes true or false"),
        ("rotation=45", "rotation takes"),
        ("quiet=25:00-07:00", "quiet takes"),
        ("colour", "say it as name=value"),
        ("speed=3", "speed: there is no such setting"),
    ],
)
def test_a_wrong_setting_is_refused_on_the_host(word, said):
    with pytest.raises(FlashError, match=said):
        tune.parse([word])


def test_the_board_refuses_too(face):
    with pytest.raises(FlashError, match="the board refused: brightness takes"):
        tune.put(face.port, {"brightness": 101})


def test_a_board_that_waits_at_its_repl_is_started(face):
    listed = [sys.executable, "-m", "mpremote", "connect", face.port, "ls"]
    subprocess.run(listed, check=True, capture_output=True)
    assert tune.get(face.port)["shape"] == "blob"
    with serial.Serial(face.port) as line:  # one that was left in the raw REPL
        line.write(b"\r\x03\x03\r\x01")
        line.timeout = 5
        line.read_until(b"raw REPL")
    assert tune.get(face.port)["shape"] == "blob"


def test_why_no_face_answers_is_said(face, tmp_path):
    gone = aora("get", "--port", tmp_path / "no-board")
    assert gone.returncode == 1 and "no-board is not there" in gone.stderr
    with serial.Serial(face.port, exclusive=True):
        held = aora("get", "--port", face.port)
    assert held.returncode == 1 and "in use" in held.stderr


def test_every_setting_has_a_word_for_its_default():
    board = boards.load("pico-generic")
    for row in table.TABLE:
        value = table.defaults(board)[row[0]]
        text = str(value).lower() if isinstance(value, bool) else str(value)
        assert tune.parse([f"{row[0]}={text}"]) == {row[0]: value}


def test_without_a_board_get_says_so(monkeypatch):
    monkeypatch.setattr(find, "candidates", list)
    with pytest.raises(FlashError, match="no board found"):
        tune.targets()


# Ports and what is at them.


def port(device, vid, pid, serial="E66"):
    return SimpleNamespace(device=device, vid=vid, pid=pid, serial_number=serial)


def test_ports_that_may_be_boards_are_found_and_others_left_alone():
    ports = [
        port("/dev/ttyS0", None, None),
        port("/dev/ttyACM0", 0x2E8A, 0x0005),
        port("/dev/ttyACM1", 0x2E8A, 0x000C),  # the debug probe
        port("/dev/ttyACM2", 0x2E8A, 0x000A),
        port("/dev/ttyUSB0", 0x1A86, 0x7523),
        port("/dev/ttyACM3", 0x239A, 0x80F4),
        port("/dev/ttyUSB1", 0x0403, 0x6001),
        port("/dev/tty.usbmodem1", 0x2E8A, 0x0005),
        port("/dev/cu.usbmodem1", 0x2E8A, 0x0005),
    ]
    found = [p.device for p in find.candidates(ports)]
    wanted = ["/dev/ttyACM0", "/dev/ttyACM2", "/dev/ttyUSB0", "/dev/ttyACM3", "/dev/cu.usbmodem1"]
    assert found == wanted


def drive(root, text):
    root.mkdir(parents=True)
    (root / "INFO_UF2.TXT").write_text(text)
    return root


def test_drives_of_boards_in_bootsel_are_found(tmp_path):
    pico = drive(tmp_path / "RPI-RP2", "Model: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n")
    pico2 = drive(tmp_path / "RP2350", "Model: Raspberry Pi RP2350\r\nBoard-ID: RP2350\r\n")
    other = drive(tmp_path / "FEATHERBOOT", "Model: Feather ESP32-S3\r\n")
    found = find.drives([tmp_path / "nothing", other, pico, pico2])
    assert found == [find.Drive(pico, "RP2040"), find.Drive(pico2, "RP2350")]


@pytest.fixture
def two_ports(monkeypatch):
    """Two boards, of which the second says hello."""
    ports = [
        find.Port("/dev/a", 0x2E8A, 5, "1", "RP2"),
        find.Port("/dev/b", 0x2E8A, 5, "2", "RP2"),
    ]
    answers = {"/dev/a": probing.Probe(probing.MICROPYTHON, "1.28.0")}
    answers["/dev/b"] = probing.Probe(probing.AORA, "0.1.0", "pico-lcd-1.3")
    monkeypatch.setattr(find, "candidates", lambda: ports)
    monkeypatch.setattr(run, "probe", lambda p: answers[p.device])
    return ports


def wish(**more):
    return run.Wish(boards.load("pico-generic"), **more)


def test_several_boards_are_offered_faces_first(two_ports):
    person = Scripted("2")
    assert run.choose(wish(), person).device == "/dev/a"
    assert person.said[0].splitlines()[0].split()[1] == "/dev/b"
    assert "Aora Face 0.1.0 (pico-lcd-1.3)" in person.said[0]
    assert run.choose(wish(yes=True), Scripted()).device == "/dev/b"
    assert run.choose(wish(port="/dev/c"), Scripted()).device == "/dev/c"
    with pytest.raises(FlashError, match="7 is none of them"):
        run.choose(wish(), Scripted("7"))


def test_nothing_plugged_in_is_said_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(find, "candidates", list)
    monkeypatch.setattr(find, "drive_roots", list)
    with pytest.raises(FlashError, match="only charge") as caught:
        run.choose(wish(), Scripted())
    assert "RPI_PICO2_W-latest.uf2  https://micropython.org/download/RPI_PICO2_W/" in str(
        caught.value
    )
    root = drive(tmp_path / "RPI-RP2", "Board-ID: RPI-RP2")
    monkeypatch.setattr(find, "drive_roots", lambda: [root])
    with pytest.raises(FlashError, match="RP2040 in BOOTSEL waits at"):
        run.choose(wish(), Scripted())


@pytest.mark.parametrize(
    ("board", "ids", "kind", "said"),
    [
        ("pico-lcd-1.3", (0x2E8A, 0x000A), probing.SILENT, "RP2040 running something else.\nHold"),
        ("pico-lcd-1.3", (0x2E8A, 0x0009), probing.OTHER, "RP2350 running something else.\nHold"),
        ("pico-lcd-1.3", (0x2E8A, 0x0005), probing.SILENT, "does not let go of it"),
        ("pico-lcd-1.3", (0x239A, 0x80F4), probing.CIRCUITPYTHON, "runs CircuitPython 9.2"),
        (
            "t-display",
            (0x1A86, 0x55D4),
            probing.OTHER,
            "ESP32 running something else.\nThen: aora",
        ),
    ],
)
def test_what_else_may_be_on_a_board_is_told_apart(board, ids, kind, said):
    found = probing.Probe(kind, "9.2")
    assert said in str(advice.not_ours(boards.load(board), find.Port("/dev/x", *ids), found))


def test_what_the_firmware_can_go_on_is_let_through():
    for kind in (probing.AORA, probing.MICROPYTHON):
        there = advice.not_ours(boards.load("t-display"), find.Port("x"), probing.Probe(kind))
        assert there is None


@pytest.mark.parametrize(
    ("printed", "kind", "version"),
    [
        (b"MicroPython v1.28.0 on 2026-04-06; Pico with RP2040", "micropython", "1.28.0"),
        (b"Adafruit CircuitPython 9.2.1 on 2025-01-01; Feather", "circuitpython", "9.2.1"),
    ],
)
def test_banners_are_read(printed, kind, version):
    class Line:
        """A port whose Python prints its banner when the raw REPL is left."""

        in_waiting = 0

        def __init__(self):
            self.waits = b""

        def write(self, data):
            if data.endswith(b"\x01"):
                self.waits += b"raw REPL; CTRL-B to exit\r\n>"
            elif data == b"\x02":
                self.waits += b"\r\n" + printed + b"\r\n"

        def read(self, count):
            data, self.waits = self.waits, b""
            return data

    found = probing._ask(cast(serial.Serial, Line()), 0.01)
    assert (found.kind, found.version) == (kind, version)


# No MicroPython yet.


def test_a_uf2_goes_to_the_drive_of_its_chip(monkeypatch, tmp_path):
    root = drive(tmp_path / "RPI-RP2", "Board-ID: RPI-RP2")
    monkeypatch.setattr(find, "drive_roots", lambda: [root])
    file = tmp_path / "RPI_PICO-latest.uf2"
    file.write_bytes(as_uf2(program(*PICO[2:4]), RP2040))
    back = tmp_path / "port"
    back.touch()
    first.copy_uf2(wish(port=str(back)), file, Scripted(), wait_s=1)
    assert (root / file.name).read_bytes() == file.read_bytes()
    other = tmp_path / "RPI_PICO2-latest.uf2"
    other.write_bytes(as_uf2(program(), RP2350))
    with pytest.raises(FlashError, match="is a RP2040, the file is for rp2350"):
        first.copy_uf2(wish(port="/dev/x"), other, Scripted(), wait_s=1)


@pytest.mark.parametrize("named", [True, False])
def test_the_port_of_the_board_is_waited_for(monkeypatch, tmp_path, named):
    root = drive(tmp_path / "RPI-RP2", "Board-ID: RPI-RP2")
    monkeypatch.setattr(find, "drive_roots", lambda: [root])
    file = tmp_path / "RPI_PICO-latest.uf2"
    file.write_bytes(as_uf2(program(*PICO[2:4]), RP2040))
    looks = []

    def candidates():
        looks.append(0)
        return [find.Port(f"/dev/{name}") for name in ["other", "new"][: 1 + (len(looks) > 3)]]

    monkeypatch.setattr(find, "candidates", candidates)
    asked = wish(port="/dev/new" if named else "")
    assert first.copy_uf2(asked, file, Scripted(), wait_s=5).port == "/dev/new"
    with pytest.raises(FlashError, match="did not come back as /dev/never"):
        first.copy_uf2(wish(port="/dev/never"), file, Scripted(), wait_s=0)


@pytest.mark.skipif(sys.platform != "linux", reason="drives are elsewhere")
def test_a_dry_run_with_a_uf2_ends_there(monkeypatch, tmp_path, capsys):
    from host_bridge.commands.flash import flash as command

    root = drive(tmp_path / "RPI-RP2", "Board-ID: RPI-RP2")
    monkeypatch.setattr(find, "drive_roots", lambda: [root])
    monkeypatch.setattr(find, "candidates", list)
    file = tmp_path / "RPI_PICO-latest.uf2"
    file.write_bytes(as_uf2(program(*PICO[2:4]), RP2040))
    command("pico-generic", dry_run=True, uf2=file)
    assert "would go to" in capsys.readouterr().out
    assert not (root / file.name).exists()


def test_a_board_not_in_bootsel_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(find, "drive_roots", list)
    file = tmp_path / "RPI_PICO-latest.uf2"
    file.write_bytes(as_uf2(program(), RP2040))
    person = Scripted()
    with pytest.raises(FlashError, match="no drive of a board in BOOTSEL appeared"):
        first.copy_uf2(wish(), file, person, wait_s=0)
    with pytest.raises(FlashError, match="No such file"):
        first.copy_uf2(wish(), tmp_path / "no.uf2", person, wait_s=0)


@pytest.mark.parametrize(
    ("name", "chip", "offset"),
    [("t-display", "esp32", "0x1000"), ("esp32-s3-lcd-1.28", "esp32s3", "0x0"),
     ("esp32-2424s012", "esp32c3", "0x0")],
)  # fmt: skip
def test_esptool_is_told_chip_port_and_place(tmp_path, name, chip, offset):
    file = tmp_path / "firmware.bin"
    file.write_bytes(b"\xe9")
    person = Scripted()
    wanted = run.Wish(boards.load(name), port="/dev/ttyUSB9", dry_run=True)
    first.run_esptool(wanted, file, person)
    erase, write = person.said
    assert f"-m esptool --chip {chip} --port /dev/ttyUSB9 erase-flash" in erase
    assert write.endswith(f"write-flash {offset} {file}")


def test_a_pico_is_not_for_esptool(tmp_path):
    with pytest.raises(FlashError, match="takes a UF2"):
        first.run_esptool(wish(port="x"), tmp_path / "f.bin", Scripted())


def test_list_names_every_board_and_says_when_none_is_there(monkeypatch):
    monkeypatch.setattr(find, "candidates", list)
    monkeypatch.setattr(find, "drive_roots", list)
    said = []
    first.listing(said.append)
    text = "\n".join(said)
    assert all(name in text for name in boards.names()) and "No board is plugged in" in text
