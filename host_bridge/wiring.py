"""The wiring picture of a board, drawn from its board file and nothing else.

`python -m host_bridge.wiring` draws every `boards/NAME/wiring.svg` anew.
"""

from __future__ import annotations

import math
from html import escape

from host_bridge import paths
from host_bridge.boards import Board, load

WIDTH = 1240
HEIGHTS = {"pico": 975, "hat": 690, "built-in": 640}
PAPER, INK, FAINT, COPPER = "#fbfaf6", "#23272e", "#7c838d", "#d9a441"
SUPPLY = {"5V": "#d6293e", "3V3": "#ef7d1a", "GND": "#23272e", "ring": "#b5179e"}
SIGNAL = {
    "sck": "#1c7ed6",
    "mosi": "#2b9348",
    "rst": "#7b4fd0",
    "dc": "#0c8599",
    "cs": "#a0522d",
    "bl": "#9a8400",
    "button": "#5b6570",
}

# The Pico's header, pin 1 first: a number is a GPIO.
PICO = [0, 1, "GND", 2, 3, 4, 5, "GND", 6, 7, 8, 9, "GND", 10, 11, 12, 13, "GND", 14, 15]
PICO += [16, 17, "GND", 18, 19, 20, 21, "GND", 22, "RUN"]
PICO += [26, 27, "GND", 28, "VREF", "3V3", "EN", "GND", "VSYS", "VBUS"]
PITCH, PICO_X, PICO_Y, PICO_W = 22, 132, 160, 182

# A bare module's header as printed on it: (label, what it is in the board file).
MODULE = [
    ("GND", "GND"),
    ("VCC", "3V3"),
    ("SCL", "sck"),
    ("SDA", "mosi"),
    ("RES", "rst"),
    ("DC", "dc"),
    ("CS", "cs"),
    ("BLK", "bl"),
]
MODULE_NOTE = "order of the pins differs: go by their names; no BLK pin: leave that wire out"
RAIL_5V, RAIL_GND, DATA_Y = 108, 352, 292
DIP_X, RING_X, RING_Y, RING_R = 424, 1046, 230, 118
MODULE_X, MODULE_Y, MODULE_GAP = 700, 436, 36

Point = tuple[int, int]


