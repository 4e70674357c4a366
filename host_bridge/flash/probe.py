"""What is at the end of a port: our firmware, MicroPython, CircuitPython, something else."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import serial

from host_bridge.flash import FlashError
from host_bridge.flash.device import interrupt
from host_bridge.flash.find import Port
from host_bridge.links.serial import close_serial, open_serial

HELLO_S = 1.0
START_S = 4  # a board that resets when its port is opened says hello within this
BANNER_S = 1.5
BACK_S = 2  # a board that starts anew has its port back within this
ESP_CHIPS = {0x10C4, 0x1A86, 0x303A}

AORA, MICROPYTHON, CIRCUITPYTHON, OTHER, SILENT = (
    "aora",
    "micropython",
    "circuitpython",
    "other",
    "silent",
)
_PROMPT = ">>> "
_BANNER = re.compile(r"(MicroPython|CircuitPython) v?([^\s;]+)[^;\n]*(?:; ([^\r\n]*))?\r?\n")


@dataclass(frozen=True)
class Probe:
    """What answered: `kind` is one of this module's five words."""

    kind: str
    version: str = ""
    machine: str = ""
    hello: dict[str, Any] = field(default_factory=dict)


def probe(port: Port | str) -> Probe:
    """Ask a port who it is; FlashError if it cannot be opened."""
    known = port if isinstance(port, Port) else Port(port)
    with opened(known.device) as line:
        return _ask(line, START_S if known.vid in ESP_CHIPS else HELLO_S)


@contextlib.contextmanager
def opened(port: str) -> Iterator[serial.Serial]:
    """A port open for us alone; FlashError for one that cannot be, or goes away."""
    try:
        line = open_serial(port)
    except OSError as error:
        raise FlashError(error.strerror or str(error)) from error
    line.timeout = 0.05
    try:
        yield line
    except OSError as error:
        raise FlashError(f"{port} went away: was the cable pulled?") from error
    finally:
        close_serial(line)


def _ask(line: serial.Serial, patience: float) -> Probe:
    line.write(b'\n{"hello":true}\n')
    heard, hello = _until(line, patience, hello_in)
    if hello:
        return Probe(AORA, str(hello.get("fw", "")), str(hello.get("board", "")), hello)
    # Into the raw REPL and out of it again: that prints who it is, in both Pythons.
    interrupt(line)
    line.write(b"\r\x01")
    raw, python = _until(line, BANNER_S, lambda text: "raw REPL" in text)
    if not python:
        return Probe(OTHER if (heard + raw).strip() else SILENT)
    line.write(b"\x02")
    _, banner = _until(line, BANNER_S, _BANNER.search)
    if banner is None:
        return Probe(MICROPYTHON)
    kind = CIRCUITPYTHON if banner[1] == "CircuitPython" else MICROPYTHON
    return Probe(kind, banner[2], (banner[3] or "").strip())


def _until(line: serial.Serial, seconds: float, found: Any) -> tuple[str, Any]:
    """Read until `found` makes something of the text, or the time is over."""
    text, deadline = "", time.monotonic() + seconds
    while time.monotonic() < deadline:
        text += line.read(max(1, line.in_waiting)).decode("utf-8", "replace")
        answer = found(text)
        if answer:
            return text, answer
    return text, None


def wake(port: str, seconds: float) -> dict[str, Any] | None:
    """The hello of a board; one that waits at its REPL is started. None if nothing says hello
    within `seconds`; FlashError for a port that cannot be opened."""
    _wait_port(port)
    with opened(port) as line:
        line.write(b"\x02")  # out of a raw REPL, with a prompt
        heard, hello = _until(line, 0.3, hello_in)
        deadline = time.monotonic() + seconds
        while hello is None and time.monotonic() < deadline:
            if _PROMPT in heard:
                line.write(b"\x04")
            line.write(b'\n{"hello":true}\n')
            heard, hello = _until(line, 1.0, hello_in)
    return hello


def _wait_port(port: str) -> None:
    deadline = time.monotonic() + BACK_S
    while True:
        try:
            with opened(port):
                return
        except FlashError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def hello_in(text: str) -> dict[str, Any] | None:
    """The board's hello among whatever else it printed."""
    for line in text.split("\n")[:-1]:
        if '"hello"' in line:
            with contextlib.suppress(ValueError):
                value = json.loads(line[line.index("{") :])
                if isinstance(value.get("hello"), dict):
                    return value["hello"]
    return None


def wait_hello(port: str, seconds: float) -> dict[str, Any] | None:
    """The hello of a board that was reset; None if it says none within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with opened(port) as line:
                while (left := deadline - time.monotonic()) > 0:
                    line.write(b'\n{"hello":true}\n')
                    _, hello = _until(line, min(1.0, left), hello_in)
                    if hello:
                        return hello
        except FlashError:
            time.sleep(0.2)  # the port comes back with the board
    return None
