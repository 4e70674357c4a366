"""Every board file, and every way in which one is refused."""

import contextlib
from dataclasses import fields, replace

import pytest

from host_bridge import boards, chips
from host_bridge.wiring import draw

ALL = boards.names()


@pytest.fixture(params=ALL)
def board(request):
    return boards.load(request.param)


def test_there_is_one_folder_for_each_board_a_buyer_would_name():
    assert len(ALL) >= 19
    assert {"pico-generic", "pico-generic-round", "pico-lcd-1.3", "t-display"} <= set(ALL)


def test_it_is_named_after_its_folder_and_says_what_to_buy(board):
    assert board.path.parent.name == board.NAME
    assert board.PARTS and board.FIRMWARE
    text = board.path.read_text("utf-8")
    assert "ins: " in text or "ins, " in text  # where its pins come from


def test_each_pin_has_one_job_that_it_can_do(board):
    assert boards.problems(board) == []


def test_a_pack_fits_a_pico_2_as_well(board):
    if board.FORM != "built-in":
        assert boards.problems(replace(board, MCU="rp2350")) == []


def test_a_ring_has_a_pin_the_person_can_reach_or_no_leds(board):
    pin = board.RING["pin"]
    if pin is None:
        assert board.RING["leds"] == 0
    elif board.FORM == "built-in":
        assert set(board.LABELS) == {"5V", "GND", "ring"}
    else:
        assert pin <= 22 or pin in (26, 27, 28)  # on the Pico's own header


def test_its_picture_is_the_one_its_file_gives(board):
    drawn = board.path.with_name("wiring.svg").read_text("utf-8")
    assert drawn == draw(board), "draw it anew: python -m host_bridge.wiring"


def test_its_picture_names_every_wire(board):
    picture = draw(board)
    if board.FORM == "pico":
        assert "go by their names" in picture and "no BLK pin" in picture
    wanted = ["74AHCT125", "330 Ω", "1000", "µF", "DIN", f"{board.RING['leds']} LEDs"]
    if board.FORM == "pico":
        used = [board.SPI["sck"], board.SPI["mosi"], *board.PINS.values(), board.RING["pin"]]
        wanted += [f"GP{pin} (pin " for pin in used]
        wanted += ["GND", "VCC", "SCL", "SDA", "RES", "DC", "CS", "BLK"]
    for words in wanted:
        assert f">{words}" in picture or words in picture


def test_a_moved_pin_moves_its_wire():
    board = boards.load("pico-generic")
    moved = replace(board, PINS={**board.PINS, "dc": 14})
    assert boards.problems(moved) == []
    assert "GP14 (pin 19)" in draw(moved) and "GP14 (pin 19)" not in draw(board)


def changed(name="pico-generic", **tables):
    """The problems of a board with some of its tables' keys changed."""
    board = boards.load(name)
    tables = {
        key: {**getattr(board, key), **value} if isinstance(value, dict) else value
        for key, value in tables.items()
    }
    return "; ".join(boards.problems(replace(board, **tables)))


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"PINS": {"dc": 18}}, "GPIO 18: SPI sck and DC"),
        ({"SPI": {"sck": 19, "mosi": 18}}, "SPI sck on GPIO 19: SPI0 has sck on (2, 6, 18, 22)"),
        ({"SPI": {"sck": 10}}, "SPI0 has sck on"),
        ({"SPI": {"id": 2}}, "SPI id 2: RP2040 has 0, 1"),
        ({"SPI": {"baudrate": 80_000_000}}, "SPI baudrate"),
        ({"PINS": {"dc": None}}, "PINS dc: needed"),
        ({"PINS": {"dc": 30}}, "GPIO 30 (DC): RP2040 has no such pin"),
        ({"RING": {"pin": None}}, "no pin, so leds = 0"),
        ({"RING": {"leds": 65}}, "RING leds: 0 to 64"),
        ({"RING": {"order": "BRG"}}, "RING order"),
        ({"PANEL": {"driver": "ili9341"}}, "PANEL driver 'ili9341'"),
        ({"PANEL": {"rotation": 45}}, "PANEL rotation 45"),
        ({"PANEL": {"dx": 1}}, "PANEL width + dx: at most 240"),
        ({"PANEL": {"mirror": 1}}, "PANEL mirror: bool expected, not 1"),
        ({"PANEL": {"colour": True}}, "PANEL colour: unknown"),
        ({"MCU": "rp2050"}, "MCU 'rp2050'"),
        ({"RUNTIME": "lua"}, "RUNTIME 'lua'"),
        ({"FORM": "shield"}, "FORM 'shield'"),
        ({"BUDGET_MA": 0}, "BUDGET_MA"),
        ({"BUTTONS": {"b": "boot"}}, "button b 'boot'"),
    ],
)
def test_what_is_wrong_is_said(tables, said):
    assert said in changed(**tables)


