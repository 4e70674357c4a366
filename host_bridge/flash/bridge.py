"""The running bridge holds the board's port: asking it to give the port up, and back."""

from __future__ import annotations

import contextlib
import os
import threading
import urllib.parse
from collections.abc import Iterator
from typing import Any

from host_bridge.client import Client, NoBridge, Refused

PATIENCE_S = 2
RELEASE_S = 60  # asked for again as long as the port is needed


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
    if not had or device is None:
        yield False
        return
    done = threading.Event()
    renewing = threading.Thread(target=_renew, args=(device, done), daemon=True)
    renewing.start()
    try:
        yield True
    finally:
        done.set()
        renewing.join()
        _release(device, 0)


def _renew(device: str, done: threading.Event) -> None:
    while not done.wait(RELEASE_S / 3):
        _release(device, RELEASE_S)
