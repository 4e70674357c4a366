"""What is in a request: read within its limits, and taken apart into messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from io import BytesIO
from itertools import chain, islice
from typing import Any

from starlette.types import Receive

DRAIN_BYTES = 16 * 1024 * 1024  # of a body that is refused anyway: its sender is heard out
BODY_S = 10
SMALL = 16 * 1024  # bytes: a body up to this finds room always


class TooLate(Exception):
    """A body that did not arrive in time, or whose sender has gone."""


class TooLong(Exception):
    """A body over its limit; it is read to its end, or cut off."""


class TooMuch(Exception):
    """A body for which all others left no room; it is read to its end, or cut off."""


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    """TooLate inside when the time is up. (asyncio.timeout came with Python 3.11.)"""
    task = asyncio.current_task()
    assert task is not None
    late = False

    def expire() -> None:
        nonlocal late
        late = True
        task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, expire)
    try:
        yield
    except asyncio.CancelledError:
        if late:
            raise TooLate from None
        raise
    finally:
        timer.cancel()


class _Body:
    """A request's body as far as it has come, unless it is refused."""

    def __init__(self) -> None:
        self.data: bytes | bytearray = bytearray()
        self.refused = False


class Room:
    """Holds all bodies under way, so many bytes in all; where they are more the largest goes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._coming: set[_Body] = set()

    @asynccontextmanager
    async def body(self, receive: Receive, limit: int) -> AsyncIterator[bytes]:
        """A request's whole body, held until the end.

        TooLong over `limit` bytes, TooLate when it does not come, TooMuch when it has to give way.
        """
        body = _Body()
        self._coming.add(body)
        try:
            await self._read(receive, limit, body)
            self._coming.remove(body)
            body.data = bytes(body.data)
            yield body.data
        finally:
            self._drop(body)

    async def _read(self, receive: Receive, limit: int, body: _Body) -> None:
        size, more = 0, True
        async with _time_limit(BODY_S):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise TooLate
                size += len(message["body"])
                if size > limit:
                    self._drop(body)
                elif not body.refused:
                    self._keep(body, message["body"])
                more = message["more_body"] and size <= DRAIN_BYTES
        if size > limit:
            raise TooLong
        if body.refused:
            raise TooMuch

    def _keep(self, body: _Body, chunk: bytes) -> None:
        body.data += chunk
        self._held += len(chunk)
        while self._held > self._most and self._coming:
            largest = max(self._coming, key=lambda body: len(body.data))
            if len(largest.data) <= SMALL:
                break
            self._drop(largest)

    def _drop(self, body: _Body) -> None:
        self._coming.discard(body)
        self._held -= len(body.data)
        body.data, body.refused = b"", True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


def parse(text: bytes) -> Any:
    """Strict JSON: no NaN, no lone surrogates, no bad UTF-8; ValueError for the rest."""
    try:
        value = _decode(text.decode("utf-8-sig"))
        if b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def messages(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a body; one message may also be spread over several."""
    lines = ((n, line) for n, line in enumerate(BytesIO(body), 1) if line.strip())
    first = list(islice(lines, 2)) or [(1, b"")]
    if len(first) == 2 and not _is_json(first[0][1]) and _is_json(body):
        return iter([(1, body)])
    return chain(first, lines)


def _is_json(text: bytes) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
