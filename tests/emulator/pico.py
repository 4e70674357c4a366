"""A Pico in PyPI's rp2040py: runs a UF2, with a panel on its SPI and a host on its USB."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rp2040py.boards import BoardSpec  # pyright: ignore[reportMissingImports]
from rp2040py.device import BaseDevice  # pyright: ignore[reportMissingImports]
from rp2040py.execute_batch import execute_batch  # pyright: ignore[reportMissingImports]
from rp2040py.gpio_pin import GPIOPinState  # pyright: ignore[reportMissingImports]

from host_bridge.boards import Board
from host_bridge.virtual.panel import PanelDecoder

_PACKET = 64  # bytes, the most that full-speed USB takes at once


class _Wires:
    """Carries what the chip puts on the panel's SPI, while it is selected, to the decoder."""

    def __init__(self, board: Board, panel: PanelDecoder) -> None:
        self._spi, self._pins, self._panel = board.SPI["id"], board.PINS, panel
        self._level = 0
        self._waiting = bytearray()  # bytes of one level of DC

    def attach(self, rp2040: Any) -> None:
        self._mcu, self._bus = rp2040, rp2040.spi[self._spi]
        self._sent = rp2040.clock.create_alarm(lambda: self._bus.complete_transmit(0))
        self._bus.on_transmit = self._shift

    def _high(self, name: str) -> bool:
        return self._mcu.gpio[self._pins[name]].value == GPIOPinState.HIGH

    def _shift(self, byte: int) -> None:
        if not self._high("cs"):
            level = int(self._high("dc"))
            if level != self._level:
                self.flush()
                self._level = level
            self._waiting.append(byte)
        self._sent.schedule(8e9 / self._bus.clock_frequency)

    def flush(self) -> None:
        """Hands over what has not been decoded yet."""
        now_us = int(self._mcu.clock.nanos) // 1000
        self._panel.feed(self._level, self._waiting, now_us)
        self._waiting.clear()


class Pico:
    """Runs a UF2; `heard` is what it said in JSON, `noise` its other lines.

    It moves on only while it is waited for, and all times are emulated seconds.
    """

    def __init__(self, uf2: Path, board: Board) -> None:
        glass = board.PANEL
        self._panel = PanelDecoder(
            glass["width"], glass["height"], glass["dx"], glass["dy"], invert=glass["invert"]
        )
        self._wires = _Wires(board, self._panel)
        self._device: Any = BaseDevice(board=BoardSpec(extras=(lambda: self._wires,), image=uf2))
        self._device.cdc.on_serial_data = self._hear
        self._usb = self._device.mcu.usb_ctrl
        self._control = self._usb.on_endpoint_read
        self._usb.on_endpoint_read = self._read
        self._to_send = bytearray()
        self._wanted: tuple[int, int] | None = None
        self._said = b""
        self.heard: list[dict[str, Any]] = []
        self.noise: list[bytes] = []
        self._device.hard_reset()
        self._device.simulator.stopped = False

    @property
    def seconds(self) -> float:
        """Emulated seconds since power came on."""
        return self._device.mcu.clock.nanos / 1e9

    @property
    def panel(self) -> PanelDecoder:
        """The panel as it is now."""
        self._wires.flush()
        return self._panel

    def send(self, message: dict[str, Any]) -> None:
        """Sends a line as soon as the board takes it."""
        self._to_send += json.dumps(message).encode() + b"\n"
        self._pump()

    def hear(self, key: str, within: float) -> Any:
        """What the board says next under this key; fails when it says nothing for so long."""
        end = self.seconds + within
        while self.seconds < end:
            while self.heard:
                said = self.heard.pop(0)
                if key in said:
                    return said[key]
            execute_batch(self._device.simulator, 1)
        raise AssertionError(f"no {key} within {within} emulated s; {self.noise[-20:]}")

    def wait(self, fits: Callable[[], bool], within: float) -> None:
        """Runs on until `fits()`."""
        end = self.seconds + within
        while not fits():
            assert self.seconds < end, f"not within {within} emulated s; {self.noise[-20:]}"
            execute_batch(self._device.simulator, 1)

    # The host's end of USB. rp2040py's own answers each poll at once, with nothing if there is
    # nothing: the board would do little else than take empty packets. This one lets it wait.

    def _read(self, endpoint: int, size: int) -> None:
        if endpoint == 0:
            self._control(endpoint, size)
        else:
            self._wanted = endpoint, size
            self._pump()

    def _pump(self) -> None:
        if self._wanted and self._to_send:
            endpoint, size = self._wanted
            count = min(size, _PACKET)
            packet = bytes(self._to_send[:count])
            del self._to_send[:count]
            self._wanted = None
            self._usb.endpoint_read_done(endpoint, packet)

    def _hear(self, data: bytes) -> None:
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            try:
                self.heard.append(json.loads(line))
            except ValueError:
                self.noise.append(line)
