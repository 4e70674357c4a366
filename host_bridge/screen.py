"""A virtual board's picture and ring for pages that look; without one it costs nothing.

A stream of records, little-endian, each a letter and its fields:
`S` width u16, height u16, round u8, lit u8: what follows is for a glass of this size
`P` x u16, y u16, width u16, height u16, then red, green, blue of each pixel
`R` count u8, then red, green, blue of each LED as sent
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Callable
from typing import Any

from PIL import Image, ImageChops

from host_bridge.stream import Reader

PAUSE_S = 1 / 30
VIEWERS = 16  # each may have some whole pictures waiting


class Screen:
    """Watches a VirtualBoard while somebody looks."""

    def __init__(self, board: Any) -> None:
        self.board = board
        self._readers: set[Reader] = set()
        self._loop = asyncio.get_running_loop()
        self._stop: list[Callable[[], None]] = []
        self._waiting = False
        self._painted = 0.0
        self._last: Image.Image | None = None
        self._size = b""
        self._ring = b""

    def describe(self) -> dict[str, Any]:
        """What a page has to know beforehand."""
        return {"pixels": True, "round": bool(self.board.panel.round)}

    def press(self, button: str, ms: int = 80) -> dict[str, Any] | None:
        """Presses a button; None if there is no such button."""
        try:
            self.board.press(button, ms)
        except KeyError:
            return None
        return {"pressed": button}

    def png(self) -> bytes:
        """The picture as a file."""
        return self.board.panel.png()

    def full(self) -> bool:
        """Whether nobody else may look."""
        return len(self._readers) >= VIEWERS

    def add(self, reader: Reader) -> None:
        """Somebody looks: the whole picture first, then what changes."""
        if not self._readers:
            self._stop = [
                self.board.panel.listen(self._changed),
                self.board.ring.listen(self._changed),
            ]
        self._last, self._size, self._ring = None, b"", b""
        self._readers.add(reader)
        self._paint()

    def remove(self, reader: Reader) -> None:
        """Somebody looks away."""
        self._readers.discard(reader)
        if not self._readers:
            for stop in self._stop:
                stop()
            self._stop = []

    def _changed(self, what: Any) -> None:
        """From the board's thread: paints soon, once for all that changes until then."""
        if not self._waiting:
            self._waiting = True
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._soon)

    def _soon(self) -> None:
        wait = self._painted + PAUSE_S - self._loop.time()
        self._loop.call_later(max(0.0, wait), self._paint)

    def _paint(self) -> None:
        self._waiting = False
        self._painted = self._loop.time()
        chunk = self._new_size() + self._new_pixels() + self._new_ring()
        if chunk:
            for reader in list(self._readers):
                reader.put(chunk)

    def _new_size(self) -> bytes:
        panel = self.board.panel
        size = struct.pack("<cHHBB", b"S", *panel.size, panel.round, panel.on)
        if size == self._size:
            return b""
        self._size, self._last = size, None
        return size

    def _new_pixels(self) -> bytes:
        picture = self.board.panel.image()
        box: tuple[int, int, int, int] | None = (0, 0, *picture.size)
        if self._last is not None:
            box = ImageChops.difference(picture, self._last).getbbox()
        self._last = picture
        if box is None:
            return b""
        place = struct.pack("<cHHHH", b"P", box[0], box[1], box[2] - box[0], box[3] - box[1])
        return place + picture.crop(box).tobytes()

    def _new_ring(self) -> bytes:
        leds = self.board.ring.leds
        ring = struct.pack("<cB", b"R", len(leds)) + bytes(c for led in leds for c in led)
        if ring == self._ring:
            return b""
        self._ring = ring
        return ring
