"""Board files: loading by name or path, and every way in which one can be wrong, in words."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from host_bridge import chips, paths

DRIVERS = {"st7789": (240, 320), "gc9a01": (240, 240)}  # the controller's memory
FORMS = ("pico", "hat", "built-in")
ORDERS = ("GRB", "RGB", "GRBW", "RGBW")
PANEL_KEYS = {
    "driver": str,
    "width": int,
    "height": int,
    "dx": int,
    "dy": int,
    "rotation": int,
    "mirror": bool,
    "invert": bool,
    "bgr": bool,
    "round": bool,
}

# What each name takes, and what its table's values take.
KINDS: dict[str, type] = {
    **dict.fromkeys(("NAME", "TITLE", "MCU", "RUNTIME", "FORM", "PARTS"), str),
    **dict.fromkeys(("PANEL", "SPI", "PINS", "RING", "BUTTONS", "LABELS"), dict),
    **dict.fromkeys(("POWER", "PMIC", "PARALLEL"), dict),
    "FIRMWARE": tuple,
    "BUDGET_MA": int,
}
INSIDE: dict[str, tuple[type, ...]] = {
    "SPI": (int,),
    "PINS": (int, type(None)),
    "BUTTONS": (int, str),
    "LABELS": (str,),
    "POWER": (int,),
}
RING_KEYS: dict[str, tuple[type, ...]] = {
    "pin": (int, type(None)),
    "leds": (int,),
    "order": (str,),
}


class BoardError(Exception):
    """A board file that cannot be used; the text says what to change."""


@dataclass(frozen=True)
class Board:
    """A board file's names, as the device's own `aora_board` module has them."""

    NAME: str
    TITLE: str
    MCU: str
    RUNTIME: str
    PANEL: dict[str, Any]
    SPI: dict[str, int]
    PINS: dict[str, int | None]
    RING: dict[str, Any]
    BUTTONS: dict[str, int | str]
    BUDGET_MA: int
    FORM: str = "built-in"
    PARTS: str = ""
    FIRMWARE: tuple[str, ...] = ()
    LABELS: dict[str, str] = field(default_factory=dict)
    POWER: dict[int, int] = field(default_factory=dict)
    PMIC: dict[str, Any] = field(default_factory=dict)
    PARALLEL: dict[str, Any] = field(default_factory=dict)
    path: Path = Path()

    @property
    def chip(self) -> chips.Chip:
        """What this board's chip can do, pin by pin."""
        return chips.CHIPS[self.MCU]


def folders() -> list[Path]:
    """Where boards are looked for: the user's own first."""
    return [paths.home() / "boards", paths.boards_dir()]


def names() -> list[str]:
    """Every board that `load` finds by name."""
    return sorted({f.parent.name for folder in folders() for f in folder.glob("*/board.py")})


def find(name: str | Path) -> Path:
    """The path of a board file, from a name or a path; BoardError names the known ones."""
    path = Path(name)
    if path.is_dir():
        path = path / "board.py"
    if path.suffix == ".py" and path.is_file():
        return path
    for folder in folders():
        if (folder / str(name) / "board.py").is_file():
            return folder / str(name) / "board.py"
    raise BoardError(f"no board named {str(name)!r}; known: {', '.join(names())}")


def load(name: str | Path) -> Board:
    """Read and check a board file; BoardError lists everything that is wrong with it."""
    path = find(name)
    board = _build(_values(path), path)
    wrong = problems(board)
    if wrong:
        raise BoardError(f"{path}:\n" + "\n".join(f"  {line}" for line in wrong))
    return board


def _values(path: Path) -> dict[str, Any]:
    """The assignments of a board file. Nothing is executed: it is data."""
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, ValueError, RecursionError, OSError) as error:
        raise BoardError(f"{path}: {error}") from None
    values = {}
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            raise BoardError(f"{path}:{node.lineno}: only NAME = value lines are allowed")
        try:
            values[node.targets[0].id] = ast.literal_eval(node.value)
        except (ValueError, TypeError, RecursionError):
            raise BoardError(f"{path}:{node.lineno}: the value must be plain data") from None
    return values


