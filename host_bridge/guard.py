"""Whom the bridge answers: loopback hosts and origins, or the holder of the token."""

from __future__ import annotations

import hmac
import ipaddress
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

PUBLIC = ("/", "/healthz")  # without the token, like everything under /page/


def is_loopback(host: str) -> bool:
    """True for a name or address of this very machine, without its port."""
    host = host.strip("[]").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(authority: str) -> str:
    """The host in `host:port`, brackets kept away."""
    try:
        return urlsplit("//" + authority).hostname or ""
    except ValueError:
        return ""


class Guard:
    """Lets in whom the bridge serves: loopback hosts and origins, or the holder of the token."""

    def __init__(self, app: ASGIApp, token: str, origins: list[str], anywhere: bool) -> None:
        self.app = app
        self._token = token.encode()
        self._origins = origins
        self._anywhere = anywhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(scope, *refusal)(scope, receive, send)
            return
        origin = headers.get("origin")
        if origin is None:
            await self.app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await _preflight(origin)(scope, receive, send)
        else:
            await self.app(scope, receive, _with_origin(send, origin))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if not self._anywhere and not is_loopback(host_of(headers.get("host", ""))):
            return 403, "this bridge answers to localhost only"
        origin = headers.get("origin")
        if origin is not None and not self._welcome(origin):
            return 403, "origin not in allow_origins"
        if scope["method"] != "OPTIONS" and not self._holds_token(scope, headers):
            return 401, "token needed: Authorization: Bearer TOKEN"
        return None

    def _welcome(self, origin: str) -> bool:
        if self._origins:
            return origin in self._origins or "*" in self._origins
        scheme, _, authority = origin.partition("://")
        return scheme in ("http", "https") and is_loopback(host_of(authority))

    def _holds_token(self, scope: Scope, headers: Headers) -> bool:
        path = scope["path"]
        if not self._token or path in PUBLIC or path.startswith("/page/"):
            return True
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            query = parse_qs(scope["query_string"].decode("latin-1"))
            given = query.get("token", [""])[0]
        return hmac.compare_digest(given.encode(), self._token)


def _refuse(scope: Scope, status: int, text: str) -> Response:
    if scope["path"].startswith("/hook/"):
        return Response(status_code=status)
    return JSONResponse({"error": text}, status)


def _preflight(origin: str) -> Response:
    return Response(
        status_code=204,
        headers={
            "access-control-allow-origin": origin,
            "access-control-allow-methods": "GET, POST, OPTIONS",
            "access-control-allow-headers": "content-type, authorization",
            "access-control-allow-private-network": "true",
            "access-control-max-age": "600",
            "vary": "origin",
        },
    )


def _with_origin(send: Send, origin: str) -> Send:
    added = [(b"access-control-allow-origin", origin.encode("latin-1")), (b"vary", b"origin")]

    async def send_with_origin(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return send_with_origin
