"""The messages the bridge took, on disk: bounded, private, in replay's format."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

SEGMENT_BYTES = 2 * 1024 * 1024
SEGMENTS = 2
AGE_S = 7 * 24 * 3600
MOST_MS = 999_999_999  # the largest integer in a log
FLUSH_S = 0.5

_NAME = re.compile(r"^messages-(\d+)\.ndjson$")


class Log:
    """Appends wire messages to segments named by the millisecond at which they start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: TextIO | None = None
        self._start_ms = 0
        self._size = 0
        self._flush: asyncio.TimerHandle | None = None

    def write(self, line: bytes) -> None:
        """Adds one wire message (a line with its LF) as of now."""
        now_ms = time.time_ns() // 1_000_000
        at_ms = now_ms - self._start_ms
        if self._file is None or self._size > SEGMENT_BYTES or not 0 <= at_ms <= MOST_MS:
            self._begin(now_ms)
            at_ms = 0
        assert self._file is not None
        self._size += self._file.write(f'{{"at_ms":{at_ms},{line[1:].decode()}')
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(FLUSH_S, self.flush)

    def flush(self) -> None:
        """Writes out what is buffered."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Writes out what is buffered, for good."""
        self.flush()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self, now_ms: int) -> None:
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        known = segments(self._folder)
        spare = len(known) - SEGMENTS + 1
        for place, (start_ms, path) in enumerate(known):
            if place < spare or now_ms - start_ms > AGE_S * 1000:
                path.unlink(missing_ok=True)
        path = self._folder / f"messages-{now_ms}.ndjson"
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        self._start_ms, self._size = now_ms, 0


def segments(folder: Path) -> list[tuple[int, Path]]:
    """(start, path) of each kept segment, oldest first."""
    found = [(_NAME.match(path.name), path) for path in folder.glob("messages-*.ndjson")]
    return sorted((int(match[1]), path) for match, path in found if match)


def lines(folder: Path, since_ms: int = 0) -> Iterator[str]:
    """The kept messages as one log, `at_ms` counted from the first of them.

    `since_ms`: only what came after this time (milliseconds of the epoch).
    """
    zero = None
    for start_ms, path in segments(folder):
        for line in path.read_text("utf-8").splitlines():
            head, _, rest = line.partition(",")
            at_ms = start_ms + int(head.removeprefix('{"at_ms":'))
            if at_ms < since_ms or not rest.endswith("}"):
                continue
            zero = at_ms if zero is None else zero
            if at_ms - zero <= MOST_MS:
                yield f'{{"at_ms":{at_ms - zero},{rest}'