def _build(values: dict[str, Any], path: Path) -> Board:
    known = {f.name for f in fields(Board)} - {"path"}
    needed = ["NAME", "TITLE", "MCU", "RUNTIME", "PANEL", "SPI", "PINS", "RING", "BUTTONS"]
    missing = [name for name in [*needed, "BUDGET_MA"] if name not in values]
    unknown = sorted(set(values) - known)
    if missing:
        raise BoardError(f"{path}: {', '.join(missing)} missing")
    if unknown:
        raise BoardError(f"{path}: {', '.join(unknown)} unknown")
    return Board(**values, path=path)


def pins(board: Board) -> list[tuple[str, int]]:
    """Every pin the board file gives a job: (job, GPIO)."""
    jobs: list[tuple[str, Any]] = [(f"SPI {key}", board.SPI.get(key)) for key in ("sck", "mosi")]
    jobs += [(key.upper(), pin) for key, pin in board.PINS.items()]
    jobs += [("ring", board.RING.get("pin"))]
    jobs += [(f"button {key}", pin) for key, pin in board.BUTTONS.items()]
    jobs += [("power", pin) for pin in board.POWER]
    jobs += [(f"PMIC {key}", board.PMIC.get(key)) for key in ("sda", "scl")]
    parallel = board.PARALLEL
    jobs += [(f"D{i}", pin) for i, pin in enumerate(parallel.get("data", ()))]
    jobs += [(key.upper(), parallel.get(key)) for key in ("wr", "rd")]
    return [(job, pin) for job, pin in jobs if isinstance(pin, int)]


def problems(board: Board) -> list[str]:
    """What is wrong with a board, one line each; empty when it is fine."""
    if wrong := _kind_problems(board):
        return wrong
    if board.MCU not in chips.CHIPS:
        return [f"MCU {board.MCU!r}: one of {', '.join(chips.CHIPS)}"]
    if board.RUNTIME not in ("micropython", "circuitpython"):
        return [f"RUNTIME {board.RUNTIME!r}: micropython or circuitpython"]
    found = _panel_problems(board.PANEL)
    found += _clashes(board) + _pin_problems(board) + _spi_problems(board)
    found += _ring_problems(board)
    if board.FORM not in FORMS:
        found.append(f"FORM {board.FORM!r}: one of {', '.join(FORMS)}")
    if not isinstance(board.BUDGET_MA, int) or not 20 <= board.BUDGET_MA <= 2000:
        found.append("BUDGET_MA: 20 to 2000")
    return found


def _kind_problems(board: Board) -> list[str]:
    """Values of another kind than the rest of this module relies on."""
    wrong = [
        f"{name}: {kind.__name__} expected, not {getattr(board, name)!r}"
        for name, kind in KINDS.items()
        if type(getattr(board, name)) is not kind
    ]
    if wrong:
        return wrong
    wrong = [
        f"{name} {key}: {_or(kinds)} expected, not {value!r}"
        for name, kinds in INSIDE.items()
        for key, value in getattr(board, name).items()
        if type(value) not in kinds
    ]
    wrong += [
        f"RING {key}: {_or(kinds)} expected, not {board.RING.get(key)!r}"
        for key, kinds in RING_KEYS.items()
        if type(board.RING.get(key)) not in kinds and (key in board.RING or key != "order")
    ]
    wrong += [
        f"{name} {key!r}: a word expected"
        for name, kind in KINDS.items()
        if kind is dict and name != "POWER"
        for key in getattr(board, name)
        if type(key) is not str
    ]
    wrong += ["RING pin: missing"] if "pin" not in board.RING else []
    wrong += [f"POWER {pin!r}: a GPIO number" for pin in board.POWER if type(pin) is not int]
    wrong += [f"FIRMWARE {name!r}: a name" for name in board.FIRMWARE if type(name) is not str]
    if type(board.PARALLEL.get("data", ())) not in (tuple, list):
        wrong.append("PARALLEL data: a tuple of GPIO numbers")
    return wrong


def _or(kinds: tuple[type, ...]) -> str:
    return " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)


