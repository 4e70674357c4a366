"""The HTTP door, through real sockets."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import socket
import statistics
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import httpx
import pytest

from host_bridge import http
from host_bridge.hub import Hub
from tests.bridge.running import Running

SMALL = b'{"session_id":"x","aoraBotId":"32"}'


def events(
    bridge: Running, wanted: set[str], act: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """The first event of each wanted name after the snapshot and `act`, and the snapshot."""
    found: dict[str, Any] = {}
    with httpx.stream("GET", f"{bridge.url}/events", timeout=10) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        name = "message"
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                assert found or name == "snapshot"
                if name == "snapshot":
                    act()
                found.setdefault(name, json.loads(line[6:]))
                name = "message"
                if wanted <= set(found):
                    break
    return found


def test_one_message(bridge: Running) -> None:
    answer = bridge.post({"session_id": "one", "state": "working", "tips": "Hi"})
    assert (answer.status_code, answer.json()) == (200, {"accepted": 1, "errors": []})


def test_a_message_over_several_lines(bridge: Running) -> None:
    answer = bridge.post(json.dumps({"session_id": "pretty", "state": "working"}, indent=2))
    assert answer.json() == {"accepted": 1, "errors": []}


def test_lines_are_taken_one_by_one(bridge: Running) -> None:
    answer = bridge.post(
        {"session_id": "n", "state": "working"}, "", "nonsense", {"state": "working"}, [1], "{}"
    )
    assert answer.status_code == 200
    assert answer.json() == {
        "accepted": 1,
        "errors": [
            {"line": 3, "error": "not JSON"},
            {"line": 4, "error": "missing session_id"},
            {"line": 5, "error": "not an object"},
            {"line": 6, "error": "missing session_id"},
        ],
    }


def test_crlf_and_a_byte_order_mark(bridge: Running) -> None:
    body = b"\xef\xbb\xbf" + SMALL + b"\r\n" + SMALL + b"\r\n"
    assert bridge.client.post("/state", content=body).json()["accepted"] == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n\n",
        b"hello",
        b'{"session_id":"x","state":"working","hud":NaN}',
        b'{"session_id":"\\ud800","state":"working"}',
        b'{"session_id":"\xff","state":"working"}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"session_id":"x","state":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_json_is_refused(bridge: Running, body: bytes) -> None:
    answer = bridge.client.post("/state", content=body)
    assert answer.status_code == 400
    assert answer.json() == {"accepted": 0, "errors": [{"line": 1, "error": "not JSON"}]}


def test_a_body_over_256_kib_is_413(bridge: Running) -> None:
    line = SMALL + b"\n"
    fits = line * (256 * 1024 // len(line))
    assert bridge.client.post("/state", content=fits).status_code == 200
    for body in (b"x" * (256 * 1024 + 1), b"x" * 300_000, b"x" * 5_000_000):
        answer = bridge.client.post("/state", content=body)
        assert answer.status_code == 413
        assert "fewer" in answer.json()["error"]


def test_a_hook_is_always_204_and_empty(bridge: Running) -> None:
    payload = {"session_id": "h", "hook_event_name": "Notification", "pad": "x" * 4_000_000}
    bodies = [
        b"",
        b"nonsense",
        b"[1]",
        b"[" * 100_000,
        json.dumps(payload).encode(),
        b"x" * 5_000_000,
    ]
    for body in bodies:
        for agent in ("claude-code", "nobody-knows", "a/b"):
            answer = bridge.client.post(f"/hook/{agent}", content=body)
            assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize("kind", [KeyError, ValueError, RecursionError, OSError, AssertionError])
def test_a_hook_is_204_when_an_adapter_fails(
    capsys: pytest.CaptureFixture[str], kind: type[Exception]
) -> None:
    def fail(*_: object) -> None:
        raise kind("odd")

    async def post() -> list[tuple[int, bytes]]:
        api = http.Api(Hub(), fail)
        transport = httpx.ASGITransport(http.application(api))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answers = [await client.post("/hook/mine", json={}) for _ in range(3)]
        assert api.failed_hooks == 3
        return [(answer.status_code, answer.content) for answer in answers]

    assert asyncio.run(post()) == [(204, b"")] * 3
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "mine" in said and "odd" in said


def test_a_hook_reaches_the_face(bridge: Running) -> None:
    payload = {"session_id": "hooked", "hook_event_name": "UserPromptSubmit", "prompt": "hi"}
    bridge.client.post("/hook/claude-code", json=payload)
    rows = {row["session_id"]: row for row in bridge.client.get("/sessions").json()}
    assert rows["hooked"]["code"] in ("30", "31")
    assert rows["hooked"]["source"] == "claude-code UserPromptSubmit"
    bridge.client.post("/hook/claude-code", json={**payload, "hook_event_name": "SessionEnd"})


def test_only_loopback_hosts_and_origins(bridge: Running) -> None:
    port = bridge.address[1]
    for host in (f"evil.example:{port}", "127.0.0.1.evil.example", "", "10.0.0.1", "[::2]"):
        answer = bridge.client.post("/state", content=SMALL, headers={"host": host})
        assert answer.status_code in (400, 403)
    for host in ("localhost", f"localhost:{port}", f"127.0.0.1:{port}", "[::1]:80", "127.9.9.9"):
        answer = bridge.client.post("/state", content=SMALL, headers={"host": host})
        assert answer.status_code == 200
    for origin in (
        "http://evil.example",
        "null",
        "file://",
        "http://localhost.evil.example",
        "http://[::1",
    ):
        answer = bridge.client.post("/state", content=SMALL, headers={"origin": origin})
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (
            403,
            False,
        )
        answer = bridge.client.post("/hook/claude-code", content=b"{}", headers={"origin": origin})
        assert (answer.status_code, answer.content) == (403, b"")


def test_no_state_changes_by_a_stranger(bridge: Running) -> None:
    message = {"session_id": "stranger", "state": "alerting"}
    for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
        bridge.post(message, headers=headers)
        bridge.client.post("/hook/claude-code", json={}, headers=headers)
    names = [row["session_id"] for row in bridge.client.get("/sessions").json()]
    assert "stranger" not in names


def test_cors_for_loopback_origins(bridge: Running) -> None:
    origin = "http://localhost:5173"
    answer = bridge.post(json.loads(SMALL), headers={"origin": origin})
    assert answer.headers["access-control-allow-origin"] == origin
    answer = bridge.client.options(
        "/state", headers={"origin": origin, "access-control-request-method": "POST"}
    )
    assert answer.status_code == 204
    assert "content-type" in answer.headers["access-control-allow-headers"]


def test_get_is_not_post(bridge: Running) -> None:
    assert bridge.client.get("/state").status_code == 405
    assert bridge.client.get("/nothing").status_code == 404


def test_events_begin_with_a_snapshot(bridge: Running) -> None:
    bridge.post({"session_id": "seen", "state": "reading", "tips": "before"})
    message = {"session_id": "seen", "emotionId": 43, "tips": "now"}
    found = events(bridge, {"message"}, lambda: bridge.post(message))
    assert {"face", "sessions", "devices"} <= set(found["snapshot"])
    assert found["message"] == {"session_id": "seen", "aoraBotId": "43", "tips": "now"}


def test_events_name_the_face(bridge: Running) -> None:
    loud = {"session_id": "loud", "state": "alerting"}
    found = events(bridge, {"face"}, lambda: bridge.post(loud))
    assert found["face"] == {
        "code": "34",
        "state": "alerting",
        "session_id": "loud",
        "tips": None,
        "hud": None,
    }
    bridge.post({"session_id": "loud", "end": True})


def test_values_are_cut_before_anybody_sees_them(bridge: Running) -> None:
    long = {"session_id": "é" * 80, "state": "working", "tips": "a\tb\n" + "ü" * 200}
    message = events(bridge, {"message"}, lambda: bridge.post(long))["message"]
    assert len(message["session_id"].encode()) <= 64
    assert message["tips"] == "a b " + "ü" * 78


def test_preview_is_a_picture(bridge: Running) -> None:
    answer = bridge.client.get("/preview.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")
    asked = bridge.client.get("/preview.svg", params={"code": "34", "tips": "<b>&"})
    assert "alerting: &lt;b&gt;&amp;" in asked.text


def test_healthz_counts_hooks_that_are_no_message(bridge: Running) -> None:
    before = bridge.client.get("/healthz").json()
    assert bridge.client.post("/hook/claude-code", content=b"{").status_code == 204
    after = bridge.client.get("/healthz").json()
    refused = before["hooks"]["refused"] + 1
    assert after == {"ok": True, "devices": [], "hooks": {"refused": refused, "failed": 0}}


def test_unknown_devices_are_404(bridge: Running) -> None:
    assert bridge.client.post("/devices/nobody/release").status_code == 404
    assert bridge.client.get("/devices/nobody/pixels").status_code == 404


def test_the_page_needs_no_other_server(bridge: Running) -> None:
    page = bridge.client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path in ("/page/main.js", "/page/board.js", "/page/style.css"):
        text = bridge.client.get(path).text
        assert "http://" not in text and "https://" not in text
    assert bridge.client.get("/page/..%2fhttp.py").status_code == 404


def test_a_pipelined_and_a_chunked_request(bridge: Running) -> None:
    head = b"POST /state HTTP/1.1\r\nHost: localhost\r\n"
    one = head + b"Content-Length: %d\r\n\r\n" % len(SMALL) + SMALL
    last = head + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    last += b"%x\r\n%s\r\n0\r\n\r\n" % (len(SMALL), SMALL)
    answer = bridge.raw(one * 3 + last)
    assert answer.count(b'{"accepted":1,"errors":[]}') == 4


def test_a_sender_that_does_not_wait_is_heard(bridge: Running) -> None:
    payload = {"session_id": "hasty", "state": "working", "pad": "x" * 60_000}
    body = json.dumps(payload).encode()
    head = b"POST /state HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    with closing(socket.create_connection(bridge.address)) as link:
        link.sendall(head + body)
    end = time.monotonic() + 5
    while "hasty" not in str(bridge.client.get("/sessions").json()):
        assert time.monotonic() < end


def test_endless_heads_are_cut_off(bridge: Running) -> None:
    with closing(socket.create_connection(bridge.address, 10)) as link:
        with suppress(OSError):
            link.sendall(b"GET / HTTP/1.1\r\n" + b"X-Pad: 0123456789abcdef\r\n" * 100_000)
        with suppress(ConnectionError):
            assert link.recv(1) == b""


def test_slow_bodies_and_mute_readers_hurt_nobody(bridge: Running) -> None:
    """500 event readers that do not read, 50 bodies that do not come: others are served."""
    mute = [socket.create_connection(bridge.address) for _ in range(500)]
    for link in mute:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    slow = [socket.create_connection(bridge.address) for _ in range(50)]
    for link in slow:
        link.sendall(b"POST /state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    before = bridge.rss_mb()
    took = []
    for number in range(300):
        start = time.perf_counter()
        bridge.post({"session_id": f"m{number % 40}", "state": "working", "tips": "x" * 150})
        took.append(time.perf_counter() - start)
    after = bridge.rss_mb()
    for link in mute + slow:
        link.close()
    assert statistics.quantiles(took, n=20)[-1] < 0.05
    assert after - before < 40
    assert bridge.client.get("/healthz").json()["ok"]


def test_silent_connections_give_way(start: Callable[..., Running]) -> None:
    """The oldest first; nobody is cut off who was told something and waits for more."""
    bridge = start("--no-device")
    resource.prlimit(bridge.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2048)), hard))
    links: list[socket.socket] = []
    reader = socket.create_connection(bridge.address, 10)
    reader.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"200 OK" in reader.recv(65536)
    begun = (b"", b"GET / HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try:
        for number in range(1050):
            if number == 930:  # the others come all at once
                bridge.process.send_signal(signal.SIGSTOP)
            links.append(socket.create_connection(bridge.address, 10))
            links[-1].sendall(begun[number % len(begun)])
        bridge.process.send_signal(signal.SIGCONT)
        for number in range(100):
            with httpx.Client(base_url=bridge.url, timeout=5) as other:
                answer = other.post("/state", json={"session_id": f"s{number}", "state": "happy"})
                assert answer.status_code == 200
            links.append(socket.create_connection(bridge.address, 10))
            links.pop(0).close()
        received = b""
        while b"s99" not in received:
            assert (piece := reader.recv(65536))
            received += piece
    finally:
        for link in (*links, reader):
            link.close()
    assert bridge.stop()[1] == ""


def post(path: str, size: int) -> bytes:
    """The head of a request and all of its body but the last byte."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n"
    return head.encode() + b" " * (size - 1)


