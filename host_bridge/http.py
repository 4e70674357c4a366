"""The bridge's HTTP: who may ask, what is taken, and what comes back."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from aora.protocol import CODES, STATE_OF, STATES, code_of
from aora.record import TIPS_BYTES
from host_bridge import svg
from host_bridge.hub import Hub
from host_bridge.stream import BACKLOG, Reader, frame
from host_bridge.wire import cut

STATE_BYTES = 256 * 1024
HOOK_BYTES = 4 * 1024 * 1024
DRAIN_BYTES = (
    16 * 1024 * 1024
)  # of a body that is too long anyway, so that its sender is heard out
BODY_S = 10
ERRORS = 1000  # named in one answer
TURN_S = 0.005  # of work on one body before others have their turn
READERS = 1000
PIXEL_BACKLOG = 1024 * 1024  # bytes: some whole pictures

PAGE = Path(__file__).parent / "page"
_PAGE_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:"
)
_PUBLIC = ("/", "/healthz", "/page/")


class TooLate(Exception):
    """A body that did not arrive in time, or whose sender has gone."""


class TooLong(Exception):
    """A body over its limit; it is read to its end, or cut off."""


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
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and is_loopback(host_of(parts.netloc))

    def _holds_token(self, scope: Scope, headers: Headers) -> bool:
        path = scope["path"]
        if not self._token or path in _PUBLIC or path.startswith("/page/"):
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


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    """TooLate inside when the time is up. (asyncio.timeout came with Python 3.11.)"""
    task = asyncio.current_task()
    assert task is not None
    late = False

    def expire() -> None:
        nonlocal late
        late = True
        task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, expire)
    try:
        yield
    except asyncio.CancelledError:
        if late:
            raise TooLate from None
        raise
    finally:
        timer.cancel()


async def read_body(receive: Receive, limit: int) -> bytes:
    """A request's whole body; TooLong over `limit` bytes, TooLate when it does not come."""
    chunks, size, more = [], 0, True
    async with _time_limit(BODY_S):
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise TooLate
            size += len(message["body"])
            if size <= limit:
                chunks.append(message["body"])
            more = message["more_body"] and size <= DRAIN_BYTES
    if size > limit:
        raise TooLong
    return b"".join(chunks)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


def parse(text: bytes) -> Any:
    """Strict JSON: no NaN, no lone surrogates, no bad UTF-8; ValueError for the rest."""
    try:
        value = _decode(text.decode("utf-8-sig"))
        if b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


class Api:
    """The endpoints, on a hub."""

    def __init__(self, hub: Hub, hook: Callable[[str, Any, Headers], None]) -> None:
        self.hub = hub
        self._hook = hook
        self.refused_hooks = 0

    async def state(self, request: Request) -> Response:
        """POST /state: one message, or one a line."""
        try:
            body = await read_body(request.receive, STATE_BYTES)
        except TooLong:
            return _closing(413, f"at most {STATE_BYTES} bytes; send fewer messages at once")
        except TooLate:
            return _closing(408, "the body did not arrive")
        accepted, errors = await self._take(body)
        answer = {"accepted": accepted, "errors": errors}
        return JSONResponse(answer, 200 if accepted else 400)

    async def _take(self, body: bytes) -> tuple[int, list[dict[str, Any]]]:
        accepted, errors = 0, []
        loop = asyncio.get_running_loop()
        turn_ends = loop.time() + TURN_S
        for number, line in _messages(body):
            error = self.accept(line)
            if error is None:
                accepted += 1
            elif len(errors) < ERRORS:
                errors.append({"line": number, "error": error})
            if loop.time() > turn_ends:
                await asyncio.sleep(0)
                turn_ends = loop.time() + TURN_S
        return accepted, errors

    def accept(self, line: bytes) -> str | None:
        """Takes one message as text; the error, or None."""
        try:
            message = parse(line)
        except ValueError:
            return "not JSON"
        return self.hub.accept(message)

    async def hook(self, request: Request) -> Response:
        """POST /hook/{agent}: 204 whatever comes, so that no agent waits or takes it as a word."""
        try:
            payload = parse(await read_body(request.receive, HOOK_BYTES))
            if not isinstance(payload, dict):
                raise ValueError("not an object")
            self._hook(request.path_params["agent"], payload, request.headers)
        except (ValueError, TooLong, TooLate):
            self.refused_hooks += 1
        return Response(status_code=204)

    async def healthz(self, request: Request) -> Response:
        """GET /healthz: alive, and which boards hang on it."""
        keys = ("id", "board", "port", "link")
        devices = [{key: device[key] for key in keys} for device in self.hub.devices()]
        return JSONResponse({"ok": True, "devices": devices})

    async def preview(self, request: Request) -> Response:
        """GET /preview.svg: the face as the bridge takes it to be."""
        code = code_of(request.query_params.get("code"))
        if code < 0:
            return _uncached(svg.draw(self.hub.preview.face()), "image/svg+xml")
        tips = cut(request.query_params.get("tips", ""), TIPS_BYTES)
        face = {"code": CODES[code], "state": STATES[STATE_OF[code]], "tips": tips}
        return _uncached(svg.draw(face), "image/svg+xml")

    async def why(self, request: Request) -> Response:
        """GET /why: what decided that this face is shown."""
        return JSONResponse(self.hub.why())

    async def sessions(self, request: Request) -> Response:
        """GET /sessions: every session, its seat, code and age."""
        return JSONResponse(self.hub.sessions())

    async def release(self, request: Request) -> Response:
        """POST /devices/{id}/release?seconds=60: gives the port up; 0 takes it back."""
        try:
            seconds = min(max(int(request.query_params.get("seconds", "60")), 0), 3600)
        except ValueError:
            return JSONResponse({"error": "seconds: a whole number"}, 400)
        return self._for_device(request, lambda link: link.release(1000 * seconds))

    async def press(self, request: Request) -> Response:
        """POST /devices/{id}/press/{button}: presses a virtual board's button."""
        button = request.path_params["button"]
        return self._for_device(request, lambda link: link.press(button))

    def _for_device(self, request: Request, act: Callable[[Any], Any]) -> Response:
        link = self.hub.link(request.path_params["id"])
        if link is None:
            return JSONResponse({"error": "no such device; see /healthz"}, 404)
        answer = act(link)
        if answer is None:
            return JSONResponse({"error": "this device cannot do that"}, 409)
        return JSONResponse(answer)

    async def picture(self, request: Request) -> Response:
        """GET /devices/{id}/picture.png: a virtual board's glass as it is now."""
        link = self.hub.link(request.path_params["id"])
        if link is None or link.screen is None:
            return JSONResponse({"error": "no such virtual board; see /healthz"}, 404)
        return _uncached(link.screen.png(), "image/png")

    async def states(self, request: Request) -> Response:
        """GET /states: every state by name."""
        return JSONResponse(self.hub.states())

    async def page(self, request: Request) -> Response:
        """GET / and its files."""
        path = PAGE / request.path_params.get("name", "index.html")
        if path.parent != PAGE or path.suffix not in _PAGE_TYPES or not path.is_file():
            return JSONResponse({"error": "no such page"}, 404)
        answer = _uncached(path.read_bytes(), _PAGE_TYPES[path.suffix])
        answer.headers["content-security-policy"] = _PAGE_POLICY
        return answer


