"""The bridge, put together: hub, HTTP, boards and standard input in one asyncio loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from importlib.util import find_spec
from io import FileIO
from typing import Any
from urllib.parse import quote

from host_bridge import http, lock, paths
from host_bridge.adapter import Adapters
from host_bridge.config import ConfigError, SessionSettings, load, token
from host_bridge.guard import is_loopback
from host_bridge.hub import Hub, clock_ms
from host_bridge.links.boards import Boards
from host_bridge.links.serial import candidates
from host_bridge.log import Log
from host_bridge.server import Server
from host_bridge.sessions import Sessions

BOARD = "pico-generic"  # the virtual board, unless another is named
EXAMPLE = '{"session_id":"me","state":"working","tips":"Hi"}'


@dataclass
class Options:
    """What `aora run` was asked for."""

    host: str = "127.0.0.1"
    port: int = 27182
    virtual: str | None = None
    boards: list[str] = field(default_factory=list)
    device: str | None = None
    no_device: bool = False
    stdin: bool = False


class CannotStart(Exception):
    """Why there is no bridge, and what to do."""


class Bridge:
    """Everything that runs; `stop` may be set from a signal."""

    def __init__(self, options: Options, config: dict[str, Any]) -> None:
        self.options = options
        self.config = config
        self.token = token(config)
        self.stop = asyncio.Event()
        adapters = Adapters.load(paths.home())
        for broken in adapters.broken:
            print(f"aora: adapter left out: {broken}", file=sys.stderr)
        self.hub = Hub(Log(lock.state_dir()), plain=adapters.plain)
        self.boards = Boards(self.hub)
        self.virtual: list[Any] = []
        settings = SessionSettings.from_config(config)
        self.sessions = Sessions(self._emit, settings, adapters=adapters)
        self._source = ""
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, held: lock.BridgeLock) -> None:
        """Serves until `stop` is set."""
        bound = self._bind()
        host, port = bound.getsockname()[:2]
        url = f"http://{'[' + host + ']' if ':' in host else host}:{port}"
        api = http.Api(self.hub, self._hook)
        origins = self.config.get("allow_origins", [])
        anywhere = not is_loopback(self.options.host)
        door = http.application(api, token=self.token, origins=origins, anywhere=anywhere)
        server = Server(door, bound)
        await server.start()
        held.tell(url)
        try:
            self._greet(url, await self._start_boards())
            if self.options.stdin and sys.stdin:
                self._read_stdin(api)
            await self.stop.wait()
        finally:
            self._close()
            await server.stop()

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.boards.close()
        for board in self.virtual:
            board.stop()
        self.hub.close()

    async def _start_boards(self) -> str:
        """Links the boards that were asked for; answers what there is, in words."""
        options = self.options
        if options.no_device:
            return "no board, only the preview"
        if options.device:
            self.boards.add(options.device)
            return f"board on {options.device}"
        if options.virtual or options.boards:
            return await self._start_virtual(options.virtual or "micropython", options.boards)
        found = await asyncio.to_thread(candidates)
        self.boards.take(found)
        self.boards.keep_looking()
        if found:
            return f"board on {', '.join(port.address for port in found)}"
        try:
            kind = "micropython" if find_spec("micropython_run") else "displayio"
            return await self._start_virtual(kind, []) + ", as nothing is plugged in"
        except CannotStart as error:
            return f"no board: nothing is plugged in, and no virtual one: {error}"

    async def _start_virtual(self, kind: str, names: list[str]) -> str:
        from host_bridge.boards import BoardError
        from host_bridge.virtual import HomeInUse, NoMicroPython, VirtualBoard

        if kind == "displayio":
            return await self._start_displayio(names)
        for name in names or [BOARD]:
            home = lock.state_dir() / "virtual" / name
            try:
                board = VirtualBoard(name, home=home)
                await asyncio.to_thread(board.start)
            except (BoardError, HomeInUse, NoMicroPython) as error:
                raise CannotStart(str(error)) from None
            except OSError as error:
                raise CannotStart(f"{home}: {error.strerror}") from None
            self._show(board)
        return "virtual board" + (f"s {', '.join(names)}" if len(names) > 1 else "")

    async def _start_displayio(self, names: list[str]) -> str:
        """The board for machines without MicroPython; one a process."""
        from host_bridge.boards import BoardError

        name, *others = names or [BOARD]
        if others:
            raise CannotStart("displayio draws one board: leave out all but one --board")
        try:
            from host_bridge.virtual.displayio_board import DisplayioBoard
        except ModuleNotFoundError:
            raise CannotStart("no displayio here: pip install 'aora-face[displayio]'") from None
        try:
            board = DisplayioBoard(name, lock.state_dir() / "virtual-displayio" / name)
            await asyncio.to_thread(board.start)
        except BoardError as error:
            raise CannotStart(str(error)) from None
        except OSError as error:
            raise CannotStart(f"{error.filename}: {error.strerror}") from None
        self._show(board)
        return "virtual board, drawn by displayio"

    def _show(self, board: Any) -> None:
        """Links a virtual board, its pixels for the page included."""
        from host_bridge.screen import Screen

        self.virtual.append(board)
        self.boards.add(board.port).screen = Screen(board)

    def _bind(self) -> socket.socket:
        host, port = self.options.host, self.options.port
        if not is_loopback(host) and not self.token:
            raise CannotStart(
                f"serving on {host} lets others in: set AORA_TOKEN or token in "
                f"{paths.home() / 'config.toml'} first"
            )
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # asyncio sends small answers at once (TCP_NODELAY) only on sockets that say they are TCP.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, port))
        except OSError as error:
            raise CannotStart(
                f"cannot serve on {host}:{port}: {error.strerror}; choose another with --port"
            ) from None
        bound.setblocking(False)
        return bound

    def _hook(self, agent: str, payload: dict[str, Any], headers: Mapping[str, str]) -> None:
        event = payload.get("hook_event_name")
        self._source = f"{agent} {event}"[:80] if isinstance(event, str) else agent[:40]
        try:
            self.sessions.hook(agent, payload, headers, clock_ms())
        finally:
            self._source = ""
        self._wake_sessions()

    def _emit(self, message: dict[str, Any]) -> None:
        if "doubt" in message:
            self.hub.doubt(message["doubt"])
        elif "done" in message:
            self.hub.mark_done(message["done"])
        else:
            self.hub.accept(message, self._source)

    def _wake_sessions(self) -> None:
        """The loop wakes when silence begins to mean something, and not before."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = clock_ms()
        due = self.sessions.next_deadline(now)
        if due is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later((due - now) / 1000, self._tick_sessions)

    def _tick_sessions(self) -> None:
        self._timer = None
        self.sessions.tick(clock_ms())
        self._wake_sessions()

    def _greet(self, url: str, boards: str) -> None:
        secret = quote(self.token, safe="")
        header = f"-H {shlex.quote('Authorization: Bearer ' + self.token)} " if secret else ""
        with contextlib.suppress(BrokenPipeError):  # nobody reads it
            print(
                f"Aora Face, {boards}\n"
                f"  open  {url}/{'#token=' + secret if secret else ''}\n"
                f"  post  curl {header}{url}/state -d '{EXAMPLE}'\n"
                f"  stop  Ctrl-C",
                flush=True,
            )

    def _read_stdin(self, api: http.Api) -> None:
        """Lines of standard input are messages. A thread reads: not every stdin can be polled.

        Past the buffers of `sys.stdin` and `sys.stderr`: at the end those wait for a thread that
        is inside them.
        """
        loop = asyncio.get_running_loop()

        def accept(line: bytes, answer: Future[str | None]) -> None:
            try:
                answer.set_result(api.accept(line))
            except Exception as error:
                answer.set_result(repr(error))

        def read(file: FileIO) -> None:
            for line in _lines(file, http.STATE_BYTES):
                answer: Future[str | None] = Future()
                if len(line) > http.STATE_BYTES:
                    answer.set_result("too long")
                else:
                    try:
                        loop.call_soon_threadsafe(accept, line, answer)
                    except RuntimeError:  # the bridge has stopped
                        return
                # A writer that is faster than the bridge has to wait for it.
                if error := answer.result():
                    _complain(error)

        def run() -> None:
            try:
                with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as file:
                    read(file)
            except OSError as error:
                _complain(f"{error.strerror}; nothing more is read from it")

        threading.Thread(target=run, daemon=True).start()


def _complain(error: str) -> None:
    with contextlib.suppress(OSError):  # nobody reads it
        os.write(sys.stderr.fileno(), f"stdin: {error}\n".encode())


def _lines(file: FileIO, most: int) -> Iterator[bytes]:
    """Lines without their LF, blank ones left out; of one over `most` bytes only its start."""
    rest = b""
    while piece := file.read(1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        yield from filter(bytes.strip, lines)
        rest = rest[: most + 1]
    if rest.strip():
        yield rest


def _on_signals(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


async def _run(options: Options, held: lock.BridgeLock) -> None:
    bridge = Bridge(options, load())
    _on_signals(bridge.stop)
    await bridge.run(held)


def main(options: Options) -> int:
    """Runs the bridge until it is told to stop; the exit status."""
    try:
        held = lock.BridgeLock()
    except lock.Taken as taken:
        print(f"aora: {taken}; stop it first, or use it", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"aora: {paths.home()} (AORA_HOME): {error.strerror}", file=sys.stderr)
        return 1
    try:
        asyncio.run(_run(options, held))
    except (CannotStart, ConfigError) as error:
        print(f"aora: {error}", file=sys.stderr)
        return 1
    finally:
        held.release()
    return 0
