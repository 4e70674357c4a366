"""What the shims have to know of a board: its chip's pins, blocks and names."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from host_bridge.boards import Board

_SPI_DEFAULT = {
    "rp2040": {"0": (18, 19, 16), "1": (10, 11, 8)},
    "rp2350": {"0": (18, 19, 16), "1": (10, 11, 8)},
    "esp32": {"1": (14, 13, 12), "2": (18, 23, 19)},
    "esp32s3": {"1": (12, 11, 13), "2": (36, 35, 37)},
    "esp32c3": {"1": (6, 7, 2)},
}
_MISO = {"0 miso": (0, 4, 16, 20), "1 miso": (8, 12, 24, 28)}
_MACHINE = {
    "rp2040": "Raspberry Pi Pico with RP2040",
    "rp2350": "Raspberry Pi Pico2 with RP2350",
    "esp32": "Generic ESP32 module with ESP32",
    "esp32s3": "Generic ESP32S3 module with ESP32S3",
    "esp32c3": "ESP32C3 module with ESP32C3",
}
_MHZ = {"esp32c3": (20, 40, 80, 160)}
_BOOT_PIN = {"esp32": 0, "esp32s3": 0, "esp32c3": 9}  # the board pulls it up
FLASH_KB = {"rp2040": 1408, "rp2350": 3072}
_CAUSES = {"power": 1, "reset": 2, "watchdog": 3, "soft": 5}
_RP2_CAUSES = {"power": 1, "reset": 3, "watchdog": 3}  # it resets itself by its watchdog


def is_rp2(board: Board) -> bool:
    return board.MCU.startswith("rp2")


def cause_number(board: Board, cause: str, hard: str) -> int:
    """What `machine.reset_cause()` answers; an RP2 does not count soft resets."""
    return _RP2_CAUSES[hard] if is_rp2(board) else _CAUSES[cause]


def flash_size(board: Board) -> int:
    """Bytes of the chip's file system as MicroPython lays it out."""
    return FLASH_KB.get(board.MCU, 2048) * 1024


def unique_id(board: Board, home: Path) -> str:
    """As hex; the same for the same home."""
    size = 8 if is_rp2(board) else 6
    return hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[: 2 * size]


def describe(board: Board) -> dict[str, Any]:
    """The part of the shims' configuration that follows from the board file."""
    chip, spi, pins = board.chip, board.SPI, board.PINS
    able = {f"{block} {job}": list(gpios) for (block, job), gpios in chip.spi.items()}
    pulled_up = (
        set(chip.input_only) | {_BOOT_PIN[board.MCU]} & set(chip.pins)
        if not is_rp2(board)
        else set()
    )
    busy = (pins["cs"], pins["dc"], spi["sck"], spi["mosi"], board.RING["pin"])
    return {
        "mcu": board.MCU,
        "machine": _MACHINE[board.MCU],
        "pins": sorted(chip.pins),
        "names": {"LED": 25} if is_rp2(board) else {},
        "input_only": sorted(chip.input_only),
        "pulled_up": sorted(pulled_up),
        "spi": [spi["id"], spi["sck"], spi["mosi"]],
        "spi_ids": list(chip.spi_ids),
        "spi_pins": {**able, **(_MISO if is_rp2(board) else {})},
        "spi_default": _SPI_DEFAULT[board.MCU],
        "pmic": [board.PMIC[key] for key in ("address", "scl", "sda")] if board.PMIC else [],
        "clocks": _MHZ.get(board.MCU, (20, 40, 80, 160, 240)),
        "dc": pins["dc"],
        "cs": pins["cs"],
        "busy": [pin for pin in busy if pin is not None],
    }
