"""What each chip's pins can do. Sources: RP2040 and RP2350 datasheets (GPIO functions),
Espressif's datasheets of ESP32, ESP32-S3 and ESP32-C3 (pin overview, strapping pins)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Chip:
    """`spi`: GPIOs by (block, job); a missing entry means that any pin will do."""

    title: str
    pins: frozenset[int]
    arch: str  # mpy-cross -march
    spi_ids: Sequence[int]
    spi_max: int  # Hz
    spi: Mapping[tuple[int, str], Sequence[int]] = field(default_factory=dict)
    input_only: frozenset[int] = frozenset()
    strapping: frozenset[int] = frozenset()
    reserved: Mapping[int, str] = field(default_factory=dict)
    boot: int | str = "bootsel"  # the BOOT button
    flash_offset: int = 0  # where esptool writes MicroPython


def _reserve(**groups: Sequence[int]) -> dict[int, str]:
    return {pin: why.replace("_", " ") for why, pins in groups.items() for pin in pins}


_RP2_SPI = {
    (0, "sck"): (2, 6, 18, 22),
    (0, "mosi"): (3, 7, 19, 23),
    (1, "sck"): (10, 14, 26),
    (1, "mosi"): (11, 15, 27),
}

CHIPS = {
    "rp2040": Chip("RP2040", frozenset(range(30)), "armv6m", (0, 1), 62_500_000, _RP2_SPI),
    # RP2350A, the part with 30 pins; its SPI functions sit where the RP2040 has them.
    "rp2350": Chip("RP2350", frozenset(range(30)), "armv7emsp", (0, 1), 62_500_000, _RP2_SPI),
    "esp32": Chip(
        "ESP32",
        frozenset({*range(20), 21, 22, 23, 25, 26, 27, *range(32, 40)}),
        "xtensawin",
        (1, 2),
        80_000_000,
        input_only=frozenset(range(34, 40)),
        strapping=frozenset({0, 2, 5, 12, 15}),
        reserved=_reserve(holds_the_flash_chip=range(6, 12), is_the_serial_port=(1, 3)),
        boot=0,
        flash_offset=0x1000,
    ),
    "esp32s3": Chip(
        "ESP32-S3",
        frozenset({*range(22), *range(26, 49)}),
        "xtensawin",
        (1, 2),
        80_000_000,
        strapping=frozenset({0, 3, 45, 46}),
        reserved=_reserve(holds_the_flash_chip=range(26, 33), is_the_USB_port=(19, 20)),
        boot=0,
    ),
    "esp32c3": Chip(
        "ESP32-C3",
        frozenset(range(22)),
        "rv32imc",
        (1,),
        80_000_000,
        strapping=frozenset({2, 8, 9}),
        reserved=_reserve(holds_the_flash_chip=range(11, 18), is_the_USB_port=(18, 19)),
        boot=9,
    ),
}
