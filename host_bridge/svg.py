"""The face as a small SVG: the very shapes that a board draws, laid out by the firmware."""

from __future__ import annotations

import functools
from typing import Any
from xml.sax.saxutils import escape

from aora.face import expressions as ex
from aora.face import motion, palette
from aora.face import outline as ol
from aora.face.layout import Layout
from aora.face.scene import BLOB, SLOTS, Scene
from aora.protocol import STATE_OF

SIZE = 240
MOMENT_MS = 2000  # into the state: it has settled
CAPTION = 24  # characters that fit
COLOURS = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in palette.rgb_of("blue")]


def draw(face: dict[str, Any]) -> str:
    """A face as `Preview.face` gives it, 240 x 240."""
    said = face["tips"] or ""
    title = f"{face['state']}: {said}" if said else face["state"]
    shapes, ink = _shapes(STATE_OF[int(face["code"])])
    caption = escape(said if len(said) <= CAPTION else said[: CAPTION - 1] + "\u2026")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{SIZE}" height="{SIZE}" fill="{COLOURS[palette.GROUND]}"/>{shapes}'
        f'<text x="{SIZE // 2}" y="228" fill="{ink}" font-family="monospace" font-size="16" '
        f'text-anchor="middle">{caption}</text></svg>'
    )


@functools.lru_cache(maxsize=64)
def _shapes(state: int) -> tuple[str, str]:
    """The shapes of a state as polygons, and the colour that is read on the caption's ground."""
    scene = Scene(Layout(SIZE, SIZE, False), BLOB)
    pose, spare = motion.new_pose(), motion.new_pose()
    still = motion.PACES["still"]
    motion.pose_at(state, MOMENT_MS, state, MOMENT_MS, MOMENT_MS, 0, still, pose, spare)
    scene.compose(pose, 0)
    points = ol.points_buffer()
    drawn = []
    for at in range(0, SLOTS * ol.FIELDS, ol.FIELDS):
        if ol.outline(scene.shapes, at, points, 0):
            colour = COLOURS[scene.shapes[at + ol.COLOUR]]
            drawn.append(f'<polygon points="{_path(points)}" fill="{colour}"/>')
    bright = any(pose[field] >= 50 for field in (ex.LIT, ex.DESK, ex.FRAME, ex.GATE))
    return "".join(drawn), COLOURS[palette.INK if bright else palette.TEXT]


def _path(points: Any) -> str:
    """Sixteenths of a pixel as an SVG's points."""
    places = [f"{value / 16:g}" for value in points]
    return " ".join(f"{x},{y}" for x, y in zip(places[::2], places[1::2], strict=True))
