"""The bridge's HTTP: who may ask, what is taken, and what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from host_bridge.body import Room, TooLate, TooLong, TooMuch, messages, parse
from host_bridge.guard import Guard
from host_bridge.hub import Hub
from host_bridge.stream import BACKLOG, Reader, frame
from host_bridge.wire import cut

STATE_BYTES = 256 * 1024
HOOK_BYTES = 4 * 1024 * 1024
BODIES_BYTES = 16 * 1024 * 1024  # of all requests under way
ERRORS = 1000  # named in one answer
TURN_S = 0.005  # of work on one body before others have their turn
READERS = 600  # of server.CONNECTIONS: the others are for who has something to say
PIXEL_BACKLOG = 1024 * 1024  # bytes: some whole pictures

PAGE = Path(__file__).parent / "page"
_PAGE_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:"
)


class Api:
    """The endpoints, on a hub."""

    def __init__(self, hub: Hub, hook: Callable[[str, Any, Headers], None]) -> None:
        self.hub = hub
        self._hook = hook
        self._room = Room(BODIES_BYTES)
        self.refused_hooks = self.failed_hooks = 0

    async def state(self, request: Request) -> Response:
        """POST /state: one message, or one a line."""
        try:
            async with self._room.body(request.receive, STATE_BYTES) as body:
                accepted, errors = await self._take(body)
        except TooLong:
            return _closing(413, f"at most {STATE_BYTES} bytes; send fewer messages at once")
        except TooLate:
            return _closing(408, "the body did not arrive")
        except TooMuch:
            return _closing(503, "too much is being sent at once; send it again in a moment")
        answer = {"accepted": accepted, "errors": errors}
        return JSONResponse(answer, 200 if accepted else 400)

    async def _take(self, body: bytes) -> tuple[int, list[dict[str, Any]]]:
        accepted, errors = 0, []
        loop = asyncio.get_running_loop()
        turn_ends = loop.time() + TURN_S
        for number, line in messages(body):
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
            async with self._room.body(request.receive, HOOK_BYTES) as body:
                payload = parse(body)
        except ValueError:
            payload = None
        except (TooLong, TooLate, TooMuch):
            self.refused_hooks += 1
            return Response(status_code=204, headers={"connection": "close"})
        if isinstance(payload, dict):
            self._take_hook(request.path_params["agent"], payload, request.headers)
        else:
            self.refused_hooks += 1
        return Response(status_code=204)

    def _take_hook(self, agent: str, payload: dict[str, Any], headers: Headers) -> None:
        try:
            self._hook(agent, payload, headers)
        except Exception as error:
            self.failed_hooks += 1
            if self.failed_hooks > 1:
                return
            with contextlib.suppress(OSError):  # nobody reads it
                text = f"aora: a hook of {agent[:40]!r} could not be taken: {error!r}"
                print(text, file=sys.stderr, flush=True)

    async def healthz(self, request: Request) -> Response:
        """GET /healthz: alive, which boards hang on it, and how many hooks it could not take."""
        keys = ("id", "name", "board", "port", "link")
        devices = [{key: device[key] for key in keys} for device in self.hub.devices()]
        hooks = {"refused": self.refused_hooks, "failed": self.failed_hooks}
        return JSONResponse({"ok": True, "devices": devices, "hooks": hooks})

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

    async def flush_log(self, request: Request) -> Response:
        """POST /log/flush: writes out the kept messages, for who reads them now."""
        self.hub.flush_log()
        return Response(status_code=204)

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
        return _closing(503, "too many viewers") if link.screen.full() else link.screen


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
        Route("/hook/{agent:path}", api.hook, methods=["POST"]),
        Route("/events", EventStream(api.hub), methods=["GET"]),
        Route("/healthz", api.healthz),
        Route("/preview.svg", api.preview),
        Route("/why", api.why),
        Route("/sessions", api.sessions),
        Route("/log/flush", api.flush_log, methods=["POST"]),
        Route("/devices/{id}/release", api.release, methods=["POST"]),
        Route("/devices/{id}/press/{button}", api.press, methods=["POST"]),
        Route("/devices/{id}/picture.png", api.picture),
        Route("/devices/{id}/pixels", PixelStream(api.hub), methods=["GET"]),
        Route("/states", api.states),
        Route("/", api.page),
        Route("/page/{name}", api.page),
    ]
    guard = Middleware(Guard, token=token, origins=origins or [], anywhere=anywhere)
    return Starlette(routes=routes, middleware=[guard])