@pytest.mark.parametrize(
    ("name", "tables", "said"),
    [
        ("t-display", {"PINS": {"dc": 34}}, "GPIO 34 (DC): input only"),
        ("t-display", {"RING": {"pin": 12}}, "GPIO 12 (ring): read at reset"),
        ("t-display", {"RING": {"pin": 6}}, "GPIO 6 (ring): holds the flash chip"),
        ("t-display", {"RING": {"pin": 1}}, "GPIO 1 (ring): is the serial port"),
        ("t-display", {"RING": {"pin": 24}}, "GPIO 24 (ring): ESP32 has no such pin"),
        ("esp32-2424s012", {"RING": {"pin": 18}}, "GPIO 18 (ring): is the USB port"),
        ("esp32-s3-lcd-1.28", {"RING": {"pin": 20}}, "GPIO 20 (ring): is the USB port"),
        ("esp32-s3-lcd-1.28", {"BUTTONS": {"a": "bootsel"}}, "button a 'bootsel'"),
        ("t-display-s3", {"RUNTIME": "micropython"}, "PARALLEL: circuitpython only"),
    ],
)
def test_what_a_chip_cannot_do_is_said(name, tables, said):
    assert said in changed(name, **tables)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NAME = 'x'", "missing"),
        ("NAME = open('x')", ":1: the value must be plain data"),
        ("import os", ":1: only NAME = value lines"),
        ("NAME = (", "was never closed"),
    ],
)
def test_a_file_that_is_no_board_is_refused_with_its_line(tmp_path, text, said):
    path = tmp_path / "board.py"
    path.write_text(text)
    with pytest.raises(boards.BoardError, match=said):
        boards.load(path)


SHIPPED = boards.find("pico-generic").read_text("utf-8")
VALUES = ["None", "[]", "{}", "()", "5", "-9", "'x'", "1.5", "b''", "{1: 2}", "{'a': None}"]
VALUES += ["{'a': []}", "{None: 1}", "[[]]", "True", "{'data': 5, 'wr': 1, 'rd': 2}"]
NAMES = [f.name for f in fields(boards.Board) if f.name != "path"]


@pytest.mark.parametrize("name", NAMES)
def test_any_value_is_taken_or_refused_in_words(tmp_path, name):
    path = tmp_path / "board.py"
    for value in VALUES:
        path.write_text(f"{SHIPPED}\n{name} = {value}\n", "utf-8")
        with contextlib.suppress(boards.BoardError):
            assert draw(boards.load(path))
    for value in ("None", "1.5"):
        path.write_text(f"{SHIPPED}\n{name} = {value}\n", "utf-8")
        with pytest.raises(boards.BoardError, match=f"{name}: \\w+ expected, not {value}"):
            boards.load(path)


@pytest.mark.parametrize("table", ["PANEL", "SPI", "PINS", "RING", "BUTTONS"])
def test_any_value_in_a_table_is_taken_or_refused_in_words(tmp_path, table):
    path = tmp_path / "board.py"
    known = getattr(boards.load("pico-generic"), table)
    for key in known:
        rest = {other: value for other, value in known.items() if other != key}
        path.write_text(f"{SHIPPED}\n{table} = {rest!r}\n", "utf-8")
        with contextlib.suppress(boards.BoardError):
            assert draw(boards.load(path))
        for value in VALUES:
            items = ", ".join([*(f"{k!r}: {v!r}" for k, v in rest.items()), f"{key!r}: {value}"])
            path.write_text(f"{SHIPPED}\n{table} = {{{items}}}\n", "utf-8")
            with contextlib.suppress(boards.BoardError):
                assert draw(boards.load(path))


def test_an_offset_is_not_negative():
    assert "PANEL dx -9: 0 or more" in changed(PANEL={"dx": -9})


def test_an_unknown_key_is_named(tmp_path):
    path = tmp_path / "board.py"
    path.write_text(boards.find("pico-generic").read_text("utf-8") + "COLOUR = 1\n", "utf-8")
    with pytest.raises(boards.BoardError, match="COLOUR unknown"):
        boards.load(path)


def test_a_person_has_boards_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("AORA_HOME", str(tmp_path))
    mine = tmp_path / "boards" / "mine" / "board.py"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(boards.find("pico-generic").read_bytes())
    assert "mine" in boards.names()
    assert boards.load("mine").path == mine


def test_a_board_nobody_knows_is_answered_with_the_known_ones():
    with pytest.raises(boards.BoardError, match="pico-generic"):
        boards.load("pico-genric")


def test_chip_tables_agree_with_themselves():
    for chip in chips.CHIPS.values():
        assert chip.input_only <= chip.pins and chip.strapping <= chip.pins
        assert {pin for able in chip.spi.values() for pin in able} <= chip.pins
