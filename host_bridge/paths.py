"""Where the product's own files are: in a checkout, or inside the installed package."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _data(name: str) -> Path:
    checkout = _PACKAGE.parent / name
    installed = _PACKAGE / "data" / name
    return installed if installed.is_dir() else checkout


def firmware_dir() -> Path:
    """The folder with `main.py`."""
    return _data("firmware")


def boards_dir() -> Path:
    """The folder of board folders."""
    return _data("boards")


def home() -> Path:
    """AORA_HOME, or this system's folder for a program's settings."""
    if "AORA_HOME" in os.environ:
        return Path(os.environ["AORA_HOME"]).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("aora"))
