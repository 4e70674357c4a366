"""The bridge: what it costs, and how long a word takes to the face. Rows for `make bench`."""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from aora.settings import Settings
from host_bridge import boards
from host_bridge.virtual import VirtualBoard
from tests.bridge.running import AORA, Running

FLOOD_PER_S = 2000
PACE = 1.05  # the flood aims a little higher
FLOOD_S = 15
EVENT_EVERY_S = 3
ROUNDS = 60
HEAD = "POST /state HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
Row = dict[str, Any]


def row(name: str, value: float, unit: str, target: float | None, better: str = "lower") -> Row:
    value = round(value, 3)
    return {"name": name, "value": value, "unit": unit, "better": better, "target": target}


def percentiles(name: str, seconds: list[float], targets: dict[int, float]) -> list[Row]:
    """p50, p95 and p99 in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return [row(f"{name} p{p}", cuts[p - 1] * 1000, "ms", targets.get(p)) for p in (50, 95, 99)]


def rows() -> list[Row]:
    """Every row; about a minute and a half."""
    return [*starting(), *serving(), *memory(), *idle(), *to_the_face(), *flood()]


@contextmanager
def bridge(*options: str) -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as folder:
        running = Running(Path(folder) / "home", *options)
        try:
            yield running
        finally:
            running.stop()


@contextmanager
def desk() -> Iterator[tuple[Running, VirtualBoard]]:
    """A bridge with a virtual board whose states stay for 100 ms only."""
    with tempfile.TemporaryDirectory() as folder:
        board = VirtualBoard(home=Path(folder) / "board")
        settings = Settings(boards.load("pico-generic"), str(board.flash / "settings.json"))
        settings.set({"dwell": 100, "sticky_ms": 0})
        with board, closing_bridge(Path(folder) / "home", board) as running:
            while running.client.get("/healthz").json()["devices"][0]["link"] != "live":
                time.sleep(0.05)
            yield running, board


@contextmanager
def closing_bridge(home: Path, board: VirtualBoard) -> Iterator[Running]:
    running = Running(home, "--device", board.port)
    try:
        yield running
    finally:
        running.stop()


def timed(act: Callable[[], Any], rounds: int) -> list[float]:
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        took.append(time.perf_counter() - start)
    return took


# Starting.


def starting() -> list[Row]:
    """From the command to the first answer, and to the end of its help."""
    took = []
    for _ in range(3):
        start = time.perf_counter()
        with bridge("--no-device") as running:
            running.client.get("/healthz")
            took.append(time.perf_counter() - start)
    helped = timed(lambda: subprocess.run([AORA, "--help"], capture_output=True), 5)
    return [
        row("bridge ready (--no-device)", statistics.median(took), "s", 1),
        row("aora --help", statistics.median(helped), "s", 0.3),
    ]


# Serving.


def serving() -> list[Row]:
    """POST /state: alone, and while 500 readers of events do not read."""
    with bridge("--no-device") as running:

        def post() -> None:
            running.post({"session_id": "a", "state": "working", "tips": "Editing main.py"})

        timed(post, 20)
        alone = timed(post, 300)
        mute = [socket.create_connection(running.address) for _ in range(500)]
        for link in mute:
            link.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(1)
        crowded = timed(post, 300)
        for link in mute:
            link.close()
    return percentiles("POST /state", alone, {}) + percentiles(
        "POST /state beside 500 mute readers", crowded, {99: 50}
    )


def memory() -> list[Row]:
    """100,000 messages of 1,000 sessions."""
    with bridge("--no-device") as running:
        post_many(running, 10_000)
        before = running.rss_mb()
        took = timed(lambda: post_many(running, 100_000), 1)[0]
        after = running.rss_mb()
    return [
        row("bridge resident after 100,000 messages", after, "MB", 80),
        row("bridge growth over 100,000 messages", after - before, "MB", 2),
        row("messages a second, as NDJSON", 100_000 / took, "/s", None, "higher"),
    ]


def post_many(running: Running, count: int) -> None:
    for start in range(0, count, 1000):
        running.post(
            *(
                {"session_id": f"s{n % 1000}", "aoraBotId": 42 + n % 8, "tips": f"file {n}"}
                for n in range(start, start + 1000)
            )
        )


def cpu_s(pid: int) -> float:
    """Processor time of a process and its children."""
    spent = 0.0
    for child in (pid, *children(pid)):
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def children(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == pid:
            found += [int(path.parent.name), *children(int(path.parent.name))]
    return found


def idle() -> list[Row]:
    """Nobody posts, nobody looks."""
    found = []
    for name, option, target in (
        ("bridge idle", "--no-device", 1),
        ("bridge and virtual board idle", "--virtual", 3),
    ):
        with bridge(option) as running:
            time.sleep(8)  # the board tidies up after its start
            before = cpu_s(running.process.pid)
            time.sleep(10)
            spent = cpu_s(running.process.pid) - before
        found.append(row(name, spent * 10, "% of a core", target))
    return found


# To the face.


class Events:
    """The bridge's events with the time they came."""

    def __init__(self, url: str) -> None:
        self.news = threading.Condition()
        self.at: dict[tuple[str, str | None, str], float] = {}
        self._begun = threading.Event()
        threading.Thread(target=self._read, args=(url,), daemon=True).start()
        self._begun.wait(10)

    def _read(self, url: str) -> None:
        name = ""
        try:
            with httpx.stream("GET", f"{url}/events", timeout=None) as answer:
                for line in answer.iter_lines():
                    if line.startswith("event: "):
                        name = line[7:]
                    elif line.startswith("data: "):
                        self._take(name, line[6:])
                        name = ""
        except httpx.HTTPError:
            pass

    def _take(self, name: str, text: str) -> None:
        self._begun.set()
        if name in ("face", "shown"):
            data = json.loads(text)
            with self.news:
                self.at[name, data["session_id"], data["code"]] = time.perf_counter()
                self.news.notify_all()

    def wait(self, name: str, session: str, code: str, after: float, limit: float = 10) -> float:
        """When this came, after a moment."""
        key = (name, session, code)
        with self.news:
            if not self.news.wait_for(lambda: self.at.get(key, 0) > after, limit):
                raise TimeoutError(f"{key} did not come")
            return self.at[key]


