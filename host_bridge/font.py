"""Makes the board's caption font from GNU Unifont, as Debian's fonts-unifont installs it.

Run as `python -m host_bridge.font [UNIFONT.OTF]`; writes firmware/aora/face/font.bin:
two counts (16 bits, little end first), the code points of the narrow glyphs, then of the
wide ones, each in order, then 16 bytes a narrow glyph and 32 a wide one, row by row.
"""

from __future__ import annotations

import sys
from pathlib import Path

from host_bridge import paths

SOURCE = Path("/usr/share/fonts/opentype/unifont/unifont.otf")

# Marks that coding agents and their tools print, beside ASCII and Latin-1.
MARKS = (
    "…–—‘’‚“”„•·‹›€™≈≠≤≥∞−←↑→↓↔⇒√"
    "✓✔✗✘✕✖●○◆◇■□▪▫▲△▶▷▼▽◀◐★☆⚠⚡✨✻✽✶✳✢❯❮☐☑☒⏎⏵⏸⏹⏺⎿⎯"
    "─│┌┐└┘├┤┬┴┼╭╮╯╰░▒▓█▌▐"
)
BOX = 0xFFFD


def code_points() -> list[int]:
    """All code points the font holds, in order; BOX stands for what it lacks."""
    latin = [*range(0x20, 0x7F), *range(0xA0, 0x100)]
    return sorted({*latin, *map(ord, MARKS)}) + [BOX]


def _glyph(font, code: int) -> tuple[bool, bytes]:
    """Whether the glyph is 16 pixels wide, and its rows."""
    from PIL import Image, ImageDraw

    if code == BOX:
        return False, bytes([0, 0, 0, 0x7E, *[0x42] * 9, 0x7E, 0, 0])
    wide = font.getlength(chr(code)) > 8
    image = Image.new("1", (16 if wide else 8, 16))
    drawing = ImageDraw.Draw(image)
    drawing.fontmode = "1"
    drawing.text((0, 0), chr(code), fill=1, font=font)
    return wide, image.tobytes()


def build(source: Path = SOURCE) -> bytes:
    """The font file's bytes."""
    from PIL import ImageFont

    font = ImageFont.truetype(str(source), 16)
    glyphs = {code: _glyph(font, code) for code in code_points()}
    narrow = [code for code, (wide, _) in glyphs.items() if not wide]
    wide = [code for code, (is_wide, _) in glyphs.items() if is_wide]
    numbers = [len(narrow), len(wide), *narrow, *wide]
    return b"".join(n.to_bytes(2, "little") for n in numbers) + b"".join(
        glyphs[code][1] for code in narrow + wide
    )


if __name__ == "__main__":
    data = build(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
    target = paths.firmware_dir() / "aora" / "face" / "font.bin"
    target.write_bytes(data)
    print(f"{target}: {len(data)} bytes")
