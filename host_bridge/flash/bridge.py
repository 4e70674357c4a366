"""The running bridge holds the board's port: asking it to give the port up, and back."""

from __future__ import annotations

import contextlib
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

URL = "http://127.0.0.1:27182"
PATIENCE_S = 2
RELEASE_MS = 600_000  # longer than a flash with its questions; it is given back before


def _call(path: str, method: str = "GET") -> dict[str, Any] | None:
    """What the bridge answered; None when there is no bridge, or it refuses."""
    url = os.environ.get("AORA_URL", URL).rstrip("/") + path
    request = urllib.request.Request(url, method=method)
    token = os.environ.get("AORA_TOKEN")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            value = json.load(answer)
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def devices() -> list[dict[str, Any]]:
    """The boards of the running bridge; none without a bridge."""
    found = (_call("/healthz") or {}).get("devices", [])
    return [device for device in found if isinstance(device, dict)]


def holder(port: str) -> str | None:
    """The id of the bridge's device at this port."""
    wanted = os.path.realpath(port)
    for device in devices():
        if os.path.realpath(str(device.get("port", ""))) == wanted:
            return str(device.get("id"))
    return None


def _release(device: str, ms: int) -> bool:
    name = urllib.parse.quote(device, safe="")
    return _call(f"/devices/{name}/release?ms={ms}", "POST") is not None


@contextlib.contextmanager
def released(port: str) -> Iterator[bool]:
    """The port is ours inside, the bridge's again after; True if the bridge had it."""
    device = holder(port)
    had = device is not None and _release(device, RELEASE_MS)
    try:
        yield had
    finally:
        if had and device is not None:
            _release(device, 0)
