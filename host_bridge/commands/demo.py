"""`aora demo`: a day of agents on the face, when there is no agent at all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

SCENES = Path(__file__).parent.parent / "scenes"


def demo(
    scene: Annotated[
        str, typer.Argument(help="A scene of the product, or a file of messages with at_ms.")
    ] = "day",
    speed: Annotated[float, typer.Option(min=0.1, max=100, help="How many times as fast.")] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="Play it once, not for ever.")] = False,
) -> None:
    """Play a day of agents on the face of the bridge that runs, or of one of its own."""
    from host_bridge import client

    messages = _load(scene)
    own = _start_bridge()
    if own is None:
        typer.echo(f"Playing on the bridge at {client.url()}\n  stop  Ctrl-C")
    try:
        while True:
            _play(client.Client(), messages, speed)
            if once:
                return
    except KeyboardInterrupt:
        pass
    except (client.NoBridge, client.Refused) as error:
        typer.echo(f"aora: {error}", err=True)
        raise typer.Exit(1) from None
    finally:
        if own is not None:
            own.terminate()
            own.wait()


def _load(scene: str) -> list[dict[str, Any]]:
    path = SCENES / f"{scene}.ndjson"
    if not path.is_file():
        path = Path(scene)
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in SCENES.glob("*.ndjson")))
        raise typer.BadParameter(f"no scene {scene!r}; there are: {known}")
    try:
        lines = path.read_bytes().decode().split("\n")
        messages = [_message(line) for line in lines if line.strip()]
    except OSError as error:
        raise typer.BadParameter(f"{scene}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise typer.BadParameter(f"{scene} is no file of messages with at_ms") from None
    return [message for message in messages if "options" not in message]


def _message(line: str) -> dict[str, Any]:
    """A message of a scene; ValueError for anything else. A log's first line has options."""
    import json

    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError(line)
    at_ms, session = message.get("at_ms", 0), message.get("session_id")
    if not (isinstance(session, str) or "options" in message) or type(at_ms) is not int:
        raise ValueError(line)
    return message


def _start_bridge() -> Any:
    """A bridge of our own where none runs yet, once it answers; None where one does."""
    import os
    import subprocess
    import sys
    import time

    from host_bridge import lock

    if os.environ.get("AORA_URL") or lock.running():
        return None
    bridge = subprocess.Popen([sys.executable, "-m", "host_bridge.cli", "run"])
    while not lock.running().get("url"):
        if bridge.poll() is not None:
            raise typer.Exit(bridge.returncode)
        time.sleep(0.05)
    return bridge


def _play(to: Any, messages: list[dict[str, Any]], speed: float) -> None:
    """Posts each message at its time, and leaves no session behind."""
    import contextlib
    import time

    from host_bridge import client

    start = time.monotonic()
    live: dict[str, None] = {}
    try:
        for message in messages:
            due = start + message.get("at_ms", 0) / 1000 / speed
            time.sleep(max(0.0, due - time.monotonic()))
            to.state({key: value for key, value in message.items() if key != "at_ms"})
            live[message["session_id"]] = None
    finally:
        with contextlib.suppress(client.NoBridge):  # Ctrl-C has ended that as well
            to.state(*({"session_id": session, "end": True} for session in live))
