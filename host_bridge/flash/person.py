"""A person at a terminal."""

from __future__ import annotations

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
    """These exceptions end the program with their text and status 1."""
    try:
        yield
    except kinds as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("\nStopped. Flash again to go on.", file=sys.stderr)
        sys.exit(130)
