"""A board without MicroPython: the firmware on this Python, its panel through displayio.

The bus is recorded and decoded like any panel's. Not modelled: flash, memory, resets, and the
speed of a chip. Importing this installs Blinka's modules; nothing else of the bridge needs them.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("BLINKA_FORCEBOARD", "GENERIC_LINUX_PC")
os.environ.setdefault("BLINKA_FORCECHIP", "GENERIC_X86")

with contextlib.redirect_stdout(io.StringIO()):  # Blinka warns that this computer has no pins
    import busdisplay
    import displayio
    import fourwire

from aora import ticks  # noqa: E402
from aora.display.displayio_screen import DisplayioScreen  # noqa: E402
from aora.display.turn import controller, turned  # noqa: E402
from aora.settings import Settings  # noqa: E402
from host_bridge import boards  # noqa: E402
from host_bridge.virtual import desktop_chip  # noqa: E402
from host_bridge.virtual.panel import PanelDecoder, decoder  # noqa: E402
from host_bridge.virtual.ring import RingDecoder  # noqa: E402

_UNSEEN = (10_000, 10_000)  # ms between frames


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


class DisplayioPanel:
    """A board's panel and the face on it; `panel` decodes what is sent."""

    def __init__(self, board: Any, settings: Any, panel: PanelDecoder) -> None:
        spec = board.PANEL
        self.panel = panel
        chip = controller(spec["driver"])
        madctl, width, height, column, row = turned(spec, settings, chip.GRAM)
        displayio.release_displays()
        self._display = busdisplay.BusDisplay(
            RecordedBus(self.panel),
            _wake(chip.WAKE, madctl, settings.invert),
            width=width,
            height=height,
            colstart=column,
            rowstart=row,
            auto_refresh=False,
        )
        self.screen = DisplayioScreen(board, settings, self._display)


class DisplayioBoard:
    """A whole board: `port` is what a host opens (a pyserial URL), `panel` and `ring` what is
    to be seen. `home` keeps its settings."""

    def __init__(self, board: str | Path, home: Path) -> None:
        desktop_chip.install()
        from aora.line import Line
        from aora.link.writer import Writer

        self.board = boards.load(board)
        home.mkdir(parents=True, exist_ok=True)
        self._saved = str(home / "settings.json")
        self.panel = decoder(self.board.PANEL)
        self.ring = RingDecoder(self.board.RING["leds"], self.board.RING["order"])
        desktop_chip.bits[self.board.RING["pin"]] = self.ring.feed
        self._link = desktop_chip.SocketLink(Line(), Writer())
        self.port = self._link.port
        self._app = self._power_on()
        self._running = False
        self._thread = threading.Thread(target=self._loop, name="displayio board", daemon=True)

    def _power_on(self) -> Any:
        """The firmware's parts, by the settings as they are."""
        from aora.app import App
        from aora.buttons import buttons_of
        from aora.ring import Ring

        settings = self._settings = Settings(self.board, self._saved)
        face = DisplayioPanel(self.board, settings, self.panel)
        ring = Ring(self.board, settings) if settings.leds else None
        buttons = buttons_of(self.board)
        uid = f"displayio-{self.board.NAME}"
        return App(self.board, settings, face.screen, ring, self._link, buttons, uid, _now())

    def start(self) -> DisplayioBoard:
        """Starts the firmware."""
        self._running = True
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ends it, and its port."""
        self._running = False
        self._thread.join()
        self._link.close()
        displayio.release_displays()

    def press(self, button: str, ms: int = 80) -> None:
        """Presses a button; KeyError if there is none of this name."""
        pin = self.board.BUTTONS[button]
        pin = desktop_chip.BOOTSEL if pin == "bootsel" else int(pin)
        desktop_chip.levels[pin] = 0
        threading.Timer(ms / 1000, desktop_chip.levels.pop, (pin, None)).start()

    def _loop(self) -> None:
        from aora.app import PACES

        self._app.talk.hello()
        while self._running:
            # Drawing costs this computer most: while nobody looks, changes are enough.
            self._app.pace = PACES[self._settings.motion] if self.panel.watched else _UNSEEN
            self._app.step(_now())
            self.panel.end_frame()
            if self._app.restart and not self._link.out.pending():
                self._app = self._power_on()
                self._app.talk.hello()


def _now() -> int:
    return time.monotonic_ns() // 1_000_000 & ticks.MASK