def _panel_problems(panel: dict[str, Any]) -> list[str]:
    wrong = [
        f"PANEL {key}: {kind.__name__} expected, not {panel.get(key)!r}"
        for key, kind in PANEL_KEYS.items()
        if type(panel.get(key)) is not kind
    ]
    wrong += [f"PANEL {key}: unknown" for key in panel if key not in PANEL_KEYS]
    if wrong:
        return wrong
    if panel["driver"] not in DRIVERS:
        return [f"PANEL driver {panel['driver']!r}: one of {', '.join(DRIVERS)}"]
    if panel["rotation"] not in (0, 90, 180, 270):
        return [f"PANEL rotation {panel['rotation']}: 0, 90, 180 or 270"]
    across, down = DRIVERS[panel["driver"]]  # sizes and offsets are those of rotation 0
    for size, offset, limit in (("width", "dx", across), ("height", "dy", down)):
        if panel[offset] < 0:
            wrong.append(f"PANEL {offset} {panel[offset]}: 0 or more")
        elif not 0 < panel[size] <= limit - panel[offset]:
            wrong.append(f"PANEL {size} + {offset}: at most {limit} for {panel['driver']}")
    return wrong


def _clashes(board: Board) -> list[str]:
    seen: dict[int, str] = {}
    found = []
    for job, pin in pins(board):
        if pin in seen:
            found.append(f"GPIO {pin}: {seen[pin]} and {job}")
        seen.setdefault(pin, job)
    return found


def _pin_problems(board: Board) -> list[str]:
    """Pins the chip lacks or cannot use so. What is soldered may sit on a strapping pin."""
    chip = board.chip
    found = []
    for job, pin in pins(board):
        if pin not in chip.pins:
            found.append(f"GPIO {pin} ({job}): {chip.title} has no such pin")
        elif pin in chip.reserved:
            found.append(f"GPIO {pin} ({job}): {chip.reserved[pin]}")
        elif pin in chip.input_only and not job.startswith("button"):
            found.append(f"GPIO {pin} ({job}): input only")
    for key, pin in board.BUTTONS.items():
        if isinstance(pin, str) and (pin != "bootsel" or not chip.spi):
            found.append(f"button {key} {pin!r}: a GPIO number, or 'bootsel' on an rp2 chip")
    return found


def _spi_problems(board: Board) -> list[str]:
    if board.PARALLEL:
        return [] if board.RUNTIME == "circuitpython" else ["PARALLEL: circuitpython only"]
    missing = [
        f"SPI {k}: missing" for k in ("id", "sck", "mosi", "baudrate") if k not in board.SPI
    ]
    missing += [f"PINS {k}: missing" for k in ("cs", "dc", "rst", "bl") if k not in board.PINS]
    if missing:
        return missing
    chip, block = board.chip, board.SPI["id"]
    if block not in chip.spi_ids:
        return [f"SPI id {block}: {chip.title} has {', '.join(map(str, chip.spi_ids))}"]
    found = []
    for job in ("sck", "mosi"):
        able = chip.spi.get((block, job))
        if able is not None and board.SPI[job] not in able:
            found.append(f"SPI {job} on GPIO {board.SPI[job]}: SPI{block} has {job} on {able}")
    if board.PINS["dc"] is None:
        found.append("PINS dc: needed")
    if not 1_000_000 <= board.SPI["baudrate"] <= chip.spi_max:
        found.append(f"SPI baudrate: 1,000,000 to {chip.spi_max:,} on {chip.title}")
    return found


def _ring_problems(board: Board) -> list[str]:
    pin, leds, order = (board.RING.get(key) for key in ("pin", "leds", "order"))
    if pin is None:
        return [] if leds == 0 else ["RING: no pin, so leds = 0"]
    found = []
    if not isinstance(leds, int) or not 0 <= leds <= 64:
        found.append("RING leds: 0 to 64")
    if order not in ORDERS:
        found.append(f"RING order {order!r}: one of {', '.join(ORDERS)}")
    if pin in board.chip.strapping:
        found.append(f"GPIO {pin} (ring): read at reset; what hangs on it may stop the start")
    return found
