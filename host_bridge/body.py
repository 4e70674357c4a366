"""What is in a request: read within its limits, and taken apart into messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Receive

DRAIN_BYTES = (
    16 * 1024 * 1024
)  # of a body that is too long anyway, so that its sender is heard out
BODY_S = 10


class TooLate(Exception):
    """A body that did not arrive in time, or whose sender has gone."""


class TooLong(Exception):
    """A body over its limit; it is read to its end, or cut off."""


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


async def read_body(receive: Receive, limit: int) -> bytes:
    """A request's whole body; TooLong over `limit` bytes, TooLate when it does not come."""
    chunks, size, more = [], 0, True
    async with _time_limit(BODY_S):
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise TooLate
            size += len(message["body"])
            if size <= limit:
                chunks.append(message["body"])
            more = message["more_body"] and size <= DRAIN_BYTES
    if size > limit:
        raise TooLong
    return b"".join(chunks)


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


def messages(body: bytes) -> list[tuple[int, bytes]]:
    """The numbered lines of a body; one message may also be spread over several."""
    lines = body.split(b"\n")
    numbered = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if len(numbered) <= 1:
        return numbered or [(1, b"")]
    if not _is_json(numbered[0][1]) and _is_json(body):
        return [(1, body)]
    return numbered


def _is_json(text: bytes) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
