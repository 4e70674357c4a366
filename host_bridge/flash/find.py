"""Where a board may be: serial ports by VID:PID, and drives of boards in BOOTSEL."""

from __future__ import annotations

import os
import string
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host_bridge.links.serial import is_candidate

# What a person may call it. None: any PID.
NAMES: dict[tuple[int, int | None], str] = {
    (0x2E8A, 0x0005): "RP2 board with MicroPython",
    (0x2E8A, 0x0009): "RP2350 running something else",
    (0x2E8A, 0x000A): "RP2040 running something else",
    (0x2E8A, 0x1039): "Waveshare RP2040-LCD-1.28",
    (0x2E8A, 0x1057): "Waveshare RP2040-Touch-LCD-1.28",
    (0x2E8A, 0x10B3): "Waveshare RP2350-LCD-1.28",
    (0x2E8A, 0x10B4): "Waveshare RP2350-Touch-LCD-1.28",
    (0x303A, 0x4001): "ESP32-S3 with MicroPython",
    (0x303A, 0x1001): "ESP32 on its own USB",
    (0x10C4, 0xEA60): "ESP32 behind a CP210x",
    (0x1A86, 0x7523): "ESP32 behind a CH340",
    (0x1A86, 0x55D4): "ESP32 behind a CH9102",
    (0x239A, None): "Adafruit or CircuitPython board",
}
DEMO = {(0x2E8A, 0x0009), (0x2E8A, 0x000A)}  # serial ports of programs built with the Pico SDK


@dataclass(frozen=True)
class Port:
    """A serial port that may be a board."""

    device: str
    vid: int = 0
    pid: int = 0
    serial: str = ""
    what: str = ""

    def __str__(self) -> str:
        return f"{self.device}  {self.what}".rstrip()


def candidates(ports: Iterable[Any] | None = None) -> list[Port]:
    """Serial ports that may be a board, in the system's order. `ports`: pyserial's list."""
    if ports is None:
        from serial.tools import list_ports

        ports = list_ports.comports()
    return [
        Port(
            port.device,
            port.vid,
            port.pid,
            port.serial_number or "",
            NAMES.get((port.vid, port.pid)) or NAMES.get((port.vid, None), ""),
        )
        for port in ports
        if is_candidate(port.vid, port.pid) or (port.vid, port.pid) in DEMO
        if not port.device.startswith("/dev/tty.")  # macOS: /dev/cu.* is the one to open
    ]


@dataclass(frozen=True)
class Drive:
    """A board in BOOTSEL, showing itself as a drive."""

    path: Path
    board: str  # RP2040 or RP2350


def drive_roots() -> list[Path]:
    """Where this system mounts drives."""
    if sys.platform == "win32":
        return [Path(f"{letter}:/") for letter in string.ascii_uppercase[3:]]
    if sys.platform == "darwin":
        return _children("/Volumes")
    user = os.environ.get("USER", "")
    places = ["/media", f"/media/{user}", f"/run/media/{user}", "/mnt"]
    return [child for place in places for child in _children(place)]


def _children(folder: str) -> list[Path]:
    try:
        return sorted(Path(folder).iterdir())
    except OSError:
        return []


def drives(roots: Iterable[Path] | None = None) -> list[Drive]:
    """Boards in BOOTSEL, by the INFO_UF2.TXT of their drive."""
    found = []
    for root in drive_roots() if roots is None else roots:
        try:
            text = (root / "INFO_UF2.TXT").read_text("ascii", "replace")
        except OSError:
            continue
        board = "RP2350" if "RP2350" in text else "RP2040"
        if "RP2" in text or "RPI" in text:
            found.append(Drive(root, board))
    return found
