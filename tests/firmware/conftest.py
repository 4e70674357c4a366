"""The firmware on a virtual board, with a host's end of the cable in hand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import serial

from host_bridge.virtual import VirtualBoard

PATIENCE_S = 20


class Host:
    """Sends lines to a board and keeps what it says."""

    def __init__(self, board: VirtualBoard) -> None:
        self.board = board
        board.wait(lambda: Path(board.port).exists())
        self.port = serial.Serial(board.port, timeout=0.05)
        self.heard: list[dict[str, Any]] = []
        self.noise: list[bytes] = []

    def send(self, *messages: dict[str, Any]) -> None:
        self.raw("".join(json.dumps(m, ensure_ascii=False) + "\n" for m in messages).encode())

    def raw(self, data: bytes) -> None:
        self.port.write(data)

    def greet(self) -> None:
        """Waits until the board runs; what it said until then is heard."""
        self.send({"hello": True}, {"ping": 0, "min": 600})
        self.hear(lambda said: said.get("pong") == 0)

    def listen(self) -> None:
        """Takes what is there."""
        line = self.port.readline()
        while line and not line.endswith(b"\n"):
            more = self.port.readline()
            if not more:
                break
            line += more
        if line:
            try:
                self.heard.append(json.loads(line))
            except ValueError:
                self.noise.append(line)

    def hear(self, fits: Callable[[dict[str, Any]], Any], timeout: float = PATIENCE_S) -> Any:
        """The next thing said (none is looked at twice) that fits; fails if there is none."""
        end = time.monotonic() + timeout
        place = 0
        while time.monotonic() < end:
            while place < len(self.heard):
                if fits(self.heard[place]):
                    said = self.heard[place]
                    del self.heard[: place + 1]
                    return said
                place += 1
            self.listen()
        last = self.heard[-8:]
        raise AssertionError(f"not said within {timeout} s; heard {last} {self.noise[-8:]}")

    def answer(self, key: str, **message: Any) -> Any:
        """Sends a message, answers what the board says under a key."""
        self.send(message)
        return self.hear(lambda said: key in said)[key]

    def shown(self, code: str, session: str | None = None) -> dict[str, Any]:
        """Waits until this code (of this session) has been shown."""

        def fits(said: dict[str, Any]) -> bool:
            face = said.get("shown")
            return bool(face) and face["code"] == code and session in (None, face["session_id"])

        return self.hear(fits)["shown"]

    def drain(self) -> None:
        """Takes all that the board had to say, and forgets it."""
        while self.port.read(4096):
            pass
        self.heard.clear()

    def picture(self) -> bytes:
        """The panel's pixels once they are still: the picture comes by another way than words."""
        before = b""
        now = self.board.panel.rgb()
        while now != before:
            time.sleep(0.25)
            before, now = now, self.board.panel.rgb()
        return now

    def close(self) -> None:
        self.port.close()


@pytest.fixture
def plug():
    """Starts a virtual board and answers a greeted host: plug("pico-generic", ...)."""
    opened: list[tuple[VirtualBoard, Host]] = []

    def start(name: str = "pico-generic", **how: Any) -> Host:
        board = VirtualBoard(name, **how).start()
        host = Host(board)
        opened.append((board, host))
        host.greet()
        return host

    yield start
    for board, host in opened:
        host.close()
        board.stop()


@pytest.fixture
def host(plug):
    """A greeted host of a pico-generic."""
    return plug()
