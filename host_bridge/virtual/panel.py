"""ST7789 and GC9A01: what is written to the controller, as the picture on its glass."""

from __future__ import annotations

import io
import random
import threading
from array import array
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

MY, MX, MV, BGR = 0x80, 0x40, 0x20, 0x08
_NOP, _SWRESET, _SLPIN, _SLPOUT = 0x00, 0x01, 0x10, 0x11
_INVOFF, _INVON, _DISPOFF, _DISPON = 0x20, 0x21, 0x28, 0x29
_CASET, _RASET, _RAMWR, _RAMWRC, _MADCTL, _COLMOD = 0x2A, 0x2B, 0x2C, 0x3C, 0x36, 0x3A
GRAM = {"st7789": (240, 320), "gc9a01": (240, 240)}
_GAP_US = 2000  # silence that ends a frame when no NOP does
_MARKED_GAP_US = 100_000  # silence that ends one all the same, where NOPs do: a busy machine's
_FRAMES = 4096  # records kept

Rect = tuple[int, int, int, int]


@dataclass
class Frame:
    """What was sent between two frame ends. Rectangles are (x, y, width, height) on the glass."""

    start_us: int
    end_us: int
    bytes: int = 0
    rects: list[Rect] = field(default_factory=list)
    written: int = 0
    changed: int = 0


