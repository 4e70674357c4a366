"""The link over a real pseudo-terminal to the real firmware, with the cable coming off."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from aora.settings import Settings
from host_bridge import boards
from host_bridge.hub import Hub
from host_bridge.links.boards import Boards
from host_bridge.links.link import Link
from host_bridge.links.serial import Found
from host_bridge.virtual import VirtualBoard
from tests.bridge.running import Running, until

PER_SECOND = 200
WITHIN_S = 1.0


class Listener:
    """What /events said, by name, as it comes."""

    def __init__(self, url: str) -> None:
        self.news = threading.Condition()
        self.shown: list[str | None] = []
        self.links: list[str] = []
        self._stream = httpx.stream("GET", f"{url}/events", timeout=None)
        self._listens = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._listens.wait(10)

    def _read(self) -> None:
        name = ""
        try:
            with self._stream as answer:
                for line in answer.iter_lines():
                    if line.startswith("event: "):
                        name = line[7:]
                    elif line.startswith("data: "):
                        self._take(name, line[6:])
                        name = ""
        except httpx.HTTPError:
            pass

    def _take(self, name: str, text: str) -> None:
        self._listens.set()
        if name not in ("shown", "device"):
            return
        data = json.loads(text)
        with self.news:
            if name == "shown":
                self.shown.append(data["session_id"])
            else:
                self.links.append(data["link"])
            self.news.notify_all()

    def wait_for(self, session: str, seconds: float) -> bool:
        """Whether the board shows this session within so long."""
        with self.news:
            return self.news.wait_for(lambda: session in self.shown, seconds)


class Desk:
    """A board whose dwell is short, a bridge on its port, and somebody who listens."""

    def __init__(self, folder: Path) -> None:
        self.board = VirtualBoard(home=folder / "board")
        settings = Settings(boards.load("pico-generic"), str(self.board.flash / "settings.json"))
        assert settings.set({"dwell": 100, "sticky_ms": 0}) is None
        self.board.start()
        self.bridge = Running(folder / "home", "--device", self.board.port)
        self.heard = Listener(self.bridge.url)
        self.wait_live(20)

    def device(self) -> dict[str, Any]:
        return self.bridge.client.get("/healthz").json()["devices"][0]

    def wait_live(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self.device()["link"] != "live":
            assert time.monotonic() < end, self.board.output
            time.sleep(0.02)

    def close(self) -> None:
        self.bridge.stop()
        self.board.stop()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def flow(desk: Desk, stop: threading.Event) -> None:
    """Messages of a dozen sessions, events among them, at a steady pace."""
    chance = random.Random(0)
    client = httpx.Client(base_url=desk.bridge.url)
    due = time.monotonic()
    while not stop.is_set():
        lines = []
        for _ in range(PER_SECOND // 20):
            event = chance.random() < 0.005
            code = chance.choice([1, 13, 31]) if event else chance.randrange(42, 50)
            session = f"s{chance.randrange(12)}"
            lines.append(json.dumps({"session_id": session, "aoraBotId": code, "tips": "flows"}))
        client.post("/state", content="\n".join(lines))
        due += 1 / 20
        time.sleep(max(0.0, due - time.monotonic()))


def pull(desk: Desk, times: int) -> None:
    chance = random.Random(1)
    stop = threading.Event()
    thread = threading.Thread(target=flow, args=(desk, stop))
    thread.start()
    try:
        for number in range(times):
            time.sleep(chance.random() * 0.1)
            desk.board.unplug()
            time.sleep(chance.random() * 0.2)
            desk.bridge.post({"session_id": f"mark{number}", "state": "listening"})
            desk.board.plug()
            assert desk.heard.wait_for(f"mark{number}", WITHIN_S), number
            desk.bridge.post({"session_id": f"mark{number}", "end": True})
    finally:
        stop.set()
        thread.join()


def test_pulling_the_cable_a_hundred_times(desk: Desk) -> None:
    pull(desk, 100)


@pytest.mark.soak
def test_pulling_the_cable_a_thousand_times(desk: Desk) -> None:
    pull(desk, 1000)


def test_a_reset_board_gets_its_snapshot(desk: Desk) -> None:
    desk.bridge.post({"session_id": "kept", "state": "listening"})
    assert desk.heard.wait_for("kept", 5)
    desk.heard.shown.clear()
    desk.board.reset()
    assert desk.heard.wait_for("kept", 10)


def test_release_lets_another_program_have_the_port(desk: Desk) -> None:
    import serial

    device = desk.device()["id"]
    with pytest.raises(serial.SerialException):
        serial.Serial(desk.board.port, exclusive=True)
    answer = desk.bridge.client.post(f"/devices/{device}/release", params={"seconds": 30})
    assert answer.json()["port"] == desk.board.port
    with serial.Serial(desk.board.port, exclusive=True):
        assert desk.device()["link"] != "live"
    desk.bridge.client.post(f"/devices/{device}/release", params={"seconds": 0})
    desk.wait_live(10)


def test_a_port_in_use_says_by_whom(tmp_path: Path) -> None:
    import os

    import serial

    with VirtualBoard(home=tmp_path / "board") as board, serial.Serial(board.port, exclusive=True):
        bridge = Running(tmp_path / "home", "--device", board.port)
        try:
            end = time.monotonic() + 5
            while "in use by" not in (error := bridge.device().get("error", "")):
                assert time.monotonic() < end, error
                time.sleep(0.05)
            assert str(os.getpid()) in error
        finally:
            bridge.stop()


def test_without_flags_and_boards_it_starts_the_virtual_one(tmp_path: Path) -> None:
    bridge = Running(tmp_path / "home")
    try:
        end = time.monotonic() + 20
        while [d["link"] for d in bridge.client.get("/healthz").json()["devices"]] != ["live"]:
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        out, _ = bridge.stop()
    assert "virtual board" in out


def test_every_board_is_told(tmp_path: Path) -> None:
    bridge = Running(tmp_path / "home", "--board", "pico-generic", "--board", "pico-generic-round")
    try:
        heard = Listener(bridge.url)
        end = time.monotonic() + 20
        while [d["link"] for d in bridge.client.get("/healthz").json()["devices"]] != ["live"] * 2:
            assert time.monotonic() < end
            time.sleep(0.05)
        bridge.post({"session_id": "both", "state": "listening"})
        with heard.news:
            assert heard.news.wait_for(lambda: heard.shown.count("both") == 2, 10)
    finally:
        bridge.stop()


def test_a_board_is_remembered_when_its_port_is_renamed(tmp_path: Path) -> None:
    """A board that comes back under another name keeps its link, by its serial number."""

    async def live(link: Link) -> None:
        for _ in range(400):
            if link.state == "live":
                return
            await asyncio.sleep(0.02)
        raise TimeoutError(link.error)

    async def scene(first: Path, second: Path) -> None:
        boards = Boards(Hub())
        boards.take([Found(str(first), "E66:0", 0x2E8A)])
        link = boards.links["E66:0"]
        await live(link)
        first.unlink()
        boards.take([])
        boards.take([Found(str(second), "E66:0", 0x2E8A)])
        assert boards.links == {"E66:0": link}
        assert link.address == str(second)
        await live(link)
        boards.close()

    with VirtualBoard(home=tmp_path / "board") as board:
        names = tmp_path / "one", tmp_path / "two"
        for name in names:
            name.symlink_to(board.port)
        asyncio.run(scene(*names))


@pytest.mark.parametrize("words", [["soft-reset"], ["exec", "print(1)"], ["fs", "ls"]])
def test_a_board_left_at_its_prompt_starts_again(tmp_path: Path, words: list[str]) -> None:
    with VirtualBoard(home=tmp_path / "board") as board:
        mpremote = [sys.executable, "-m", "mpremote", "connect", board.port, *words]
        subprocess.run(mpremote, check=True, capture_output=True, timeout=30)
        bridge = Running(tmp_path / "home", "--device", board.port)
        try:
            until(lambda: bridge.device()["link"] == "live")
        finally:
            bridge.stop()


def test_a_strange_board_at_its_prompt_is_left_there(tmp_path: Path) -> None:
    board = VirtualBoard(home=tmp_path / "board", empty=True)
    (board.flash / "main.py").write_text("print('main runs')\n")
    with board:
        board.wait(lambda: ">>>" in board.output)
        bridge = Running(tmp_path / "home", "--device", board.port)
        try:
            board.wait(lambda: board.output.count("soft_reset") >= 2)  # asked, and asked again
            assert bridge.device()["link"] == "open"
            assert board.output.count("main runs") == 1
        finally:
            bridge.stop()