@pytest.mark.parametrize(("path", "size"), [("/hook/claude-code", 3_900_000), ("/state", 250_000)])
def test_bodies_under_way_have_one_bound_and_small_ones_pass(
    start: Callable[..., Running], path: str, size: int
) -> None:
    bridge = start("--no-device")
    before = bridge.rss_mb()
    links = [socket.create_connection(bridge.address, 20) for _ in range(150)]
    try:
        with ThreadPoolExecutor(30) as pool:
            list(pool.map(lambda link: link.sendall(post(path, size)), links))
            hook = {"session_id": "small", "hook_event_name": "Stop", "pad": "x" * 10_000}
            assert bridge.client.post("/hook/claude-code", json=hook).status_code == 204
            assert bridge.post({"session_id": "small", "state": "working"}).status_code == 200
            assert bridge.client.get("/healthz").json()["hooks"]["refused"] == 0
            assert bridge.rss_mb() - before < 120
            list(pool.map(lambda link: link.sendall(b" "), links))
        answers = Counter(link.recv(65536).split()[1] for link in links)
        refused = answers[b"503"] or bridge.client.get("/healthz").json()["hooks"]["refused"]
        assert refused > 50 and answers.keys() <= {b"204", b"400", b"503"}
        assert bridge.client.post(path, content=b" " * (size - 1)).status_code in (204, 400)
    finally:
        for link in links:
            link.close()


def test_readers_leave_room_for_who_has_something_to_say(bridge: Running) -> None:
    """Of 950 event readers those that are too many hear so at once; messages are taken."""
    links: list[socket.socket] = []
    refused = 0
    try:
        for _ in range(950):
            links.append(socket.create_connection(bridge.address, 10))
            links[-1].sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            head = links[-1].recv(12)
            refused += head == b"HTTP/1.1 503"
            assert head in (b"HTTP/1.1 200", b"HTTP/1.1 503")
        assert 350 <= refused < 950
        with httpx.Client(base_url=bridge.url, timeout=5) as other:
            assert other.post("/state", content=SMALL).status_code == 200
    finally:
        for link in links:
            link.close()
