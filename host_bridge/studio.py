"""Pictures by the firmware itself: its face on the virtual board, with time in our hands.

The board runs a few lines in place of main.py that take orders, one a line of JSON, and draw
frames at the moments they are told, with the heap locked.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aora.face import motion
from host_bridge import paths
from host_bridge.virtual import VirtualBoard

if TYPE_CHECKING:
    from PIL.Image import Image

BLINKS_OVER_MS = 2000  # into each slot of time with a blink

_MAIN = """
import gc, json, machine, micropython, sys
import aora_board
from aora.display import memory
memory.reserve(aora_board)
from aora.display.screen import GONE, Screen
from aora.line import Line
from aora.ring import Ring
from aora.seats import Seats
from aora.settings import Settings

settings = Settings(aora_board)
line = Line()

def make(order):
    global screen, ring, seats
    settings.set(order)
    gc.collect()
    screen = Screen(aora_board, settings)
    ring = Ring(aora_board, settings) if settings.leds else None
    seats = Seats(settings.leds)
    screen.brightness(100)

def show(order):
    for byte in json.dumps(order["show"]).encode() + b"\\n":
        if line.feed(byte):
            line.parse()
    screen.show(line.record, order["now"])
    screen.look(order.get("look", 0), order["now"])

def frames(first, step, count):
    begin, push = screen.begin, screen.push
    before = gc.mem_alloc()
    micropython.heap_lock()
    try:
        now = first
        for _ in range(count):
            if begin(now):
                while push():
                    pass
            now += step
    finally:
        micropython.heap_unlock()
    return gc.mem_alloc() - before

def lights(order):
    hud, elapsed, first, step, count = order
    micropython.heap_lock()
    try:
        now = first
        for _ in range(count):
            if hud:
                ring.dial(line.record.hud, elapsed, now)
            else:
                ring.seats(seats, now)
            ring.write()
            now += step
    finally:
        micropython.heap_unlock()

print("ready")
while True:
    order = json.loads(sys.stdin.readline())
    answer = None
    if "make" in order:
        make(order["make"])
    if "show" in order:
        show(order)
    if "seats" in order:
        for i, look in enumerate(order["seats"]):
            seats.look[i] = look
        seats.front = order["front"]
    if "repaint" in order:
        screen.look(GONE, order["repaint"])
        screen.look(0, order["repaint"])
    if "frames" in order:
        answer = frames(*order["frames"])
    if "lights" in order:
        lights(order["lights"])
    # Comes after all that went to pins, by the same way: whoever sees it has seen them.
    machine.freq(order["clock"])
    print("done", answer, gc.mem_free())
"""


class Studio:
    """A virtual board that draws on request; use as a context manager."""

    def __init__(self, board: str = "pico-generic", **settings: Any) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="aora-studio-"))
        firmware = self._folder / "firmware"
        shutil.copytree(paths.firmware_dir() / "aora", firmware / "aora")
        (firmware / "main.py").write_text(_MAIN)
        self.board = VirtualBoard(
            board, home=self._folder / "home", firmware=firmware, heap="400k"
        )
        self.now = 0
        self._turn = 0
        self._last = 0
        self._settings = settings

    def __enter__(self) -> Studio:
        import serial

        self.board.start()
        # Before anybody has the port open, what the board says is kept only here.
        self.board.wait(lambda: "ready" in self.board.output, 30)
        self._port = serial.Serial(self.board.port, timeout=20)
        self.make(**self._settings)
        return self

    def __exit__(self, *exception: object) -> None:
        self._port.close()
        self.board.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, word: str) -> str:
        heard = ""
        while True:
            line = self._port.readline().decode(errors="replace")
            heard += line
            if line.startswith(word):
                return line
            if not line or line.startswith(">>>"):
                raise RuntimeError(f"the board said: {heard}")

    def order(self, **order: Any) -> list[str]:
        """Sends an order; answers the words of the board's answer."""
        rates = (125_000_000, 120_000_000)
        if not self.board.board.MCU.startswith("rp2"):
            rates = (160_000_000, 80_000_000)
        self._turn ^= 1
        order["clock"] = rates[self._turn]
        self._port.write(json.dumps(order).encode() + b"\n")
        answer = self._read("done").split()
        self.board.wait(lambda: self.board.pins.clock == rates[self._turn], 10)
        return answer

    def make(self, **settings: Any) -> None:
        """Builds the screen anew with these settings."""
        self.order(make=settings)

    def show(self, state: str, tips: str = "", hud: Any = None, look: int = 0) -> None:
        """A state from now on."""
        message = {"session_id": "a", "state": state, "tips": tips}
        if hud:
            message["hud"] = hud
        self.order(show=message, now=self.now, look=look)

    def skip_blinks(self) -> None:
        """Goes on to a moment from which no eye blinks for three seconds."""
        slot = motion.BLINK_SLOT
        self.now = (self.now // slot + 1) * slot + BLINKS_OVER_MS

    def run(self, ms: int, step: int = 20) -> int:
        """Draws the frames of the next `ms`; answers the bytes allocated meanwhile."""
        count = ms // step
        answer = self.order(frames=[self.now, step, count])
        self.now += count * step
        self._last = self.now - step
        return int(answer[1])

    def repaint(self) -> None:
        """Draws and sends the whole of the last frame anew."""
        self.order(repaint=self._last, frames=[self._last, 1, 1])

    def image(self) -> Image:
        """What the glass shows, the corners of a round one black."""
        picture = self.board.panel.image()
        return round_glass(picture) if self.board.panel.round else picture


def round_glass(picture: Image) -> Image:
    """The picture with all beside a round glass blackened."""
    from PIL import Image, ImageDraw

    mask = Image.new("L", picture.size)
    ImageDraw.Draw(mask).ellipse((0, 0, picture.width - 1, picture.height - 1), fill=255)
    return Image.composite(picture, Image.new(picture.mode, picture.size), mask)
