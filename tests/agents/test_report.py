"""The reporter as an agent runs it: one process, and whatever happens, no harm to the agent."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from host_bridge import report
from tests.agents.catcher import Catcher

REPORT = [sys.executable, "-I", "-S", str(Path(report.__file__).resolve())]
SOON_S = 2.0  # generous for a busy machine; the limit itself is a quarter of a second
PAYLOAD = {"session_id": "s1", "hook_event_name": "Stop", "text": 'a "quoted" } \\ brace {'}
WHOLE = json.dumps(PAYLOAD).encode()
posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX system's terminals and files")


@pytest.fixture
def catcher():
    catcher = Catcher()
    yield catcher
    catcher.close()


def start(*words: str, url: str, stdin=subprocess.PIPE, **env: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*REPORT, *words],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "AORA_URL": url, **env},
    )


def finish(process: subprocess.Popen[bytes], body: bytes | None = b"") -> bytes:
    """What it printed; it exits 0, soon, and says nothing on standard error."""
    if body is not None and process.stdin:
        try:
            process.stdin.write(body)
            process.stdin.close()
        except BrokenPipeError:
            pass
    began = time.monotonic()
    assert process.wait(timeout=10) == 0
    assert time.monotonic() - began < SOON_S
    assert process.stdout and process.stderr
    with process.stdout as out, process.stderr as err:
        printed, complained = out.read(), err.read()
    if process.stdin:
        process.stdin.close()
    assert complained == b""
    return printed


@pytest.mark.parametrize(
    "body",
    [
        WHOLE,
        b"\xef\xbb\xbf" + WHOLE,
        WHOLE + b"\r\n",
        b"\r\n" + json.dumps(PAYLOAD, indent=2).replace("\n", "\r\n").encode() + b"\r\n",
    ],
    ids=["plain", "byte order mark", "CR LF", "indented"],
)
def test_it_posts_what_it_gets_and_prints_nothing(catcher, body):
    assert finish(start("cursor", url=catcher.url), body) == b""
    caught = catcher.next()
    assert caught.path == "/hook/cursor"
    assert json.loads(caught.body) == PAYLOAD


@pytest.mark.parametrize("size", [2_000, 60_000, 2_000_000])
def test_payloads_of_any_size_arrive_whole(catcher, size):
    payload = {"session_id": "s1", "content": '{"a": "b\\"}' * (size // 12)}
    finish(start("claude-code", url=catcher.url), json.dumps(payload).encode())
    assert json.loads(catcher.next().body) == payload


@pytest.mark.parametrize("size", [0, 60_000])
def test_a_pipe_that_never_closes_is_not_waited_for(catcher, size):
    process = start("claude-code", url=catcher.url)
    assert process.stdin
    payload = {**PAYLOAD, "more": "}" * size}
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.flush()
    assert json.loads(catcher.next().body) == payload
    finish(process, None)


@pytest.mark.parametrize("part", [b"", WHOLE[:-1], b'{"a":"}', b'{"a":{}', b"[1]", b"junk"])
def test_what_is_not_whole_is_not_sent(catcher, part):
    process = start("claude-code", url=catcher.url)
    assert process.stdin
    process.stdin.write(part)
    process.stdin.flush()
    finish(process, None)
    finish(start("claude-code", url=catcher.url), part)
    assert catcher.nothing()


def test_too_much_is_read_and_not_sent(catcher):
    finish(start("claude-code", url=catcher.url), b'{"a":"' + b"x" * (5 << 20) + b'"}')
    assert catcher.nothing()


@posix
def test_a_terminal_is_no_input(catcher):
    import pty

    outer, inner = pty.openpty()
    finish(start("claude-code", url=catcher.url, stdin=inner), None)
    os.close(outer)
    os.close(inner)
    assert catcher.nothing()


@posix
def test_a_closed_standard_input(catcher):
    words = " ".join(REPORT)
    done = subprocess.run(["sh", "-c", f"exec {words} claude-code <&-"], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_reply_is_printed_even_without_a_bridge(catcher):
    reply = '{"continue":true}'
    assert finish(start("cursor", "--say", reply, url=catcher.url), WHOLE) == reply.encode()
    catcher.next()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
        assert finish(start("cursor", "--say", reply, url=nobody), WHOLE) == reply.encode()


@posix
@pytest.mark.parametrize("output", [">&-", ">/dev/full", "| :", "1<&0"])
def test_an_event_is_sent_though_the_reply_cannot_be_written(catcher, output):
    if output == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    words = f"{shlex.join(REPORT)} cursor --say '{{}}'"
    script = f"{{ sleep 0.2; {words}; echo $? >&2; }} {output}"
    env = {**os.environ, "AORA_URL": catcher.url}
    done = subprocess.run(["sh", "-c", script], input=WHOLE, capture_output=True, env=env)
    assert (done.stdout, done.stderr) == (b"", b"0\n")
    assert json.loads(catcher.next().body) == PAYLOAD


def test_a_mute_bridge_is_not_waited_for():
    with socket.create_server(("127.0.0.1", 0), backlog=1) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        big = json.dumps({"session_id": "s", "x": "y" * 3_500_000}).encode()
        assert finish(start("cursor", "--say", "{}", url=url), big) == b"{}"
        assert finish(start("cursor", "--wait", url=url), WHOLE) == b""


@pytest.mark.parametrize("url", ["", "nonsense", "http://[::1]:1", "https:"])
def test_any_address_is_harmless(url):
    finish(start("claude-code", url=url), WHOLE)


@pytest.mark.parametrize(
    "url", ["http://{}", "http://{}/", "{}", "{}/", "{}:27182", "http://{}:27182/x", "//{}"]
)
def test_an_address_without_a_scheme_or_a_port_is_the_bridge_s(url):
    host = "127.0.0.9"  # no user's own bridge is there
    try:
        listener = socket.create_server((host, 27182))
    except OSError:
        pytest.skip("127.0.0.1 is this system's only loopback address")
    with listener:
        finish(start("cursor", url=url.format(host)), WHOLE)
        listener.settimeout(10)
        link, _ = listener.accept()
        with link, link.makefile("rb") as sent:
            head, _, body = sent.read().partition(b"\r\n\r\n")
    assert head.startswith(b"POST /hook/cursor HTTP/1.1\r\nHost: 127.0.0.9")
    assert json.loads(body) == PAYLOAD


@pytest.mark.parametrize("url", ["localhost:{}", "http://localhost:{}", "127.0.0.1:{}/"])
def test_a_port_that_is_given_is_taken(catcher, url):
    finish(start("cursor", url=url.format(catcher.port)), WHOLE)
    assert json.loads(catcher.next().body) == PAYLOAD


def test_no_words_at_all_are_harmless(catcher):
    finish(start(url=catcher.url), WHOLE)


def test_the_payload_may_be_an_argument(catcher):
    text = json.dumps({"session_id": "s1", "x": "ä"}, ensure_ascii=False)
    finish(start("codex", "--wait", text, url=catcher.url, stdin=subprocess.DEVNULL), None)
    assert catcher.next().body == text.encode()


def test_it_says_who_it_is(catcher):
    finish(start("claude-code", url=catcher.url, AORA_TOKEN="t0ken"), WHOLE)
    headers = catcher.next().headers
    assert headers["authorization"] == "Bearer t0ken"
    assert headers["x-aora-pid"] == str(os.getpid())
    assert headers["content-type"] == "application/json"
    assert "x-aora-tty" in headers


def test_it_imports_nothing_but_the_socket():
    imported = [_imported(words) for words in (["-c", "pass"], [REPORT[-1], "x"])]
    assert imported[1] - imported[0] <= {"_socket"}


def _imported(words: list[str]) -> set[str]:
    run = [sys.executable, "-I", "-S", "-X", "importtime", *words]
    done = subprocess.run(run, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return set(re.findall(r"\| +(\S+)$", done.stderr, re.M)) - set(sys.builtin_module_names)


@pytest.mark.skipif(not shutil.which("aora-report", path=Path(sys.executable).parent), reason="")
def test_the_console_script_is_the_same(catcher):
    script = str(Path(sys.executable).with_name("aora-report"))
    env = {**os.environ, "AORA_URL": catcher.url}
    done = subprocess.run(
        [script, "cursor", "--say", "{}"], input=WHOLE, capture_output=True, env=env
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")
    assert json.loads(catcher.next().body) == PAYLOAD
