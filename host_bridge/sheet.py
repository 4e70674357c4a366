"""Contact sheets: what the virtual board's panel shows in each state, and how it moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from aora.protocol import STATES
from host_bridge.studio import Studio

BOARDS = {"square": "pico-generic", "round": "pico-generic-round"}
# The twelve that matter daily, in the order of a day.
DAILY = (
    "idle",
    "thinking",
    "reading",
    "searching",
    "editing",
    "running",
    "composing",
    "listening",
    "celebrate",
    "alerting",
    "refusing",
    "sleeping",
)
COLUMNS = 8
FRAMES = 10
SPAN_MS = 2400
GIF_STEP_MS = 60
GIF_MS = 1800
SETTLED_MS = 1000
_PAPER, _INK, _GAP, _LINE = (38, 38, 42), (224, 224, 224), 8, 20


def write(out: Path, **settings: str) -> Iterator[Path]:
    """Writes all pictures into the folder; yields the path of each."""
    for name, board in BOARDS.items():
        with Studio(board, **settings) as studio:
            yield _save(_contact(studio), out / f"faces-{name}.png")
            yield _save(_strips(studio), out / f"motion-{name}.png")
            yield _day(studio, out / f"day-{name}.gif")


def _save(picture: Image.Image, path: Path) -> Path:
    picture.quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


def _contact(studio: Studio) -> Image.Image:
    """Every state once, with its name."""
    pictures = []
    for state in STATES:
        studio.skip_blinks()
        studio.show(state)
        studio.run(SETTLED_MS, 50)
        pictures.append(studio.image())
    wide, high = pictures[0].size
    across, down = wide + _GAP, high + _LINE + _GAP
    rows = -(-len(STATES) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * across + _GAP, rows * down + _GAP), _PAPER)
    for i, (state, picture) in enumerate(zip(STATES, pictures, strict=True)):
        x, y = _GAP + i % COLUMNS * across, _GAP + i // COLUMNS * down
        sheet.paste(picture, (x, y))
        _label(sheet, state, x + wide // 2, y + high + 3, "ma")
    return sheet


def _label(sheet: Image.Image, text: str, x: int, y: int, anchor: str) -> None:
    font = ImageFont.load_default(14)
    ImageDraw.Draw(sheet).text((x, y), text, fill=_INK, font=font, anchor=anchor)


def _strips(studio: Studio) -> Image.Image:
    """A row a state: how it comes from idle, and moves."""
    rows = []
    for state in STATES:
        studio.show("idle")
        studio.run(SETTLED_MS, 50)
        studio.show(state)
        row = []
        for _ in range(FRAMES):
            studio.run(SPAN_MS // FRAMES, 20)
            row.append(studio.image().resize((96, 96), Image.Resampling.BOX))
        rows.append(row)
    sheet = Image.new("RGB", (90 + FRAMES * 100, len(rows) * 100), _PAPER)
    for j, (state, row) in enumerate(zip(STATES, rows, strict=True)):
        _label(sheet, state, 82, j * 100 + 48, "rm")
        for i, picture in enumerate(row):
            sheet.paste(picture, (90 + i * 100, j * 100 + 2))
    return sheet


def _day(studio: Studio, path: Path) -> Path:
    """The twelve daily states, one after the other, moving."""
    frames = []
    for state in DAILY:
        studio.show(state, tips=state)
        for _ in range(GIF_MS // GIF_STEP_MS):
            studio.run(GIF_STEP_MS, GIF_STEP_MS // 3)
            frames.append(studio.image().quantize(32, dither=Image.Dither.NONE))
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=GIF_STEP_MS, loop=0)
    return path
