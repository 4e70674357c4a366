"""The messages the bridge took, on disk: bounded, private, in replay's format."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

SEGMENT_BYTES = 1024 * 1024
SEGMENT_MS = 24 * 3_600_000
TOTAL_BYTES = 4 * SEGMENT_BYTES
AGE_MS = 7 * 24 * 3_600_000
MOST_MS = 999_999_999  # the largest integer in a log
FLUSH_S = 0.5
BUFFER_BYTES = 8 * 1024
RETRY_MS = 1000  # after it could not be written

_NAME = re.compile(r"messages-([0-9]+)\.ndjson\Z")
_LINE = re.compile(r'\{"at_ms":([0-9]{1,9}),(.*\})\Z')
_OPTIONS = '{"options":'


class Log:
    """Appends wire messages to segments named by the millisecond at which they start.

    What the face's arbiter was set to stands before the first message it was in force for.
    What cannot be written, as when the disk is full, is lost, and that is said once.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: FileIO | None = None
        self._buffer = bytearray()
        self._start_ms = 0
        self._size = 0
        self._options: Mapping[str, Any] = {}
        self._flush: asyncio.TimerHandle | None = None
        self._failed_ms = 0  # when it could not be written last; 0 once it can be again

    def write(self, line: bytes, options: Mapping[str, Any]) -> None:
        """Adds one wire message (a line with its LF) as of now."""
        now_ms = _now_ms()
        if not self._ready(now_ms):
            return
        if options != self._options:
            self._options = dict(options)
            self._add(json.dumps({"options": self._options}, separators=(",", ":")).encode())
            self._add(b"\n")
        self._add(b'{"at_ms":%d,%b' % (now_ms - self._start_ms, line[1:]))
        if len(self._buffer) > BUFFER_BYTES:
            self.flush()
        elif self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(FLUSH_S, self.flush)

    def _add(self, data: bytes) -> None:
        self._buffer += data
        self._size += len(data)

    def flush(self) -> None:
        """Writes out what is buffered."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        try:
            while self._file is not None and self._buffer:
                del self._buffer[: self._file.write(self._buffer)]
        except OSError as error:
            self._fail(error)
        else:
            if self._file is not None:
                self._failed_ms = 0

    def close(self) -> None:
        """Writes out what is buffered, for good."""
        self.flush()
        self._let_go()

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _fail(self, error: OSError) -> None:
        if not self._failed_ms:
            with contextlib.suppress(OSError):  # nobody reads it
                text = f"aora: messages are not logged: {self._folder}: {error.strerror}"
                print(text, file=sys.stderr, flush=True)
        self._failed_ms = _now_ms()
        self._buffer.clear()
        self._let_go()

    def _ready(self, now_ms: int) -> bool:
        """A segment with room is open; False if there can be none."""
        if self._file is not None and _open_to_more(self._start_ms, self._size, now_ms):
            return True
        if 0 <= now_ms - self._failed_ms < RETRY_MS:
            return False
        self.close()
        try:
            self._open(now_ms)
        except OSError as error:
            self._fail(error)
        return self._file is not None

    def _open(self, now_ms: int) -> None:
        """Goes on with the newest segment, or begins one and makes room for it."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        known = segments(self._folder)
        start_ms, path = known[-1] if known else (0, self._folder)
        if not known or not _open_to_more(start_ms, path.stat().st_size, now_ms):
            _make_room(known, now_ms)
            start_ms, path = now_ms, self._folder / f"messages-{now_ms}.ndjson"
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self._file = FileIO(descriptor, "ab")
        self._start_ms, self._size, self._options = start_ms, self._file.tell(), {}
        if self._size:
            self._add(b"\n")  # ends what a bridge that was killed left half-written


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _open_to_more(start_ms: int, size: int, now_ms: int) -> bool:
    return 0 <= now_ms - start_ms < SEGMENT_MS and size < SEGMENT_BYTES


def _make_room(known: list[tuple[int, Path]], now_ms: int) -> None:
    """Removes the segments, oldest first, that are too old or one too many."""
    room = TOTAL_BYTES - SEGMENT_BYTES
    for _, path in reversed(known):
        about = path.stat()
        room -= about.st_size
        if room < 0 or now_ms - about.st_mtime_ns // 1_000_000 > AGE_MS:
            path.unlink(missing_ok=True)


def segments(folder: Path) -> list[tuple[int, Path]]:
    """(start, path) of each kept segment, oldest first."""
    found = [(_NAME.match(path.name), path) for path in folder.glob("messages-*.ndjson")]
    return sorted((int(match[1]), path) for match, path in found if match)


def lines(folder: Path, since_ms: int = 0) -> Iterator[str]:
    """The kept messages as one log, `at_ms` counted from the first of them.

    Before them stand the options that were in force last. `since_ms`: only what came after
    this time (milliseconds of the epoch).
    """
    since_ms = max(since_ms, _now_ms() - AGE_MS)
    options, kept = "", []
    for start_ms, path in segments(folder):
        for line in _text(path).split("\n"):
            found = _LINE.match(line)
            if found and start_ms + int(found[1]) >= since_ms:
                kept.append((start_ms + int(found[1]), found[2]))
            elif line.startswith(_OPTIONS) and line.endswith("}}"):
                options = line
    if options and kept:
        yield options
    for at_ms, rest in kept:
        if at_ms - kept[0][0] <= MOST_MS:
            yield f'{{"at_ms":{at_ms - kept[0][0]},{rest}'


def _text(path: Path) -> str:
    with contextlib.suppress(FileNotFoundError):  # a bridge has just made room
        return path.read_bytes().decode("utf-8", "replace")
    return ""
