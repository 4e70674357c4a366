"""The far end of a link: the firmware's own line, arbiter and answers, in this process."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from aora import ticks
from aora.arbiter import Arbiter
from aora.line import Line
from aora.link.writer import Writer
from aora.presence import Presence
from aora.seats import Seats
from aora.settings import Settings
from aora.talk import Talk

BOARD: Any = SimpleNamespace(
    NAME="pico-generic",
    PANEL={
        "width": 240,
        "height": 240,
        "rotation": 0,
        "mirror": False,
        "invert": True,
        "bgr": False,
        "dx": 0,
        "dy": 0,
    },
    RING={"pin": 22, "leds": 16, "order": "GRB"},
    BUTTONS={"a": 14},
    BUDGET_MA=120,
)


class Peer:
    """A board's pure part. `feed` takes the host's bytes; `take` gives the board's."""

    def __init__(self, folder: Path, now: int = 0, ring: int = 512) -> None:
        self.now = now
        self.line = Line()
        self.writer = Writer()
        self.seats = Seats(16)
        self.settings = Settings(BOARD, str(folder / "settings.json"))
        self.arbiter = Arbiter(
            on_apply=self._apply, on_gone=self._gone, on_slot=self.seats.slot, now=now & ticks.MASK
        )
        link = SimpleNamespace(out=self.writer, line=self.line, ring=ring)
        presence = Presence(self.settings, now & ticks.MASK)
        self.talk = Talk(
            link, self.arbiter, self.seats, presence, self.settings, BOARD, "e6614103"
        )
        self.lines: list[bytes] = []
        self.applied: list[tuple[str, int]] = []
        self.gone: set[tuple[str, int]] = set()
        self._partial = b""

    def _apply(self, record: Any) -> None:
        self.applied.append((bytes(record.id[: record.id_len]).decode(), record.code))
        self.talk.shown(record)

    def _gone(self, seq: int) -> None:
        line = next(x for x in reversed(self.lines) if x.endswith(b'"seq":%d}' % seq))
        message = json.loads(line)
        self.gone.add((message["session_id"], int(message["aoraBotId"])))
        self.talk.gone(seq)

    def feed(self, data: bytes, now: int) -> None:
        """Takes bytes as of `now`."""
        self.now = now
        *lines, self._partial = (self._partial + data).split(b"\n")
        self.lines += lines
        for byte in data:
            if self.line.feed(byte):
                self.talk.take(now & ticks.MASK)
                self.talk.answer()

    def tick(self, now: int) -> None:
        """Fires what is due."""
        self.now = now
        self.arbiter.tick(now & ticks.MASK)

    def take(self) -> bytes:
        """What the board has to say."""
        out = bytearray()
        while self.writer.pending():
            out.append(self.writer.peek())
            self.writer.drop()
        return bytes(out)


class Wire:
    """A port to a peer, in a test's own time; `cut` is the cable coming off."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.there = True
        self.opened = 0
        self.open = False
        self.inflight: list[bytes] = []
        self.backlog = b""
        self.room = 1 << 20

    def open_port(self, link: Any) -> Wire:
        if not self.there:
            raise OSError(errno.ENOENT, "not there")
        self.opened += 1
        self.open = True
        self.backlog = b""
        return self

    def write(self, data: bytes) -> int:
        if not self.there:
            raise OSError(errno.EIO, "gone")
        taken = data[: self.room]
        self.backlog += taken
        return len(taken)

    def close(self) -> None:
        self.open = False

    def pass_on(self, link: Any, now: int) -> None:
        """Carries what was written to the board, and its answers back."""
        data, self.backlog = self.backlog, b""
        if not (self.there and self.open):
            return
        self.peer.feed(data, now)
        self.peer.tick(now)
        answer = self.peer.take()
        if answer:
            link.received(answer)
