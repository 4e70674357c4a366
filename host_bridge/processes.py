"""What this system tells of other processes and files: small questions, never an exception."""

from __future__ import annotations

import os
import sys


class Processes:
    """The real system; tests put something else in its place."""

    def alive(self, pid: int) -> bool | None:
        """True or False; None where the system does not tell."""
        if sys.platform == "win32":
            return None
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except (PermissionError, OverflowError):
            return True
        return not _is_zombie(pid)

    def children(self, pid: int) -> frozenset[int]:
        """Processes that `pid` started and that still run (Linux; elsewhere none are seen)."""
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return frozenset(int(word) for word in file.read().split())
        except (OSError, ValueError):
            return frozenset()

    def size(self, path: str) -> int:
        """Bytes of a file; -1 where there is none."""
        try:
            return os.stat(path).st_size
        except (OSError, ValueError):
            return -1


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
    except (OSError, IndexError):
        return False
