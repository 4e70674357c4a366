"""The device as it stands on a desk: glass, body, and the ring's LEDs as light."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

if TYPE_CHECKING:
    from host_bridge.virtual.board import VirtualBoard

Colour = tuple[int, int, int]

_FINER = 3  # drawn so many times larger, then reduced: edges come out smooth
_BODY, _EDGE, _GLASS, _UNLIT = (24, 26, 31), (46, 49, 57), (6, 6, 8), (36, 38, 44)
_GAMMA = 1 / 2.2  # LEDs and backlight follow duty; the eye, and sRGB, do not
_HALO = 3.6  # how far light is seen around an LED, in its radii
_HALO_STRENGTH = 0.9
_CORE = 0.6  # how much whiter an LED's middle looks than the light it gives
_STEPS = 12  # from its rim to its middle


def compose(
    glass: Image.Image,
    leds: Sequence[Colour],
    round: bool = False,
    backlight: float = 1.0,
    size: int = 480,
) -> Image.Image:
    """A square picture, transparent around the body. LED 0 is on top, the others clockwise."""
    side = size * _FINER
    picture = _body(glass.size, round, bool(leds), side)
    place, corner = _glass_place(glass.size, round, bool(leds), side)
    _lay_glass(picture, glass, place, corner, backlight)
    if leds:
        picture = _shine(picture, leds, side)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def portrait(board: VirtualBoard, size: int = 480) -> Image.Image:
    """What a virtual board looks like now."""
    panel = board.panel
    return compose(panel.image(), board.ring.leds, panel.round, board.backlight, size)


def portrait_png(board: VirtualBoard, size: int = 480) -> bytes:
    """The same as a PNG file."""
    out = io.BytesIO()
    portrait(board, size).save(out, "PNG")
    return out.getvalue()


def _glass_place(
    pixels: tuple[int, int], round: bool, ring: bool, side: int
) -> tuple[tuple[int, int, int, int], int]:
    """Where the glass lies, and the radius of its corners; inside the ring if there is one."""
    width, height = pixels
    reach = max(pixels) / 2 if round else math.hypot(width, height) / 2 * 0.96
    room = side / 2 * (0.74 if ring else 0.9)
    scale = room / reach
    across, down = width * scale, height * scale
    left, top = (side - across) / 2, (side - down) / 2
    corner = across / 2 if round else side * 0.02
    return (int(left), int(top), int(left + across), int(top + down)), int(corner)


def _body(pixels: tuple[int, int], round: bool, ring: bool, side: int) -> Image.Image:
    picture = Image.new("RGBA", (side, side))
    draw = ImageDraw.Draw(picture)
    rim = side // 160
    if ring or round:
        draw.ellipse((rim, rim, side - rim, side - rim), fill=_BODY, outline=_EDGE, width=rim)
        return picture
    (left, top, right, low), _ = _glass_place(pixels, round, ring, side)
    edge = side // 24
    box = (left - edge, top - edge, right + edge, low + edge)
    draw.rounded_rectangle(box, side // 18, fill=_BODY, outline=_EDGE, width=rim)
    return picture


def _lay_glass(
    picture: Image.Image,
    glass: Image.Image,
    place: tuple[int, int, int, int],
    corner: int,
    backlight: float,
) -> None:
    left, top, right, low = place
    size = right - left, low - top
    lit = ImageEnhance.Brightness(glass.convert("RGB")).enhance(backlight**_GAMMA)
    lit = lit.resize(size, Image.Resampling.BICUBIC)
    mask = Image.new("L", size)
    box = (0, 0, size[0] - 1, size[1] - 1)
    ImageDraw.Draw(mask).rounded_rectangle(box, corner, fill=255)
    rim = picture.width // 120
    frame = (left - rim, top - rim, right + rim, low + rim)
    ImageDraw.Draw(picture).rounded_rectangle(frame, corner + rim, fill=_GLASS)
    picture.paste(lit, (left, top), mask)


def _seen(colour: Colour) -> Colour:
    red, green, blue = (int(255 * (channel / 255) ** _GAMMA) for channel in colour)
    return red, green, blue


def _disc(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
    return x - radius, y - radius, x + radius, y + radius


def _shine(picture: Image.Image, leds: Sequence[Colour], side: int) -> Image.Image:
    """LEDs on a circle near the rim; their light adds to what it falls on."""
    middle, orbit = side / 2, side / 2 * 0.87
    radius = min(side * 0.035, orbit * math.pi / len(leds) * 0.62)
    light = Image.new("RGB", picture.size)
    lamps = ImageDraw.Draw(picture)
    halos = ImageDraw.Draw(light)
    for i, led in enumerate(leds):
        angle = 2 * math.pi * i / len(leds) - math.pi / 2
        x, y = middle + orbit * math.cos(angle), middle + orbit * math.sin(angle)
        seen = _seen(led)
        lamp = tuple(max(dark, bright) for dark, bright in zip(_UNLIT, seen, strict=True))
        for step in range(_STEPS if any(led) else 1):
            whiter = _CORE * step / _STEPS
            fill = tuple(int(part + (max(seen) - part) * whiter) for part in lamp)
            lamps.ellipse(_disc(x, y, radius * (1 - step / _STEPS)), fill=fill)
        halos.ellipse(_disc(x, y, radius * 1.3), fill=seen)
    small = light.reduce(_FINER * 2).filter(
        ImageFilter.GaussianBlur(radius * _HALO / 2 / (_FINER * 2))
    )
    soft = ImageEnhance.Brightness(small).enhance(_HALO_STRENGTH)
    soft = soft.resize(picture.size, Image.Resampling.BILINEAR)
    bright = ImageChops.add(picture.convert("RGB"), soft)
    bright.putalpha(picture.getchannel("A"))
    return bright