def to_the_face() -> list[Row]:
    """A hook's payload until the board says that its pixels are out, beside a bare round trip."""
    with desk() as (running, _):
        events = Events(running.url)
        bare = timed(lambda: running.client.get("/healthz"), 200)
        took = []
        for number in range(ROUNDS):
            tool, code = (("Read", "42"), ("Bash", "44"))[number % 2]
            payload = {
                "session_id": "bench",
                "hook_event_name": "PreToolUse",
                "tool_name": tool,
                "tool_use_id": f"t{number}",
                "tool_input": {"file_path": "/x/main.py", "command": "make"},
            }
            start = time.perf_counter()
            running.client.post("/hook/claude-code", json=payload)
            took.append(events.wait("shown", "bench", code, start) - start)
            time.sleep(0.25)  # its dwell is over
    return percentiles("bare HTTP round trip", bare, {}) + percentiles(
        "hook to shown, idle", took, {99: 50}
    )


def flood() -> list[Row]:
    """2,000 messages a second over one connection, and an event now and then."""
    with desk() as (running, _):
        events = Events(running.url)
        stop = threading.Event()
        counts: list[float] = []
        thread = threading.Thread(target=_flood, args=(running, stop, counts))
        thread.start()
        late = []
        for number in range(FLOOD_S // EVENT_EVERY_S):
            time.sleep(EVENT_EVERY_S)
            session, start = f"event{number}", time.perf_counter()
            running.post({"session_id": session, "state": "alerting", "tips": "Look"})
            due = events.wait("face", session, "34", start)
            late.append(max(0.0, events.wait("shown", session, "34", start) - due))
            running.post({"session_id": session, "end": True})
        stop.set()
        thread.join()
        end = time.monotonic() + 60
        while (device := running.device())["waiting"] and time.monotonic() < end:
            time.sleep(0.2)
    return [
        row("messages a second over one connection", counts[0], "/s", FLOOD_PER_S, "higher"),
        row("events lost by the link", device["waiting"] + device["lost"], "", 0),
        *percentiles("event to shown under load, dwell aside", late, {99: 150}),
    ]


def _flood(running: Running, stop: threading.Event, counts: list[float]) -> None:
    """Pipelined requests, 20 each 10 ms; every answer is read."""
    with closing(socket.create_connection(running.address)) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = link.makefile("rb")
        start = time.perf_counter()
        sent, burst = 0, FLOOD_PER_S // 100
        while not stop.is_set():
            link.sendall("".join(_request(sent + n) for n in range(burst)).encode())
            for _ in range(burst):
                _read_answer(answers)
            sent += burst
            time.sleep(max(0.0, start + sent / FLOOD_PER_S / PACE - time.perf_counter()))
        counts.append(sent / (time.perf_counter() - start))


def _request(number: int) -> str:
    code = 31 if number % 500 == 0 else 42 + number % 8
    message = {"session_id": f"s{number % 12}", "aoraBotId": code, "tips": f"file {number}"}
    body = json.dumps(message)
    return HEAD % (len(body), body)


def _read_answer(answers: Any) -> None:
    assert b"200" in answers.readline()
    length = 0
    while (line := answers.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    assert b'"accepted":1' in answers.read(length)
