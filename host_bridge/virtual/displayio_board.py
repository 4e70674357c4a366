"""A panel without MicroPython: displayio on this Python, over a bus that is recorded.

Importing this installs Blinka's modules; nothing else of the bridge needs them.
"""

from __future__ import annotations

import os
import time
from typing import Any

os.environ.setdefault("BLINKA_FORCEBOARD", "GENERIC_LINUX_PC")
os.environ.setdefault("BLINKA_FORCECHIP", "GENERIC_X86")

import busdisplay  # noqa: E402
import displayio  # noqa: E402
import fourwire  # noqa: E402

from aora.display.displayio_screen import DisplayioScreen  # noqa: E402
from aora.display.turn import controller, turned  # noqa: E402
from host_bridge.virtual.panel import PanelDecoder  # noqa: E402


class RecordedBus(fourwire.FourWire):
    """What a display sends, given to a panel decoder in place of pins."""

    def __init__(self, panel: PanelDecoder) -> None:
        self._panel = panel
        self._locked = False

    def _release(self) -> None:
        self._locked = False

    def reset(self) -> None:
        self._panel.reset()

    def _free(self) -> bool:
        return not self._locked

    def _begin_transaction(self) -> bool:
        if self._locked:
            return False
        self._locked = True
        return True

    def _end_transaction(self) -> None:
        self._locked = False

    def _send(self, data_type: int, chip_select: int, data: Any) -> None:
        self._panel.feed(data_type, bytes(data), time.monotonic_ns() // 1000)


def _wake(steps: bytes, madctl: int, invert: bool) -> bytes:
    """A controller's start in displayio's form: the pause only where there is one, marked."""
    out = bytearray()
    at = 0
    while at < len(steps):
        size = steps[at + 1]
        pause = steps[at + 2 + size]
        out += bytes((steps[at], size | (0x80 if pause else 0)))
        out += steps[at + 2 : at + 2 + size]
        if pause:
            out.append(1)  # the decoder wakes at once
        at += 3 + size
    return bytes(out + bytes((0x36, 1, madctl, 0x21 if invert else 0x20, 0, 0x29, 0)))


class DisplayioBoard:
    """A board's panel and face; `panel` decodes what is sent."""

    def __init__(self, board: Any, settings: Any) -> None:
        spec = board.PANEL
        self.panel = PanelDecoder(
            spec["width"],
            spec["height"],
            spec["dx"],
            spec["dy"],
            driver=spec["driver"],
            round=spec["round"],
            mirror=spec["mirror"],
            invert=spec["invert"],
            bgr=spec["bgr"],
        )
        chip = controller(spec["driver"])
        madctl, width, height, column, row = turned(spec, settings, chip.GRAM)
        displayio.release_displays()
        display = busdisplay.BusDisplay(
            RecordedBus(self.panel),
            _wake(chip.WAKE, madctl, settings.invert),
            width=width,
            height=height,
            colstart=column,
            rowstart=row,
            auto_refresh=False,
        )
        self.screen = DisplayioScreen(board, settings, display)
