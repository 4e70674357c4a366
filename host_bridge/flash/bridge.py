"""The running bridge holds the board's port: asking it to give the port up, and back."""

from __future__ import annotations

import contextlib
import os
import urllib.parse
from collections.abc import Iterator
from typing import Any

from host_bridge.client import Client, NoBridge, Refused

PATIENCE_S = 2
RELEASE_S = 900  # longer than a flash with its questions; it is given back before


def devices() -> list[dict[str, Any]]:
    """The boards of the running bridge; none without a bridge."""
    client = Client(timeout=PATIENCE_S)
    with contextlib.suppress(NoBridge, Refused, ValueError):
        found = client.get("/healthz").get("devices", [])
        return [device for device in found if isinstance(device, dict)]
    return []


def holder(port: str) -> str | None:
    """The id of the bridge's device at this port."""
    wanted = os.path.realpath(port)
    for device in devices():
        if os.path.realpath(str(device.get("port", ""))) == wanted:
            return str(device.get("id"))
    return None


def _release(device: str, seconds: int) -> bool:
    name = urllib.parse.quote(device, safe="")
    with contextlib.suppress(NoBridge, Refused, ValueError):
        Client(timeout=PATIENCE_S).post(f"/devices/{name}/release?seconds={seconds}")
        return True
    return False


@contextlib.contextmanager
def released(port: str) -> Iterator[bool]:
    """The port is ours inside, the bridge's again after; True if the bridge had it."""
    device = holder(port)
    had = device is not None and _release(device, RELEASE_S)
    try:
        yield had
    finally:
        if had and device is not None:
            _release(device, 0)
