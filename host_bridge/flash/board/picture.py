# pyright: reportMissingImports=false
# A dot in the upper left corner, a red bar lying beside it; on the ring green at twelve o'clock
# and blue at three. What a person sees of it says how panel and ring are mounted.
from array import array

import aora_board
import aora_pack  # noqa: F401  # the rest is in it
import framebuf
import machine

from aora.display import memory
from aora.display.panel import Panel
from aora.settings import Settings

_RED, _WHITE = 1, 2  # black is 0
_ORDERS = {"GRB": (1, 0, 2), "RGB": (0, 1, 2), "GRBW": (1, 0, 2, 3), "RGBW": (0, 1, 2, 3)}


class _Picture:
    def __init__(self, width, height):
        self.stride = width // 2
        self.pixels = memory.take(self.stride * height)
        self.rects = array("h", (0, 0, width, height, 0))
        self.draw = framebuf.FrameBuffer(self.pixels, width, height, framebuf.GS4_HMSB)


def _panel(settings):
    panel = Panel(aora_board, settings)
    panel.wake()
    panel.colours(array("H", [0, 0xF800, 0xFFFF] + [0] * 13))
    wide, high = panel.width, panel.height
    picture = _Picture(wide, high)
    # On round glass the corners of a square inside it.
    left, top = (wide * 3 // 20, high * 3 // 20) if aora_board.PANEL["round"] else (4, 4)
    size = min(wide, high) // 10
    picture.draw.ellipse(left + size, top + size, size, size, _WHITE, True)
    picture.draw.fill_rect(left + size * 3, top + size // 2, (wide - left) // 2 - size, size, _RED)
    panel.start(picture, 1)
    while panel.send(picture):
        pass
    light = aora_board.PINS["bl"]
    if light is not None:
        machine.Pin(light, machine.Pin.OUT, value=1)


def _ring(settings):
    import neopixel

    leds, pin = settings.leds, aora_board.RING["pin"]
    if not leds or pin is None:
        return
    order = _ORDERS[aora_board.RING["order"]]
    ring = neopixel.NeoPixel(machine.Pin(pin), leds, bpp=len(order))
    ring.ORDER = order
    dark = (0,) * (len(order) - 2)
    quarter = settings.ring_offset + settings.ring_dir * (leds // 4)
    ring[settings.ring_offset % leds] = (0, 24) + dark
    ring[quarter % leds] = (0, 0, 24) + dark[1:]
    ring.write()


memory.reserve(aora_board)
_settings = Settings(aora_board)
_ring(_settings)
_panel(_settings)
print(_settings.values())
