"""Settings of a board over its port: read, checked, set."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from aora import table
from host_bridge.flash import FlashError, bridge, find
from host_bridge.flash.probe import opened, probe, wake

ANSWER_S = 3
START_S = 10
_YES = {"true": True, "yes": True, "on": True, "1": True}
_NO = {"false": False, "no": False, "off": False, "0": False}


def parse(words: list[str]) -> dict[str, Any]:
    """`key=value` words as settings, each checked; FlashError names what is wrong."""
    values = {}
    for word in words:
        name, found, text = word.partition("=")
        if not found:
            raise FlashError(f"{word}: say it as name=value")
        values[name] = _value(name, text)
        wrong = table.problem(name, values[name])
        if wrong:
            raise FlashError(wrong)
    return values


def _value(name: str, text: str) -> Any:
    """A setting's value from a word, by what the table says it takes."""
    takes = next((row[2] for row in table.TABLE if row[0] == name), None)
    if takes is bool:
        word = text.lower()
        return _YES.get(word, _NO.get(word, text))
    if isinstance(takes, tuple) and isinstance(takes[0], int):
        try:
            return int(text)
        except ValueError:
            return text
    return text


def shown(values: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(name, value, meaning) of each setting, as the table orders them."""
    rows = []
    for name, _, takes, meaning in table.TABLE:
        if name in values:
            value = values[name]
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if isinstance(takes, tuple) and isinstance(takes[0], str):
                meaning += f": {', '.join(map(str, takes))}"
            rows.append((name, text, meaning))
    return rows


@dataclass(frozen=True)
class Target:
    """A board to talk to."""

    names: tuple[str, ...]  # what it may be called
    port: str

    @property
    def name(self) -> str:
        """All its names, for a person."""
        return " ".join(self.names)


def targets(port: str = "", device: str = "") -> list[Target]:
    """The board at a port, the one of this id or name, or all: the bridge's, else every port
    that says hello. FlashError if there is none."""
    if port:
        return [Target((port,), port)]
    found = [_of_bridge(known) for known in bridge.devices()] or _on_ports()
    if device:
        found = [target for target in found if device in target.names]
    if not found:
        raise FlashError(f"no board {device}".rstrip() + " found: is it plugged in?")
    return found


def _of_bridge(device: dict[str, Any]) -> Target:
    names = dict.fromkeys([device.get("name"), device.get("board"), device.get("id")])
    return Target(tuple(str(name) for name in names if name), str(device.get("port")))


def _on_ports() -> list[Target]:
    found = []
    for port in find.candidates():
        hello = probe(port).hello
        if hello:
            found.append(_of_bridge({**hello, "port": port.device}))
    return found


def chosen(values: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Only the settings named; FlashError for one that does not exist."""
    for name in names:
        if name not in values:
            raise FlashError(f"{name}: there is no such setting")
    return {name: values[name] for name in names or values}


def get(port: str) -> dict[str, Any]:
    """All settings of the board at a port."""
    return _ask(port, {"get": True}, "settings")["settings"]


def put(port: str, values: dict[str, Any]) -> None:
    """Set them on the board, which checks again; FlashError says what it refused."""
    answer = _ask(port, {"set": values, "seq": 1}, "ack")
    if "error" in answer:
        raise FlashError(f"the board refused: {answer['error']}")


def _ask(port: str, message: dict[str, Any], answer: str) -> dict[str, Any]:
    """The board's line with `answer` or "error" in it."""
    if wake(port, START_S) is None:
        raise FlashError(f"{port}: no face answers. aora flash puts it on")
    with opened(port) as line:
        line.write(b"\n" + json.dumps(message, separators=(",", ":")).encode() + b"\n")
        heard, deadline = b"", time.monotonic() + ANSWER_S
        while time.monotonic() < deadline:
            heard += line.read(max(1, line.in_waiting))
            for text in heard.split(b"\n")[:-1]:
                value = _object(text)
                if answer in value or "error" in value:
                    return value
    raise FlashError(f"{port}: the board did not answer")


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
