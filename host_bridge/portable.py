"""Firmware source for a Python that knows no viper: CircuitPython, WebAssembly."""

from __future__ import annotations

import re

_DECORATOR = re.compile(r"^[ \t]*@micropython\.(viper|native)\n", re.MULTILINE)


def portable(source: str) -> str:
    """The source without viper's decorator: its functions then run as plain Python."""
    return _DECORATOR.sub("", source)