def _changed(old: bytes | bytearray, new: bytes) -> int:
    """How many 16-bit pixels differ: every bit of one folded on its lowest, then counted."""
    if old == new:
        return 0
    bits = int.from_bytes(old, "little") ^ int.from_bytes(new, "little")
    for shift in (8, 4, 2, 1):
        bits |= bits >> shift
    return (bits & int.from_bytes(b"\x01\x00" * (len(old) // 2), "little")).bit_count()


class PanelDecoder:
    """A panel's controller and glass.

    `width`, `height`, `dx`, `dy` place the glass in the controller's memory at MADCTL 0. The
    picture is upright as the firmware draws it, at any rotation: people turn the device. A
    mirrored one stays mirrored unless the glass needs it (`mirror`); `invert` and `bgr` say
    what the glass needs for true colours.
    """

    def __init__(
        self,
        width: int,
        height: int,
        dx: int = 0,
        dy: int = 0,
        driver: str = "st7789",
        gram: tuple[int, int] | None = None,
        round: bool = False,
        mirror: bool = False,
        invert: bool = False,
        bgr: bool = False,
    ) -> None:
        self._glass = (dx, dy, width, height)
        self._gram = gram or GRAM[driver]
        self.round = round
        self._mirror, self._invert, self._bgr = mirror, invert, bgr
        self._listeners: list[Callable[[Frame], None]] = []
        self.frames: deque[Frame] = deque(maxlen=_FRAMES)
        self.frame_count = 0
        self.outside = 0
        self.faults: list[str] = []
        self._lock = threading.RLock()  # the board's thread writes, any thread looks
        self.power_on()

    def power_on(self) -> None:
        """Memory holds noise and the glass is dark, as after the supply came up."""
        self._memory = bytearray(random.Random(0).randbytes(self._gram[0] * self._gram[1] * 2))
        self._open: Frame | None = None
        self.gap_us = _GAP_US
        self._madctl = 0
        self.reset()

    def reset(self) -> None:
        """The reset line, or SWRESET: registers go to their defaults, memory stays."""
        self._set_madctl(0)
        self._colmod = 0x66
        self._inverted = self._awake = self._lit = False
        self._window: list[int] = [0, self._across - 1, 0, self._down - 1]
        self._command = _NOP
        self._arguments = bytearray()
        self._at = 0
        self._half = b""

    @property
    def in_frame(self) -> bool:
        """Whether a frame has begun and not ended yet."""
        return self._open is not None

    @property
    def on(self) -> bool:
        """Whether the glass shows its memory."""
        return self._awake and self._lit

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, as the firmware draws now."""
        _, _, width, height = self._view()
        return width, height

    def listen(self, callback: Callable[[Frame], None]) -> Callable[[], None]:
        """Calls back after each frame, from the board's thread; answers what ends it."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    @property
    def watched(self) -> bool:
        """Whether somebody listens."""
        return bool(self._listeners)

    # What comes in

    def feed(self, dc: int, data: bytes | bytearray | memoryview, t_us: int) -> None:
        """Takes bytes written with this level on the data/command line."""
        with self._lock:
            self._feed(dc, bytes(data), t_us)

    def _feed(self, dc: int, data: bytes, t_us: int) -> None:
        frame = self._open
        if frame and t_us - frame.end_us > self.gap_us:
            self.end_frame()
            frame = None
        if frame is None:
            frame = self._open = Frame(t_us, t_us)
        frame.end_us = t_us
        frame.bytes += len(data)
        if not dc:
            for command in data:
                self.command_byte(command)
        elif self._command in (_RAMWR, _RAMWRC):
            self._pixels(data)
        else:
            self._argument(data)

    def end_frame(self) -> None:
        """Closes the frame in progress, if there is one, and tells who listens."""
        frame, self._open = self._open, None
        if frame is None:
            return
        if frame.rects:
            self.frames.append(frame)
            self.frame_count += 1
        for callback in list(self._listeners):
            callback(frame)

    def command_byte(self, command: int) -> None:
        """Takes one command."""
        self._command = command
        self._arguments.clear()
        if command == _RAMWR:
            self._at = 0
            self._half = b""
            self._note_window()
        elif command == _NOP:
            self.gap_us = _MARKED_GAP_US
            self.end_frame()
        elif command == _SWRESET:
            self.reset()
        elif command in (_SLPIN, _SLPOUT):
            self._awake = command == _SLPOUT
        elif command in (_INVOFF, _INVON):
            self._inverted = command == _INVON
        elif command in (_DISPOFF, _DISPON):
            self._lit = command == _DISPON

    def _argument(self, data: bytes) -> None:
        self._arguments += data
        given = self._arguments
        if self._command in (_CASET, _RASET) and len(given) == 4:
            first, last = int.from_bytes(given[:2], "big"), int.from_bytes(given[2:], "big")
            axis = 0 if self._command == _CASET else 2
            if last < first:
                self._fault(f"window from {first} to {last}")
            else:
                self._window[axis : axis + 2] = first, last
        elif self._command == _MADCTL and len(given) == 1:
            self._set_madctl(given[0])
        elif self._command == _COLMOD and len(given) == 1:
            self._colmod = given[0]

    def _fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)

    # Memory, kept in the order in which MADCTL addresses it, so that rows are slices

    def _set_madctl(self, madctl: int) -> None:
        if self._madctl & MV:
            self._transpose()
        self._flip(self._madctl ^ madctl)
        if madctl & MV:
            self._transpose(madctl)
        self._madctl = madctl
        self._across, self._down = self._gram if not madctl & MV else self._gram[::-1]

    def _transpose(self, madctl: int = 0) -> None:
        """Turns memory from rows to columns or back."""
        across, down = self._gram if madctl & MV else self._gram[::-1]
        pixels = array("H", bytes(self._memory))
        turned = array("H", bytes(len(self._memory)))
        for column in range(across):
            turned[column * down : (column + 1) * down] = pixels[column::across]
        self._memory = bytearray(turned.tobytes())

    def _flip(self, changed: int) -> None:
        """Reverses rows and columns of untransposed memory whose address order turns."""
        across, down = self._gram
        pixels = array("H", bytes(self._memory))
        if changed & MX and changed & MY:
            pixels.reverse()
        elif changed & (MX | MY):
            rows = [pixels[y * across : (y + 1) * across] for y in range(down)]
            rows = [row[::-1] for row in rows] if changed & MX else rows[::-1]
            pixels = array("H")
            for row in rows:
                pixels += row
        self._memory = bytearray(pixels.tobytes())

    def _note_window(self) -> None:
        x0, x1, y0, y1 = self._window
        left, top, _, _ = self._view()
        if self._open:
            self._open.rects.append((x0 - left, y0 - top, x1 - x0 + 1, y1 - y0 + 1))

    def _pixels(self, data: bytes) -> None:
        if self._colmod & 7 != 5:
            self._fault(f"pixels in COLMOD {self._colmod:#04x}: only 16-bit ones are decoded")
            return
        data = self._half + data
        whole = len(data) & ~1
        self._half = data[whole:]
        x0, x1, y0, y1 = self._window
        wide = x1 - x0 + 1
        place = 0
        while place < whole:
            row, column = divmod(self._at, wide)
            y = y0 + row % (y1 - y0 + 1)
            rows = min((whole - place) // (wide * 2), y1 - y + 1)
            if column == x0 == 0 and wide == self._across and y1 < self._down and rows:
                size = rows * wide * 2  # whole rows lie together
            else:
                size = min(whole - place, (wide - column) * 2)
            self._put(x0 + column, y, data[place : place + size])
            place += size
            self._at += size // 2

    def _put(self, x: int, y: int, row: bytes) -> None:
        """Stores pixels from an address on; counts what falls beside the glass."""
        count = len(row) // 2
        left, top, width, height = self._view()
        if count > self._across:  # rows as wide as memory, all within it
            lines = count // self._across
            inside = min(y + lines, top + height) - max(y, top)
            seen = max(0, inside) * width
        else:
            within = min(x + count, left + width) - max(x, left)
            seen = max(0, within) if top <= y < top + height else 0
        self.outside += count - seen
        if y >= self._down or x >= self._across:
            row = b""
        elif count <= self._across:
            row = row[: (self._across - x) * 2]
        start = (y * self._across + x) * 2
        old = self._memory[start : start + len(row)]
        if self._open:
            self._open.written += count
            self._open.changed += _changed(old, row)
        self._memory[start : start + len(row)] = row

    # What is seen

    def _view(self) -> Rect:
        """Where the glass lies among the addresses of now."""
        left, top, width, height = self._glass
        across, down = self._gram
        if self._madctl & MX:
            left = across - width - left
        if self._madctl & MY:
            top = down - height - top
        return (top, left, height, width) if self._madctl & MV else (left, top, width, height)

    def image(self) -> Image:
        """The picture as someone in front of the glass sees it; black when it is off."""
        with self._lock:
            return self._image()

    def _image(self) -> Image:
        from PIL import Image, ImageOps

        left, top, width, height = self._view()
        if not self.on:
            return Image.new("RGB", (width, height))
        pixels = array(
            "H", bytes(self._memory[top * self._across * 2 :][: height * self._across * 2])
        )
        pixels.byteswap()
        picture = Image.frombytes(
            "RGB", (self._across, height), pixels.tobytes(), "raw", "BGR;16"
        ).crop((left, 0, left + width, height))
        if self._inverted != self._invert:
            picture = ImageOps.invert(picture)
        if bool(self._madctl & BGR) != self._bgr:
            red, green, blue = picture.split()
            picture = Image.merge("RGB", (blue, green, red))
        turns = self._madctl & (MY | MX | MV)
        if bool(turns.bit_count() & 1) != self._mirror:
            picture = ImageOps.mirror(picture)
        return picture

    def rgb(self) -> bytes:
        """The picture's bytes: red, green, blue of each pixel, row by row."""
        return self.image().tobytes()

    def png(self) -> bytes:
        """The picture as a PNG file, the corners of a round glass left out."""
        from PIL import Image, ImageDraw

        picture = self.image()
        if self.round:
            mask = Image.new("L", picture.size)
            ImageDraw.Draw(mask).ellipse((0, 0, picture.width - 1, picture.height - 1), fill=255)
            picture.putalpha(mask)
        out = io.BytesIO()
        picture.save(out, "PNG")
        return out.getvalue()


def decoder(spec: dict[str, Any]) -> PanelDecoder:
    """What decodes a panel by its board file."""
    return PanelDecoder(
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
