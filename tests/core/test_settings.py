"""Settings: checked as a whole, kept across power cuts."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aora.settings import Settings
from aora.table import TABLE, minutes, problem
from host_bridge import boards

BOARD = boards.load("pico-generic")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "settings.json")


def test_defaults_come_from_table_and_board(path):
    settings = Settings(BOARD, path)
    assert settings.brightness == 70 and settings.leds == BOARD.RING["leds"]
    assert settings.invert is BOARD.PANEL["invert"] and settings.fell_back == ""


def test_set_is_kept(path):
    assert Settings(BOARD, path).set({"brightness": 30, "quiet": "22:00-07:00"}) is None
    again = Settings(BOARD, path)
    assert (again.brightness, again.quiet_from, again.quiet_to) == (30, 1320, 420)


@pytest.mark.parametrize(
    ("name", "value"),
    (
        ("brightness", 101),
        ("brightness", -1),
        ("brightness", True),
        ("brightness", 5.0),
        ("brightness", "5"),
        ("quiet", "22-7"),
        ("quiet", "24:00-07:00"),
        ("quiet", 5),
        ("shape", "square"),
        ("rotation", 45),
        ("ring_dir", 0),
        ("mirror", 1),
        ("name", "a b"),
        ("name", ""),
        ("name", "x" * 25),
        ("nonsense", 1),
    ),
)
def test_wrong_values_are_refused_and_nothing_is_set(path, name, value):
    settings = Settings(BOARD, path)
    before = settings.values()
    sentence = settings.set({"sticky_ms": 0, name: value})
    assert sentence and name in sentence
    assert settings.values() == before and not os.path.exists(path)


def test_set_takes_an_object(path):
    assert Settings(BOARD, path).set([1]) == "set takes an object"


@pytest.mark.parametrize("name", [row[0] for row in TABLE])
def test_every_default_may_be_set(path, name):
    assert problem(name, Settings(BOARD, path).values()[name]) is None


def test_a_power_cut_at_any_byte_leaves_old_or_new(path):
    """What is half written lies beside the old file, or is the whole new one."""
    Settings(BOARD, path).set({"brightness": 11})
    settings = Settings(BOARD, path)
    settings.set({"brightness": 99})
    whole = Path(path).read_bytes()
    Settings(BOARD, path).set({"brightness": 11})
    for cut in range(len(whole)):
        with open(path + ".new", "wb") as file:
            file.write(whole[:cut])
        found = Settings(BOARD, path)
        assert found.brightness == 11 and found.fell_back == ""


@given(data=st.binary(max_size=60))
def test_a_damaged_file_falls_back_and_says_so(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(data)
    settings = Settings(BOARD, str(path))
    assert "damaged" in settings.fell_back and settings.brightness == 70


def test_unknown_settings_of_other_firmware_are_left_out(path):
    from aora.settings import _crc

    data = b'{"brightness": 12, "later": 5, "shape": "cube"}'
    with open(path, "wb") as file:
        file.write(data + b"\n" + _crc(data) + b"\n")
    settings = Settings(BOARD, path)
    assert settings.brightness == 12 and settings.shape == "blob" and settings.fell_back == ""


@pytest.mark.parametrize(("text", "answer"), (("", (-1, -1)), ("00:00-23:59", (0, 1439))))
def test_hours(text, answer):
    assert minutes(text) == answer
