"""A small HTTP server in a thread that keeps what it is sent."""

from __future__ import annotations

import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Caught(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Catcher:
    """`url` to post to; `next()` waits for what came."""

    def __init__(self) -> None:
        self.caught: queue.Queue[Caught] = queue.Queue()
        catcher = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                names = {key.lower(): value for key, value in self.headers.items()}
                catcher.caught.put(Caught(self.path, names, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def next(self) -> Caught:
        return self.caught.get(timeout=10)

    def nothing(self) -> bool:
        return self.caught.empty()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
