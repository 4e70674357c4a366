"""Serial ports: which may be boards, and how one is opened, read, written and closed."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import serial

from host_bridge import paths
from host_bridge.links.link import Link, Port

BAUD = 115200  # for boards with a UART behind the USB; the others ignore it
WRITE_TIMEOUT_S = 0.5
READ_BYTES = 4096

# USB ids of what may be a board; its hello says whether it is.
CANDIDATES: dict[int, tuple[int, ...] | None] = {
    0x2E8A: (0x0005, 0x1039, 0x1057, 0x10B3, 0x10B4),  # rp2 MicroPython, Waveshare
    0x303A: (0x4001, 0x1001),  # Espressif
    0x10C4: (0xEA60,),  # CP210x
    0x1A86: (0x7523, 0x55D4),  # CH340, CH9102
    0x239A: None,  # Adafruit: any
}
# Never opened: the rp2 boot loaders and the debug probe.
EXCLUDED = {(0x2E8A, 0x0003), (0x2E8A, 0x000F), (0x2E8A, 0x000C)}
CP210X_ID = 0x10C4


@dataclass(frozen=True)
class Found:
    """A port that may be a board; `key` stays the same when the system renames the port.

    A board may have several ports: they share its serial number and keep their order.
    """

    address: str
    key: str
    vid: int


def is_candidate(vid: int | None, pid: int | None) -> bool:
    """Whether a USB device of these ids may be a board."""
    if vid not in CANDIDATES or pid is None or (vid, pid) in EXCLUDED:
        return False
    known = CANDIDATES[vid]
    return known is None or pid in known


def candidates(ports: list[Any] | None = None) -> list[Found]:
    """The ports that may be boards (of `ports`, as pyserial lists them)."""
    if ports is None:
        from serial.tools import list_ports

        ports = list(list_ports.comports())
    found: dict[str, Found] = {}
    for port in sorted(ports, key=lambda port: port.device):
        if is_candidate(port.vid, port.pid) and not port.device.startswith("/dev/tty."):
            name = port.serial_number or port.device
            key = next(f"{name}:{n}" for n in range(len(ports)) if f"{name}:{n}" not in found)
            found[key] = Found(port.device, key, port.vid)
    return list(found.values())


def open_serial(address: str, vid: int | None = None) -> serial.Serial:
    """Opens a port for this program alone; OSError says why not, and who has it."""
    if address.startswith("socket://"):  # a board on this machine that has no terminal
        return serial.serial_for_url(address, timeout=0, write_timeout=WRITE_TIMEOUT_S)
    port = serial.Serial(baudrate=BAUD, timeout=0, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
    port.port = address
    # A CP210x on Windows pulses its lines on opening, which resets the board, unless they
    # start low. Elsewhere presetting them is what resets it.
    late = sys.platform == "win32" and vid == CP210X_ID
    if late:
        port.dtr = port.rts = False
    try:
        port.open()
    except serial.SerialException as error:
        raise OSError(error.errno, _why(address, error)) from None
    if late:
        port.dtr = port.rts = True
    return port


def close_serial(port: serial.Serial) -> None:
    """Closes with RTS low before DTR, the order that resets no board."""
    with contextlib.suppress(OSError, serial.SerialException):
        port.rts = False
        port.dtr = False
    with contextlib.suppress(OSError, serial.SerialException):
        port.close()


def _allow() -> str:
    """How to get the permission, on Linux: the rule's file is part of the product."""
    if sys.platform != "linux":
        return ""
    rule = paths.boards_dir() / "60-aora-face.rules"
    return (
        f": run\n  sudo cp {rule} /etc/udev/rules.d/ && sudo udevadm control --reload"
        "\nand plug the board in again"
    )


def _why(address: str, error: serial.SerialException) -> str:
    if error.errno == errno.ENOENT:
        return f"{address} is not there"
    if error.errno == errno.EACCES:
        return f"no permission for {address}{_allow()}"
    if error.errno in (errno.EAGAIN, errno.EBUSY):
        return f"{address} is in use by {_holder(address) or 'another program'}"
    return str(error)


def _holder(address: str) -> str:
    """Who has the port open, where the system tells."""
    device = os.path.realpath(address)
    for folder in Path("/proc").glob("[0-9]*/fd"):
        with contextlib.suppress(OSError):
            if int(folder.parent.name) == os.getpid():
                continue
            if any(os.path.realpath(fd) == device for fd in folder.iterdir()):
                name = (folder.parent / "comm").read_text().strip()
                return f"{name} (process {folder.parent.name})"
    return ""


class PosixPort:
    """A port read and written by the event loop."""

    def __init__(self, link: Link, port: serial.Serial) -> None:
        self._link = link
        self._port = port
        self._fd = port.fileno()
        self._loop = asyncio.get_running_loop()
        self._writing = False
        self._loop.add_reader(self._fd, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._link.failed(error.strerror or str(error))
            return
        if data:
            self._link.received(data)
        else:
            self._link.failed("unplugged")

    def write(self, data: bytes) -> int:
        try:
            taken = os.write(self._fd, data)
        except BlockingIOError:
            taken = 0
        if taken < len(data) and not self._writing:
            self._writing = True
            self._loop.add_writer(self._fd, self._writable)
        return taken

    def _writable(self) -> None:
        self._writing = False
        self._loop.remove_writer(self._fd)
        self._link.writable()

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        close_serial(self._port)


class ThreadPort:
    """A port read by a thread, where the event loop cannot wait for one."""

    def __init__(self, link: Link, port: serial.Serial) -> None:
        self._link = link
        self._port = port
        self._loop = asyncio.get_running_loop()
        self._open = True
        port.timeout = 1
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while self._open:
            try:
                data = self._port.read(1)
                data += self._port.read(self._port.in_waiting)
            except (OSError, serial.SerialException, TypeError, AttributeError) as error:
                self._hand_over(self._link.failed, str(error))
                return
            if data:
                self._hand_over(self._link.received, data)

    def _hand_over(self, act: Callable[[Any], None], value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(lambda: act(value) if self._open else None)

    def write(self, data: bytes) -> int:
        return self._port.write(data) or 0

    def close(self) -> None:
        self._open = False
        close_serial(self._port)


def opener(vid: int | None = None) -> Callable[[Link], Port]:
    """The `open_port` of a link."""

    def open_port(link: Link) -> Port:
        port = open_serial(link.address, vid)
        return ThreadPort(link, port) if sys.platform == "win32" else PosixPort(link, port)

    return open_port
