"""How the command line talks to the bridge that runs."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

PORT = 27182
DEFAULT_URL = f"http://127.0.0.1:{PORT}"
TIMEOUT_S = 5


class NoBridge(Exception):
    """Nobody answers; the text says where, and what to do."""


class Refused(Exception):
    """The bridge said no; the text is its own."""


def url() -> str:
    """AORA_URL, or where this user's bridge says it is."""
    from host_bridge import lock

    return os.environ.get("AORA_URL") or lock.running().get("url") or DEFAULT_URL


def headers() -> dict[str, str]:
    """What a request to a bridge with a token needs: AORA_TOKEN, or config.toml's."""
    from host_bridge import config

    try:
        given = os.environ.get("AORA_TOKEN")
        token = config.token({"token": given} if given else config.load())
    except config.ConfigError as error:
        raise NoBridge(str(error)) from None
    return {"authorization": f"Bearer {token}"} if token else {}


def _address(where: str) -> tuple[str, int]:
    """Host and port of http://host:port, of which the scheme and the port may be left out."""
    try:
        parts = urlsplit(where if "://" in where else f"http://{where}")
        if parts.scheme == "http" and parts.hostname:
            return parts.hostname, parts.port or PORT
    except ValueError:
        pass
    raise NoBridge(f"AORA_URL is http://host:port, not {where!r}")


class Client:
    """One connection to the bridge, opened when it is first needed."""

    def __init__(self, where: str = "", timeout: float | None = TIMEOUT_S) -> None:
        self.where = where or url()
        self._timeout = timeout
        self._opened: http.client.HTTPConnection | None = None

    def _ask(self, method: str, path: str, body: bytes | None = None) -> http.client.HTTPResponse:
        if self._opened is None:
            where = _address(self.where)
            self._opened = http.client.HTTPConnection(*where, timeout=self._timeout)
        try:
            self._opened.request(method, path, body, headers())
            return self._opened.getresponse()
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            self._opened.close()
            raise NoBridge(
                f"no bridge at {self.where} ({error}); start one with `aora run`"
            ) from None

    def get(self, path: str) -> Any:
        """The JSON at a path."""
        return self._answer(self._ask("GET", path))

    def post(self, path: str, body: bytes = b"") -> Any:
        """Posts and answers the JSON that comes back."""
        return self._answer(self._ask("POST", path, body))

    def state(self, *messages: dict[str, Any]) -> None:
        """Posts wire messages; Refused names the first that was not taken."""
        lines = "\n".join(json.dumps(message) for message in messages)
        answer = self.post("/state", lines.encode())
        if answer["errors"]:
            raise Refused(answer["errors"][0]["error"])

    def _answer(self, response: http.client.HTTPResponse) -> Any:
        raw = response.read()
        try:
            value = json.loads(raw) if raw else {}
        except ValueError:
            raise NoBridge(f"what answers at {self.where} is no bridge") from None
        if response.status >= 400 and "error" in value:
            raise Refused(value["error"])
        return value

    def events(self) -> Iterator[tuple[str, Any]]:
        """(name, data) of each event as it comes; default events are called "message"."""
        response = self._ask("GET", "/events")
        if response.status != 200:
            self._answer(response)
        name, data = "message", ""
        for raw in response:
            line = raw.decode("utf-8").rstrip("\r\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data = line[6:]
            elif not line and data:
                yield name, json.loads(data)
                name, data = "message", ""

    def close(self) -> None:
        """Ends the connection."""
        if self._opened is not None:
            self._opened.close()