class Sheet:
    """An SVG under way: wires lie under parts, parts under texts."""

    def __init__(self, height: int) -> None:
        self.height = height
        self.layers: dict[str, list[str]] = {"wires": [], "parts": [], "texts": []}

    def rect(self, x: int, y: int, w: int, h: int, fill: str, rx: int = 0, line: str = "") -> None:
        edge = f' stroke="{line}" stroke-width="2"' if line else ""
        self.layers["parts"].append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="{rx}" fill="{fill}"{edge}/>'
        )

    def circle(self, x: int, y: int, r: int, fill: str, line: str = "", wide: int = 2) -> None:
        edge = f' stroke="{line}" stroke-width="{wide}"' if line else ""
        self.layers["parts"].append(f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"{edge}/>')

    def text(
        self,
        x: int,
        y: int,
        words: str,
        size: int = 13,
        fill: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        weight = ' font-weight="bold"' if bold else ""
        self.layers["texts"].append(
            f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" '
            f'text-anchor="{anchor}"{weight}>{escape(words)}</text>'
        )

    def wire(self, colour: str, *points: Point) -> None:
        """A wire with a rim of paper, so that a crossing reads as one over the other."""
        path = " ".join(f"{x},{y}" for x, y in points)
        for shade, wide in ((PAPER, 9), (colour, 4)):
            self.layers["wires"].append(
                f'<polyline points="{path}" fill="none" stroke="{shade}" '
                f'stroke-width="{wide}" stroke-linejoin="round" stroke-linecap="round"/>'
            )

    def dot(self, colour: str, at: Point) -> None:
        self.layers["wires"].append(f'<circle cx="{at[0]}" cy="{at[1]}" r="6" fill="{colour}"/>')

    def svg(self, title: str) -> str:
        size = f'width="{WIDTH}" height="{self.height}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" {size} '
            'font-family="DejaVu Sans, Verdana, sans-serif" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect {size} rx="14" fill="{PAPER}"/>',
        ]
        for layer in self.layers.values():
            lines += layer
        return "\n".join([*lines, "</svg>", ""])


def draw(board: Board) -> str:
    """The wiring picture as SVG text; the same board gives the same text."""
    sheet = Sheet(HEIGHTS[board.FORM])
    sheet.text(40, 52, board.TITLE, 26, bold=True)
    sheet.text(40, 78, board.PARTS, 14, FAINT)
    plugs = _built_in(sheet, board) if board.FORM == "built-in" else _pico(sheet, board)
    rows = []
    if board.FORM == "pico":
        rows += _module(sheet, board) + _button(sheet, board)
    if board.RING["pin"] is not None:
        _ring(sheet, board, plugs)
        rows = _ring_rows(board, plugs) + rows
    _table(sheet, rows, board)
    return sheet.svg(f"Wiring of {board.TITLE}")


# --- boards ---------------------------------------------------------------------------------


def _pin_at(number: int) -> Point:
    """Where a Pico's pin is: 1-20 down the left side, 21-40 up the right."""
    if number <= 20:
        return PICO_X, PICO_Y + 12 + PITCH * (number - 1)
    return PICO_X + PICO_W, PICO_Y + 12 + PITCH * (40 - number)


def _pin_of(what: int | str, last: bool = False) -> int:
    """The header pin of a GPIO number or a supply's name."""
    found = [index + 1 for index, name in enumerate(PICO) if name == what]
    return found[-1 if last else 0]


def _pico(sheet: Sheet, board: Board) -> dict[str, tuple[Point, str]]:
    height = 24 + PITCH * 19
    if board.FORM == "hat":
        sheet.rect(PICO_X - 14, PICO_Y - 16, PICO_W + 28, height + 32, "#20242b", 10)
    sheet.rect(PICO_X, PICO_Y, PICO_W, height, "#1f7a4d", 8)
    sheet.rect(PICO_X + PICO_W // 2 - 26, PICO_Y - 14, 52, 34, "#c9ced6", 4, "#9aa1ab")
    used = _used(board)
    for number in range(1, 41):
        _pico_pin(sheet, number, used, board.FORM == "hat")
    middle = PICO_X + PICO_W // 2
    if board.FORM == "hat":
        _screen(sheet, board, middle, PICO_Y + height // 2, 142, 300)
        sheet.text(middle, PICO_Y + height + 46, "the Pico, under its panel", 13, FAINT, "middle")
    else:
        sheet.rect(middle - 29, PICO_Y + 190, 58, 58, "#20242b", 4)
        sheet.text(middle, PICO_Y + 224, "Pico", 13, "#ffffff", "middle")
        sheet.text(middle, PICO_Y + 38, "USB", 11, "#d3f0e0", "middle")
    ring = board.RING["pin"]
    plugs = {"5V": (_pin_at(40), "VBUS (pin 40)"), "GND": (_pin_at(38), "GND (pin 38)")}
    if ring is not None:
        plugs["ring"] = (_pin_at(_pin_of(ring)), f"GP{ring} (pin {_pin_of(ring)})")
    return plugs


def _used(board: Board) -> dict[int, str]:
    """Header pins with a wire on them, and its colour."""
    used = {}
    if board.RING["pin"] is not None:
        used = {40: SUPPLY["5V"], 38: SUPPLY["GND"]}
        used[_pin_of(board.RING["pin"])] = SUPPLY["ring"]
    if board.FORM == "pico":
        used |= {36: SUPPLY["3V3"], 28: SUPPLY["GND"]}
        pins = {**board.SPI, **board.PINS}
        used |= {_pin_of(pins[key]): SIGNAL[key] for _, key in MODULE[2:] if pins[key] is not None}
        used |= {_pin_of(pin): SIGNAL["button"] for pin in board.BUTTONS.values()}
        used[18] = SUPPLY["GND"]
    return used


def _pico_pin(sheet: Sheet, number: int, used: dict[int, str], covered: bool) -> None:
    """A pin with its name beside it: inside the outline, or over its wire under a panel."""
    x, y = _pin_at(number)
    name = PICO[number - 1]
    label = f"GP{name}" if isinstance(name, int) else str(name)
    sheet.circle(x, y, 7, used.get(number, COPPER), "#f4e3bd", 1)
    if covered and number in used:
        sheet.text(x + 18, y - 7, label, 11, bold=True)
    elif not covered:
        side, anchor = (13, "start") if number <= 20 else (-13, "end")
        fill = "#ffffff" if number in used else "#9fd3b9"
        sheet.text(x + side, y + 4, label, 10, fill, anchor, number in used)


def _screen(sheet: Sheet, board: Board, x: int, y: int, across: int, down: int) -> None:
    """The panel's glass around (x, y), at most across x down, with a face the right way up."""
    panel = board.PANEL
    wide, tall = panel["width"], panel["height"]
    scale = min(across / wide, down / tall)
    w, h = int(wide * scale), int(tall * scale)
    if panel["round"]:
        sheet.circle(x, y, w // 2 + 4, "#0b0d10", "#4a515c")
    else:
        sheet.rect(x - w // 2 - 4, y - h // 2 - 4, w + 8, h + 8, "#0b0d10", 5, "#4a515c")
    unit = min(w, h) / 100
    face = [f'<g transform="rotate({panel["rotation"]} {x} {y})" fill="#8fe3ff">']
    for side in (-1, 1):
        left = round(x + side * 22 * unit - 11 * unit)
        face.append(
            f'<rect x="{left}" y="{round(y - 24 * unit)}" width="{round(22 * unit)}" '
            f'height="{round(32 * unit)}" rx="{round(9 * unit)}"/>'
        )
    face.append(
        f'<rect x="{round(x - 9 * unit)}" y="{round(y + 20 * unit)}" '
        f'width="{round(18 * unit)}" height="{round(4 * unit)}" rx="2"/></g>'
    )
    sheet.layers["parts"] += face


def _built_in(sheet: Sheet, board: Board) -> dict[str, tuple[Point, str]]:
    """A board with its own panel: outline, glass, and the three places a ring connects to."""
    x, y, right = 206, 330, 384
    flat = board.PANEL["round"]
    if flat:
        sheet.circle(x, y, 128, "#20242b", "#4a515c")
        _screen(sheet, board, x, y, 216, 216)
        sheet.rect(right - 62, y - 68, 62, 136, "#20242b", 8)
    else:
        sheet.rect(80, y - 170, right - 80, 340, "#20242b", 14)
        _screen(sheet, board, x - 4, y, 176, 300)
    sheet.rect(x - 30, 188 if flat else 148, 52, 26, "#c9ced6", 4, "#9aa1ab")
    plugs = {}
    for step, key in enumerate(("5V", "GND", "ring")):
        label = board.LABELS[key]
        at = (right, y - 44 + 44 * step)
        plugs[key] = (at, label)
        sheet.circle(*at, 8, SUPPLY[key], "#f4e3bd", 1)
        sheet.text(at[0] - 14, at[1] + 5, label, 12, "#ffffff", "end", True)
    sheet.text(x, y + 206, "labels as printed on the board", 13, FAINT, "middle")
    return plugs


# --- the bare module and the button ---------------------------------------------------------


def _module(sheet: Sheet, board: Board) -> list[tuple[str, str, str]]:
    """The panel module, wired pin by pin; the rows that say so in words."""
    left, top = MODULE_X, MODULE_Y
    sheet.rect(left, top - 30, 330, 8 * MODULE_GAP + 24, "#1d3f8a", 12)
    _screen(sheet, board, left + 205, top + 126, 200, 220)
    sheet.text(left, top + 8 * MODULE_GAP + 14, MODULE_NOTE, 12, FAINT)
    rows = []
    wires = _module_wires(board)
    lanes = _lanes(wires)
    for label, key, number, y in wires:
        start, colour = _pin_at(number), SUPPLY.get(key) or SIGNAL[key]
        sheet.wire(colour, start, (lanes[key], start[1]), (lanes[key], y), (left, y))
        sheet.circle(left, y, 8, colour, "#f4e3bd", 1)
        sheet.text(left + 16, y + 5, label, 13, "#ffffff", bold=True)
        rows.append((colour, _pico_name(number), f"panel {label}"))
    return rows


def _module_wires(board: Board) -> list[tuple[str, str, int, int]]:
    """(label, key, Pico pin, y at the module) of each wire between the two."""
    pins = {**board.SPI, **board.PINS}
    wires = []
    for step, (label, key) in enumerate(MODULE):
        if key in SUPPLY or pins[key] is not None:
            number = {"GND": 28, "3V3": 36}.get(key) or _pin_of(pins[key])
            wires.append((label, key, number, MODULE_Y + MODULE_GAP * step))
    return wires


def _pico_name(number: int) -> str:
    name = PICO[number - 1]
    return f"{f'GP{name}' if isinstance(name, int) else name} (pin {number})"


def _lanes(wires: list[tuple[str, str, int, int]]) -> dict[str, int]:
    """The x of each wire's upright part. Going down, the lower wire turns first; going up,
    the upper one: so wires that keep their order do not cross. 3V3 stays left of the ring's
    parts."""
    going = [(_pin_at(number)[1], y, key) for _, key, number, y in wires if key != "3V3"]
    down = sorted((g for g in going if g[1] >= g[0]), reverse=True)
    up = sorted(g for g in going if g[1] < g[0])
    return {"3V3": 388} | {key: 420 + 28 * i for i, (_, _, key) in enumerate(down + up)}


def _button(sheet: Sheet, board: Board) -> list[tuple[str, str, str]]:
    pin = board.BUTTONS.get("a")
    if not isinstance(pin, int):
        return []
    number = _pin_of(pin)
    (x, y), (_, ground) = _pin_at(number), _pin_at(18)
    sheet.wire(SIGNAL["button"], (x, y), (66, y), (66, 664))
    sheet.wire(SUPPLY["GND"], (x, ground), (100, ground), (100, 664))
    sheet.rect(52, 656, 62, 50, "#5b6570", 8)
    sheet.circle(83, 681, 16, "#e8eaed", "#3b4149")
    sheet.text(124, 686, "button A", 13)
    return [(SIGNAL["button"], _pico_name(number), "button, other side to GND (pin 18)")]


# --- the ring -------------------------------------------------------------------------------


def _ring(sheet: Sheet, board: Board, plugs: dict[str, tuple[Point, str]]) -> None:
    """Ring, level shifter, resistor and capacitor between two supply rails."""
    five, ground, data = (plugs[key][0] for key in ("5V", "GND", "ring"))
    pad = RING_X - RING_R - 44
    x, step = max(five[0], ground[0]) + (60 if board.FORM == "hat" else 22), 22
    sheet.wire(SUPPLY["5V"], five, (x, five[1]), (x, RAIL_5V), (pad - 40, RAIL_5V),
               (pad - 40, RING_Y - 40), (pad, RING_Y - 40))  # fmt: skip
    sheet.wire(SUPPLY["GND"], ground, (x + step, ground[1]), (x + step, RAIL_GND),
               (pad - 40, RAIL_GND), (pad - 40, RING_Y + 40), (pad, RING_Y + 40))  # fmt: skip
    _shifter(sheet, data)
    out = DIP_X + 108
    sheet.wire(SUPPLY["ring"], (out, 242), (out, DATA_Y), (pad - 70, DATA_Y),
               (pad - 70, RING_Y), (pad, RING_Y))  # fmt: skip
    _resistor(sheet, 586, DATA_Y)
    _capacitor(sheet, pad - 120)
    _leds(sheet, board, pad)


def _shifter(sheet: Sheet, data: Point) -> None:
    """A 74AHCT125 lying down: pins 1-7 along its lower edge, 14-8 along the upper."""
    places = [DIP_X + 20 + 44 * i for i in range(7)]
    low, high = 242, 158
    sheet.wire(SUPPLY["5V"], (places[0], high), (places[0], RAIL_5V))
    sheet.dot(SUPPLY["5V"], (places[0], RAIL_5V))
    for place in (places[0], places[6]):
        sheet.wire(SUPPLY["GND"], (place, low), (place, RAIL_GND))
        sheet.dot(SUPPLY["GND"], (place, RAIL_GND))
    sheet.wire(SUPPLY["ring"], data, (places[1], data[1]), (places[1], low))
    sheet.rect(DIP_X, high + 6, 304, 72, "#2b2f36", 6)
    sheet.circle(DIP_X, high + 42, 9, PAPER)
    sheet.text(DIP_X + 152, high + 47, "74AHCT125", 15, "#ffffff", "middle", True)
    bottom = {1: "GND", 2: "ring", 3: "ring", 7: "GND"}
    for i, place in enumerate(places):
        sheet.circle(place, low, 7, SUPPLY.get(bottom.get(i + 1, ""), "#aeb4bd"))
        sheet.circle(place, high, 7, SUPPLY["5V"] if i == 0 else "#aeb4bd")
        sheet.text(place, low - 14, str(i + 1), 11, "#ffffff", "middle")
        sheet.text(place, high + 22, str(14 - i), 11, "#ffffff", "middle")
    sheet.text(DIP_X + 152, high - 18, "pins 4 5 9 10 12 13 go to GND too", 12, FAINT, "middle")


def _resistor(sheet: Sheet, x: int, y: int) -> None:
    sheet.rect(x, y - 11, 72, 22, "#e3c9a0", 9, "#a98a55")
    for place, colour in ((16, "#ef7d1a"), (30, "#ef7d1a"), (44, "#8a4b20"), (58, "#cfa53a")):
        sheet.rect(x + place - 3, y - 10, 6, 20, colour)
    sheet.text(x + 36, y + 30, "330 Ω", 13, anchor="middle")


def _capacitor(sheet: Sheet, x: int) -> None:
    for y, key in ((RAIL_5V, "5V"), (RAIL_GND, "GND")):
        sheet.wire(SUPPLY[key], (x, y), (x, 200 if key == "5V" else 232))
        sheet.dot(SUPPLY[key], (x, y))
    sheet.rect(x - 24, 166, 48, 92, "#31456b", 8)
    sheet.rect(x - 24, 232, 48, 26, "#c9d3e6", 8)
    sheet.text(x, 186, "+", 16, "#ffffff", "middle", True)
    sheet.text(x, 251, "−", 16, INK, "middle", True)
    sheet.text(x, 212, "1000", 12, "#ffffff", "middle")
    sheet.text(x, 226, "µF", 12, "#ffffff", "middle")


def _leds(sheet: Sheet, board: Board, pad: int) -> None:
    sheet.circle(RING_X, RING_Y, RING_R - 12, "none", "#20242b", 34)
    sheet.rect(pad - 6, RING_Y - 58, 62, 116, "#20242b", 8)
    count = board.RING["leds"] or 16
    for i in range(count):
        angle = 2 * math.pi * i / count - math.pi / 2
        x = round(RING_X + (RING_R - 12) * math.cos(angle))
        y = round(RING_Y + (RING_R - 12) * math.sin(angle))
        sheet.circle(x, y, 8, "#f2c94c" if i < 3 else "#f5f6f8", "#b9bec6", 1)
    for label, y, key in (("5V", -40, "5V"), ("DIN", 0, "ring"), ("GND", 40, "GND")):
        sheet.circle(pad, RING_Y + y, 8, SUPPLY[key], "#f4e3bd", 1)
        sheet.text(pad + 13, RING_Y + y + 5, label, 12, "#ffffff", bold=True)
    sheet.text(RING_X, RING_Y - 2, f"{count} LEDs", 15, anchor="middle", bold=True)
    sheet.text(RING_X, RING_Y + 18, "WS2812B ring", 12, FAINT, "middle")


def _ring_rows(board: Board, plugs: dict[str, tuple[Point, str]]) -> list[tuple[str, str, str]]:
    return [
        (SUPPLY["5V"], plugs["5V"][1], "74AHCT125 pin 14, capacitor +, ring 5V"),
        (SUPPLY["GND"], plugs["GND"][1], "74AHCT125 pins 1 and 7, capacitor −, ring GND"),
        (SUPPLY["ring"], plugs["ring"][1], "74AHCT125 pin 2; pin 3, 330 Ω, ring DIN"),
    ]


# --- the table ------------------------------------------------------------------------------


def _table(sheet: Sheet, rows: list[tuple[str, str, str]], board: Board) -> None:
    """The same wires in words, for whoever cannot tell the colours apart."""
    wide = board.FORM == "pico"
    x, y, lines = (180, 768, 6) if wide else (470, 440, 12)
    for index, (colour, start, end) in enumerate(rows):
        left, line = x + index // lines * 520, y + index % lines * 23
        sheet.circle(left, line - 5, 6, colour)
        sheet.text(left + 16, line, start, 13, bold=True)
        sheet.text(left + 140, line, f"→ {end}", 13)
    for index, note in enumerate(_notes(board)):
        sheet.text(x - 6, y + 23 * min(len(rows), lines) + 14 + 22 * index, note, 13, FAINT)


def _notes(board: Board) -> list[str]:
    notes = []
    if board.RING["pin"] is not None:
        notes = [
            f"For the ring: {board.RING['leds'] or 16} WS2812B LEDs, 74AHCT125, 330 Ω, "
            "1000 µF (6.3 V or more).",
            "The ring is optional: without one, leave its parts out and say aora set leds=0.",
        ]
    keys = [
        f"{key.upper()} is {'BOOT' if pin == board.chip.boot else f'GPIO {pin}'}"
        for key, pin in board.BUTTONS.items()
    ]
    if keys and board.FORM != "pico":
        notes.append(f"Buttons: {', '.join(keys)}.")
    return notes


def main() -> None:
    """Draw every board's picture anew."""
    for path in sorted(paths.boards_dir().glob("*/board.py")):
        path.with_name("wiring.svg").write_text(draw(load(path)), "utf-8")


if __name__ == "__main__":
    main()
