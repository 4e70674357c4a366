"""`aora log`: the messages the bridge took."""

from __future__ import annotations

from typing import Annotated

import typer


def log(
    last: Annotated[
        str, typer.Option(help="Only the last while: 90s, 10m, 2h. All that is kept by default.")
    ] = "",
) -> None:
    """Print the kept messages in replay's format: aora log > it.ndjson && aora replay it.ndjson"""
    import sys
    import time

    from host_bridge import log as kept
    from host_bridge import paths

    _flush()
    since = time.time() * 1000 - _ms(last) if last else 0
    out = sys.stdout
    out.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        for line in kept.lines(paths.home() / "state", int(since)):
            out.write(line + "\n")
    except BrokenPipeError:
        sys.stderr.close()


def _flush() -> None:
    """The bridge that runs on this log, if one does, writes out what it took last."""
    import contextlib

    from host_bridge import client, lock

    if where := lock.running().get("url"):
        with contextlib.suppress(client.NoBridge, client.Refused):
            client.Client(where).post("/log/flush")


def _ms(span: str) -> int:
    import re

    found = re.fullmatch("([0-9]{1,9})([smh])", span)
    if found is None:
        raise typer.BadParameter(f"a time such as 90s, 10m or 2h, not {span!r}")
    return int(found[1]) * {"s": 1000, "m": 60_000, "h": 3_600_000}[found[2]]
