"""uvicorn's HTTP protocol with limits: nobody holds the server up by being slow or endless."""

from __future__ import annotations

import asyncio
import functools
import socket
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

HEAD_BYTES = 64 * 1024
HEAD_S = 10  # for a whole request head
KEEP_ALIVE_S = 75
CONNECTIONS = 900  # below the usual limit of 1,024 files
ACCEPTED = 32  # at a time; until the oldest have given way to them they are files too
BACKLOG = 1024  # connections that wait to be accepted
READ_BYTES = 16 * 1024  # at a time; asyncio's 256 KiB for each connection add up
WRITE_BUFFER = 16 * 1024  # bytes waiting for a client before its sender has to wait


class Protocol(HttpToolsProtocol):
    """One connection. A request's scope carries its `transport`, so that it can be cut off."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_head = True

    def __init__(self, *args: Any, silent: dict[Protocol, None], **more: Any) -> None:
        """`silent`: the connections that have asked nothing or were answered, oldest first."""
        super().__init__(*args, **more)
        self._silent = silent

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._silent[self] = None
        if len(self.connections) > CONNECTIONS:
            next(iter(self._silent))._give_way()
        transport.set_write_buffer_limits(high=WRITE_BUFFER)
        transport.max_size = READ_BYTES
        self._head_timer = self.loop.call_later(HEAD_S, transport.abort)

    def _give_way(self) -> None:
        self._end_head()
        self.connections.discard(self)
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_timer is None:
                self._head_timer = self.loop.call_later(HEAD_S, self.transport.abort)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEAD_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["transport"] = self.transport  # type: ignore[typeddict-unknown-key]

    def on_headers_complete(self) -> None:
        self._end_head()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        self._head_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self.cycle.response_complete:  # and none is under way that was sent after it
            self._silent[self] = None
        super().on_response_complete()

    def _end_head(self) -> None:
        self._in_head = False
        self._silent.pop(self, None)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class Server:
    """Serves an ASGI application on a socket that is bound already."""

    def __init__(self, app: Any, bound: socket.socket) -> None:
        self._app = app
        self._socket = bound
        self._state = ServerState()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Accepts connections from now on."""
        config = Config(
            self._app,
            http=Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            interface="asgi3",
            timeout_keep_alive=KEEP_ALIVE_S,
        )
        config.load()
        make = functools.partial(
            Protocol, config=config, server_state=self._state, app_state={}, silent={}
        )
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(make, sock=self._socket, backlog=ACCEPTED)
        self._socket.listen(BACKLOG)

    async def stop(self) -> None:
        """Closes every connection; a request under way has a moment to finish."""
        if self._server is None:
            return
        self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            await asyncio.wait(list(self._state.tasks), timeout=0.5)
        for connection in list(self._state.connections):
            connection.transport.abort()
