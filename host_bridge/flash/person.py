"""A person at a terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Terminal:
    """Says things on standard output and asks there."""

    def say(self, text: str) -> None:
        """Print a line, at once."""
        print(text, flush=True)

    def ask(self, question: str, default: str = "") -> str:
        """The answer; the default for Enter, and where nobody can be asked."""
        try:
            return input(f"{question} [{default}] ") or default
        except EOFError:
            print(flush=True)
            return default


@contextmanager
def failing(*kinds: type[Exception]) -> Iterator[None]:
    """These exceptions end the program with their text and status 1. A signal ends it as an
    exception does, so that no board is left as it should not be."""
    _end_by_signals()
    try:
        yield
    except kinds as error:
        print(_text(error), file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("\nStopped. Flash again to go on.", file=sys.stderr)
        sys.exit(130)


def _end_by_signals() -> None:
    for number in _signals():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _exit)


def _signals() -> list[signal.Signals]:
    names = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _exit(number: int, _frame: object) -> None:
    for other in _signals():
        signal.signal(other, signal.SIG_IGN)  # a second one does not disturb the leaving
    sys.exit(128 + number)


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)
