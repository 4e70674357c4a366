"""Fan-out of server-sent events: one copy for everybody, a bounded queue for each reader."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any

BACKLOG = 1024 * 1024  # bytes a reader may lag behind before it is dropped
PIECE = 16 * 1024  # bytes written at once: all that a reader costs beyond what all share
PAUSE_S = 0.01  # between two flushes, so that a burst is one write for each reader
PAUSE_PER_READER_S = 0.001
TURN = 10  # readers served before everybody else on the loop has a turn
HEARTBEAT_S = 15  # a comment now and then shows which connections are dead


def frame(data: Any, event: str | None = None) -> bytes:
    """One event; without a name it is a default `message` event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {text}\n\n".encode("utf-8", "replace")


class Reader:
    """What waits for one client; `dropped` is called when it lags `most` bytes behind."""

    def __init__(self, dropped: Callable[[], None], most: int = BACKLOG) -> None:
        self.closed = False
        self._most = most
        self._dropped = dropped
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._ready = asyncio.Event()

    def put(self, chunk: bytes) -> None:
        """Queues a chunk, or gives the reader up."""
        if self.closed:
            return
        if self._chunks and self._size + len(chunk) > self._most:
            self.close()
            self._dropped()
            return
        self._chunks.append(chunk)
        self._size += len(chunk)
        self._ready.set()

    async def next(self) -> bytes | None:
        """The next chunk; None at the end."""
        await self._ready.wait()
        if self.closed:
            return None
        chunk = self._chunks.popleft()
        self._size -= len(chunk)
        if not self._chunks:
            self._ready.clear()
        return chunk

    def close(self) -> None:
        """Ends the stream; what waits is forgotten."""
        self.closed = True
        self._chunks.clear()
        self._ready.set()


class Stream:
    """Publishes frames to the readers there are; costs nothing when there are none."""

    def __init__(self) -> None:
        self.readers: set[Reader] = set()
        self._pending: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._heart: asyncio.TimerHandle | None = None
        self._flushed = 0.0

    def publish(self, data: Any, event: str | None = None) -> None:
        """Sends an event to every reader: at once, or in a burst with what else comes soon."""
        if not self.readers:
            return
        self._pending.append(frame(data, event))
        if self._timer is None:
            loop = asyncio.get_running_loop()
            pause = PAUSE_S + PAUSE_PER_READER_S * len(self.readers)
            self._timer = loop.call_at(max(loop.time(), self._flushed + pause), self.flush)

    def flush(self) -> None:
        """Hands out what is pending."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flushed = asyncio.get_running_loop().time()
        pieces = _pieces(self._pending)
        self._pending.clear()
        if pieces:
            self._hand_out(pieces, list(self.readers))

    def _hand_out(self, pieces: list[bytes], readers: list[Reader]) -> None:
        for reader in readers[:TURN]:
            for piece in pieces:
                reader.put(piece)
        if readers[TURN:]:
            asyncio.get_running_loop().call_soon(self._hand_out, pieces, readers[TURN:])

    def add(self, reader: Reader, first: bytes = b"") -> None:
        """From now on `reader` gets every event, after `first`."""
        self.flush()
        self.readers.add(reader)
        if first:
            reader.put(first)
        if self._heart is None:
            self._heart = asyncio.get_running_loop().call_later(HEARTBEAT_S, self._beat)

    def _beat(self) -> None:
        self._heart = None
        if self.readers:
            self._pending.append(b":\n\n")
            self.flush()
            self._heart = asyncio.get_running_loop().call_later(HEARTBEAT_S, self._beat)

    def remove(self, reader: Reader) -> None:
        """The reader has gone."""
        self.readers.discard(reader)

    def close(self) -> None:
        """Ends every stream."""
        for timer in (self._timer, self._heart):
            if timer is not None:
                timer.cancel()
        for reader in list(self.readers):
            reader.close()


def _pieces(frames: list[bytes]) -> list[bytes]:
    """Frames joined to chunks of at most PIECE bytes, or one frame."""
    pieces: list[bytes] = []
    together: list[bytes] = []
    size = 0
    for each in frames:
        if together and size + len(each) > PIECE:
            pieces.append(b"".join(together))
            together, size = [], 0
        together.append(each)
        size += len(each)
    if together:
        pieces.append(b"".join(together))
    return pieces
