"""`machine` for firmware that runs on this Python: pins that buttons read, and LED bits.

Only where no MicroPython is: the firmware's panel goes through displayio there.
"""

from __future__ import annotations

import select
import socket
import sys
import time
import types
from collections.abc import Callable
from typing import Any

BOOTSEL = -1  # among the pins: the button of an RP2 that is none
levels: dict[int, int] = {}  # of input pins; a button pulls its pin to 0
bits: dict[int, Callable[[bytes, int], None]] = {}  # who takes the LED bits of a pin


class Pin:
    """A pin by its number."""

    IN, OUT, PULL_UP = 0, 1, 1

    def __init__(self, number: int, *_: int, value: int | None = None) -> None:
        self.number = number

    def value(self) -> int:
        return levels.get(self.number, 1)


def _bitstream(pin: Pin, encoding: int, timing: tuple[int, ...], data: bytes) -> None:
    if take := bits.get(pin.number):
        take(bytes(data), time.monotonic_ns() // 1000)


def _bootsel_button() -> int:
    return 1 - levels.get(BOOTSEL, 1)


def install() -> None:
    """Lets the firmware import `machine` and `rp2`."""
    module = types.ModuleType("machine")
    module.Pin = Pin  # type: ignore[attr-defined]
    module.bitstream = _bitstream  # type: ignore[attr-defined]
    sys.modules.setdefault("machine", module)
    module = types.ModuleType("rp2")
    module.bootsel_button = _bootsel_button  # type: ignore[attr-defined]
    sys.modules.setdefault("rp2", module)


class SocketLink:
    """The firmware's link over a socket of this machine; the methods of link.usb.Usb."""

    ring = 512

    def __init__(self, line: Any, out: Any) -> None:
        self.line, self.out = line, out
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.port = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._host: socket.socket | None = None
        self._waiting = b""

    def _accept(self) -> None:
        try:
            self._host, _ = self._server.accept()
        except BlockingIOError:
            return
        self._host.setblocking(False)
        self._waiting = b""

    def _hang_up(self) -> None:
        if self._host:
            self._host.close()
        self._host = None

    def read(self) -> bool:
        """Takes what is there up to the end of a line; True when one ended."""
        if self._host is None:
            self._accept()
        if self._host and not self._waiting:
            try:
                self._waiting = self._host.recv(4096)
                if not self._waiting:
                    self._hang_up()
            except BlockingIOError:
                pass
            except OSError:
                self._hang_up()
        for i, byte in enumerate(self._waiting):
            if self.line.feed(byte):
                self._waiting = self._waiting[i + 1 :]
                return True
        self._waiting = b""
        return False

    def pump(self) -> None:
        """Sends what the host takes now; drops it when nobody listens, as USB does."""
        out = self.out
        while out.pending():
            if self._host:
                try:
                    self._host.send(bytes((out.peek(),)))
                except BlockingIOError:
                    return
                except OSError:
                    self._hang_up()
            out.drop()

    def wait(self, ms: int) -> None:
        """Sleeps until there is input, at most `ms`."""
        if not self._waiting:
            select.select([self._host or self._server], [], [], ms / 1000)

    def close(self) -> None:
        """Hangs up and gives the port free."""
        self._hang_up()
        self._server.close()
