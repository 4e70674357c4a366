"""Reading the TOML tables: the package's own, and a user's beside them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

_FOLDER = Path(__file__).resolve().parent / "adapters"


def packaged(name: str) -> Path:
    """A table of the package, by its name."""
    return _FOLDER / f"{name}.toml"


def adapter_files(home: Path | None) -> list[Path]:
    """The package's adapters, then the user's, which win."""
    own = sorted((home / "adapters").glob("*.toml")) if home else []
    return [p for p in sorted(_FOLDER.glob("*.toml")) + own if not p.name.startswith("_")]


def parse(text: str) -> dict[str, Any]:
    """The table of a TOML text; raises ValueError with the line for a bad one."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def load(path: Path) -> dict[str, Any]:
    """The file's table; raises ValueError with the line for bad TOML, OSError otherwise."""
    return parse(path.read_text("utf-8"))
