"""One bridge a user: a locked file that says where the running one is."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from host_bridge import paths

_TRIES, _PAUSE_S = 20, 0.02
_ROOM = 512  # bytes taken at the start, so that `tell` has room on any disk
_FAR = 1 << 30  # Windows locks bytes; one far behind the text leaves the text readable


class Taken(Exception):
    """Another bridge runs; `where` is its {"pid", "url"} as far as known."""

    def __init__(self, where: dict[str, Any]) -> None:
        super().__init__(
            f"a bridge is already running at {where.get('url', '?')} "
            f"(process {where.get('pid', '?')})"
        )
        self.where = where


def state_dir() -> Path:
    """The folder of what a running bridge leaves behind; made if need be, private."""
    folder = paths.home() / "state"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _file() -> Path:
    return paths.home() / "state" / "bridge.json"


class BridgeLock:
    """Held while the bridge runs; the system lets go of it whatever ends the process."""

    def __init__(self) -> None:
        state_dir()
        self._fd = os.open(_file(), os.O_RDWR | os.O_CREAT, 0o600)
        if not self._take():
            os.close(self._fd)
            raise Taken(_read())
        self._write(b"")  # in place of what a bridge that was killed left

    def _take(self) -> bool:
        """`running` holds the lock for a moment too; a bridge holds it and says where it is."""
        for _ in range(_TRIES):
            try:
                _lock(self._fd)
                return True
            except OSError:
                if _read():
                    return False
                time.sleep(_PAUSE_S)
        return False

    def tell(self, url: str) -> None:
        """Writes down where this bridge is."""
        text = json.dumps({"pid": os.getpid(), "url": url}).encode()
        self._write(text)

    def _write(self, text: bytes) -> None:
        os.lseek(self._fd, 0, os.SEEK_SET)
        if os.write(self._fd, text.ljust(_ROOM)) < _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def release(self) -> None:
        """Gives way to the next bridge."""
        os.ftruncate(self._fd, 0)
        os.close(self._fd)


def running() -> dict[str, Any]:
    """{"pid", "url"} of the bridge that runs; empty when there is none."""
    try:
        fd = os.open(_file(), os.O_RDWR)
    except OSError:
        return {}
    try:
        _lock(fd)
    except OSError:
        return _read()
    finally:
        os.close(fd)
    return {}


def _read() -> dict[str, Any]:
    try:
        return json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
