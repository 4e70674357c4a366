"""Plays a timeline of hooks' payloads to the sessions, with a clock and a system of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from host_bridge.adapter import Adapters
from host_bridge.config import SessionSettings
from host_bridge.processes import Processes
from host_bridge.replay import Replay
from host_bridge.sessions import Sessions

FOLDER = Path(__file__).parent / "timelines"
ADAPTERS = Adapters.load()


class World(Processes):
    """Which processes live, what children an agent has, how long a transcript is."""

    def __init__(self) -> None:
        self.living: list[int] | None = None
        self.born: list[int] = []
        self.bytes = -1

    def alive(self, pid: int) -> bool | None:
        return None if self.living is None else pid in self.living

    def children(self, pid: int) -> frozenset[int]:
        return frozenset(self.born)

    def size(self, path: str) -> int:
        return self.bytes


class Player:
    """`messages` are what the sessions said, each with the time."""

    def __init__(self, **settings: Any) -> None:
        self.now = 0
        self.world = World()
        self.messages: list[dict[str, Any]] = []
        self.sessions = Sessions(
            self._take, SessionSettings(**settings), lambda: self.now, ADAPTERS, self.world
        )

    def _take(self, message: dict[str, Any]) -> None:
        json.dumps(message)
        self.messages.append({"at_ms": self.now, **message})

    def advance(self, at_ms: int) -> None:
        """Time goes on, with a tick at each time that the sessions asked for."""
        while True:
            due = self.sessions.next_deadline(self.now)
            if due is None or due > at_ms:
                break
            self.now = max(self.now, due)
            self.sessions.tick(self.now)
        self.now = at_ms

    def hook(self, agent: str, payload: Any, pid: int = 0) -> None:
        headers = {"x-aora-pid": str(pid)} if pid else {}
        self.sessions.hook(agent, payload, headers)


Deliver = Callable[[Player, dict[str, Any]], None]


def directly(player: Player, step: dict[str, Any]) -> None:
    player.hook(step["agent"], step["payload"], step.get("pid", 0))


def play(name: str, deliver: Deliver = directly) -> Player:
    """The player after the whole timeline of this name."""
    lines = (FOLDER / f"{name}.ndjson").read_text("utf-8").splitlines()
    head, *steps = map(json.loads, lines)
    player = Player(**head.get("settings", {}))
    for step in steps:
        player.advance(step["at_ms"])
        if "world" in step:
            player.world.living = step["world"].get("alive")
            player.world.born = step["world"].get("children", [])
            player.world.bytes = step["world"].get("size", -1)
        elif "payload" in step:
            deliver(player, step)
    return player


def faces(messages: list[dict[str, Any]]) -> list[str]:
    """Each change of the face while the arbiter gets these messages."""
    changes: list[str] = []
    refused: list[str] = []
    replay = Replay(changes.append, lambda number, error: refused.append(error))
    for message in messages:
        if "session_id" in message:
            text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
            replay.feed(text.encode())
    replay.finish()
    assert not refused
    return changes
