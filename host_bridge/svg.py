"""The face as a small SVG, for pages and chat tools that show a picture."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from aora.protocol import CLASS_OF

# By class: nothing, working, done, needs you, broken, refused (Okabe-Ito).
COLOURS = ("#7d8794", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7")
# By class: height of the eyes, and the mouth as a path between (84, 150) and (156, 150).
EYES = (16, 56, 40, 64, 48, 20)
MOUTHS = (
    "M96 152H144",
    "M100 152Q120 160 140 152",
    "M84 144Q120 184 156 144",
    "M112 150a8 10 0 1 0 16 0a8 10 0 1 0 -16 0",
    "M84 164Q120 136 156 164",
    "M90 156L150 148",
)


def draw(face: dict[str, Any]) -> str:
    """A face as `Preview.face` gives it, 240 x 240."""
    kind = CLASS_OF[int(face["code"])]
    colour, tall = COLOURS[kind], EYES[kind]
    eyes = "".join(
        f'<rect x="{x}" y="{96 - tall // 2}" width="44" height="{tall}" rx="{tall * 2 // 5}"/>'
        for x in (52, 144)
    )
    title = escape(f"{face['state']}: {face['tips']}" if face["tips"] else face["state"])
    caption = escape((face["tips"] or face["state"])[:28])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" role="img">'
        f"<title>{title}</title>"
        '<rect width="240" height="240" rx="28" fill="#0b0d10"/>'
        f'<g fill="{colour}">{eyes}</g>'
        f'<path d="{MOUTHS[kind]}" fill="none" stroke="{colour}" stroke-width="6" '
        'stroke-linecap="round"/>'
        f'<text x="120" y="214" fill="#c9d1d9" font-family="sans-serif" font-size="16" '
        f'text-anchor="middle">{caption}</text></svg>'
    )