def _uncached(body: str | bytes, kind: str) -> Response:
    return Response(body, media_type=kind, headers={"cache-control": "no-store"})


def _closing(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status, {"connection": "close"})


def _messages(body: bytes) -> list[tuple[int, bytes]]:
    """The numbered lines of a body; one message may also be spread over several."""
    lines = body.split(b"\n")
    numbered = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if len(numbered) <= 1:
        return numbered or [(1, b"")]
    if not _is_json(numbered[0][1]) and _is_json(body):
        return [(1, body)]
    return numbered


def _is_json(text: bytes) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


class _Endless:
    """An ASGI application that answers with a stream, until one side has enough."""

    kind = b"text/event-stream; charset=utf-8"
    backlog = BACKLOG

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def source(self, scope: Scope) -> Any:
        """What has `add` and `remove` for a reader; a Response where there is nothing to read."""
        raise NotImplementedError

    def begin(self, source: Any, reader: Reader) -> None:
        """Puts the reader in."""
        source.add(reader)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        source = self.source(scope)
        if isinstance(source, Response):
            await source(scope, receive, send)
            return
        reader = Reader(dropped=scope["transport"].abort, most=self.backlog)
        headers = [(b"content-type", self.kind), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.ensure_future(_until_gone(receive, reader))
        self.begin(source, reader)
        try:
            while (chunk := await reader.next()) is not None:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        finally:
            source.remove(reader)
            gone.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class EventStream(_Endless):
    """GET /events: a snapshot, then whatever happens."""

    def source(self, scope: Scope) -> Any:
        full = len(self.hub.stream.readers) >= READERS
        return _closing(503, "too many readers") if full else self.hub.stream

    def begin(self, source: Any, reader: Reader) -> None:
        source.add(reader, frame(self.hub.snapshot(), "snapshot"))


class PixelStream(_Endless):
    """GET /devices/{id}/pixels: a virtual board's glass and ring, in `screen`'s records."""

    kind = b"application/octet-stream"
    backlog = PIXEL_BACKLOG

    def source(self, scope: Scope) -> Any:
        link = self.hub.link(scope["path_params"]["id"])
        if link is None or link.screen is None:
            return JSONResponse({"error": "no such virtual board; see /healthz"}, 404)
        return link.screen


async def _until_gone(receive: Receive, reader: Reader) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    reader.close()


def application(
    api: Api, *, token: str = "", origins: list[str] | None = None, anywhere: bool = False
) -> ASGIApp:
    """The whole door. `anywhere`: any Host may be asked for, which only a token makes safe."""
    routes = [
        Route("/state", api.state, methods=["POST"]),
        Route("/hook/{agent}", api.hook, methods=["POST"]),
        Route("/events", EventStream(api.hub)),
        Route("/healthz", api.healthz),
        Route("/preview.svg", api.preview),
        Route("/why", api.why),
        Route("/sessions", api.sessions),
        Route("/devices/{id}/release", api.release, methods=["POST"]),
        Route("/devices/{id}/press/{button}", api.press, methods=["POST"]),
        Route("/devices/{id}/picture.png", api.picture),
        Route("/devices/{id}/pixels", PixelStream(api.hub)),
        Route("/states", api.states),
        Route("/", api.page),
        Route("/page/{name}", api.page),
    ]
    guard = Middleware(Guard, token=token, origins=origins or [], anywhere=anywhere)
    return Starlette(routes=routes, middleware=[guard])
