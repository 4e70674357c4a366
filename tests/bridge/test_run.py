"""`aora run` and the commands that talk to it, as a user types them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from host_bridge import cli
from host_bridge.wrapper import progress
from tests.bridge.running import AORA, Running, until

Start = Callable[..., Running]


def test_it_says_what_to_open_and_what_to_post(start: Start) -> None:
    bridge = start("--no-device")
    out, err = bridge.stop()
    assert f"open  {bridge.url}/" in out
    assert "stop  Ctrl-C" in out
    assert err == ""


@pytest.mark.parametrize("token", ["", "s3cret", 'it\'s a #1 & 100% "token" $HOME'])
def test_what_it_says_to_post_and_to_open_works(start: Start, token: str) -> None:
    bridge = start("--no-device", env={"AORA_TOKEN": token})
    assert bridge.process.stdout
    said = dict(bridge.process.stdout.readline().split(maxsplit=1) for _ in range(4))
    done = subprocess.run(
        said["post"], shell=True, env={"PATH": os.environ["PATH"]}, capture_output=True, timeout=20
    )
    assert json.loads(done.stdout)["accepted"] == 1
    page, _, given = said["open"].rstrip().partition("#token=")
    assert page == f"{bridge.url}/"
    answer = bridge.client.get("/sessions", params={"token": unquote(given)})
    assert [row["session_id"] for row in answer.json()] == ["me"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_quickly_and_cleanly(start: Start, number: int) -> None:
    bridge = start("--no-device")
    with socket.create_connection(bridge.address) as link:
        link.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        link.recv(100)
        before = time.monotonic()
        _, err = bridge.stop(number)
    assert time.monotonic() - before < 2
    assert (bridge.process.returncode, err) == (0, "")


def test_the_second_says_where_the_first_is(start: Start) -> None:
    bridge = start("--no-device")
    second = bridge.aora("run", "--port", "0", "--no-device")
    assert second.returncode == 1
    assert bridge.url in second.stderr and str(bridge.process.pid) in second.stderr


def test_a_killed_bridge_leaves_no_lock(start: Start) -> None:
    first = start("--no-device")
    first.process.kill()
    first.process.wait()
    second = start("--no-device")
    assert second.client.get("/healthz").json()["ok"]


def test_a_taken_port_is_said(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [AORA, "run", "--port", port, "--no-device"],
            capture_output=True,
            text=True,
            timeout=20,
        )
    assert done.returncode == 1
    assert "--port" in done.stderr


def test_other_addresses_need_a_token(start: Start, tmp_path: Path) -> None:
    done = subprocess.run(
        [AORA, "run", "--host", "0.0.0.0", "--port", "0", "--no-device"],
        env={**os.environ, "AORA_HOME": str(tmp_path / "other")},
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 1 and "AORA_TOKEN" in done.stderr


def test_with_a_token_nobody_else_gets_in(start: Start) -> None:
    bridge = start("--no-device", env={"AORA_TOKEN": "s3cret"})
    message = {"session_id": "t", "state": "working"}
    assert bridge.post(message).status_code == 401
    assert bridge.post(message, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert bridge.post(message, headers={"authorization": "Bearer s3cret"}).status_code == 200
    assert bridge.client.get("/sessions", params={"token": "s3cret"}).status_code == 200
    assert bridge.client.post("/hook/claude-code", json={}).content == b""
    assert bridge.client.get("/healthz").status_code == 200
    assert bridge.aora("send", "working").returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="its names are bytes")
def test_a_home_may_have_any_name(tmp_path: Path) -> None:
    bridge = Running(tmp_path / os.fsdecode(b"h\xff\xc3\xa9"), "--virtual")
    try:
        assert bridge.device() and bridge.client.get("/healthz").json()["devices"][0]
        bridge.post({"session_id": "s", "state": "working"})
        assert '"s"' in bridge.aora("log").stdout
    finally:
        assert bridge.stop()[1] == ""
    assert bridge.process.returncode == 0


def test_configured_origins_only(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('allow_origins = ["https://desk.example"]\n')
    bridge = start("--no-device")
    message = {"session_id": "o", "state": "working"}
    for origin, status in (("https://desk.example", 200), ("http://localhost:3000", 403)):
        assert bridge.post(message, headers={"origin": origin}).status_code == status


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("captions = [", ""),
        ('caption = "off"', "caption"),
        ('Captions = "off"', "Captions"),
        ("[session]\ndoubt_ms = 1", "session"),
        ('captions = "of"', "captions"),
        ("captions = false", "captions"),
        ('sessions = "quick"', "sessions"),
        ("[sessions]\ntool_failure = 11.0", "tool_failure"),
        ("[sessions]\ndoubt = 1", "doubt"),
        ("token = 1234", "token"),
        ('token = "line\\nbreak"', "token"),
        ('allow_origins = "https://desk.example"', "allow_origins"),
        ("allow_origins = [1]", "allow_origins"),
        (f"token = {'[' * 5000}{']' * 5000}", "nested too deep"),
        (None, ""),
    ],
)
def test_a_wrong_config_is_said_with_its_path(
    tmp_path: Path, text: str | None, named: str
) -> None:
    path = tmp_path / "config.toml"
    path.mkdir() if text is None else path.write_text(text)
    env = {**os.environ, "AORA_HOME": str(tmp_path), "AORA_URL": "http://127.0.0.1:9"}
    for words in (["run", "--port", "0", "--no-device"], ["why"]):
        done = subprocess.run([AORA, *words], env=env, capture_output=True, text=True, timeout=20)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("aora: ")
        assert (str(path) in done.stderr or "AORA_TOKEN" in done.stderr) and named in done.stderr


@pytest.mark.parametrize(
    ("words", "env", "status"),
    [
        (["run", "--port", "99999"], {}, 2),
        (["run", "--port", "-1"], {}, 2),
        (["run", "--no-device", "--port", "0"], {"AORA_HOME": __file__}, 1),
        (["run", "--no-device", "--port", "0"], {"AORA_HOME": f"{__file__}/below"}, 1),
        (["run", "--no-device", "--port", "0"], {"AORA_TOKEN": "a\nb"}, 1),
        (["why"], {"AORA_HOME": __file__}, 1),
        (["why"], {"AORA_URL": "http://127.0.0.1:99999"}, 1),
        (["why"], {"AORA_URL": "http://[::1"}, 1),
        (["why"], {"AORA_URL": "127.0.0.1:9"}, 1),
        (["why"], {"AORA_URL": "https://127.0.0.1:9"}, 1),
        (["why"], {"AORA_URL": f"http://{'a' * 70}.example:1"}, 1),
        (["send", "working"], {"AORA_URL": "http://[::1"}, 1),
        (["tail"], {"AORA_URL": "http://:1"}, 1),
        (["demo"], {"AORA_URL": "http://127.0.0.1:x"}, 1),
        (["why"], {"AORA_TOKEN": "a\nb"}, 1),
        (["why"], {"AORA_TOKEN": "\u20ac"}, 1),
        (["log", "--last", "\u00b2m"], {}, 2),
        (["log", "--last", "m"], {}, 2),
        (["demo", sys.executable], {}, 2),
        (["demo", __file__], {}, 2),
        (["wrap", "--", sys.executable, "-c", ""], {"AORA_URL": "http://[::1"}, 0),
        (["wrap", "--", sys.executable, "-c", ""], {"AORA_TOKEN": "a\nb"}, 0),
    ],
)
def test_plain_wrong_input_is_said(
    tmp_path: Path, words: list[str], env: dict[str, str], status: int
) -> None:
    full = {**os.environ, "AORA_HOME": str(tmp_path / "home"), **env}
    done = subprocess.run([AORA, *words], env=full, capture_output=True, text=True, timeout=20)
    assert done.returncode == status
    assert bool(done.stderr) == bool(status)
    assert "Traceback" not in done.stderr


def test_standard_input_is_a_door_too(start: Start) -> None:
    bridge = start("--no-device", "--stdin")
    assert bridge.process.stdin
    bridge.process.stdin.write('{"session_id":"in","state":"reading"}\nnonsense\n')
    bridge.process.stdin.flush()
    end = time.monotonic() + 5
    while bridge.face()["session_id"] != "in":
        assert time.monotonic() < end
    _, err = bridge.stop()
    assert "not JSON" in err


def test_a_flood_on_standard_input_has_to_wait(start: Start) -> None:
    """The bridge stays answering and small, and says nothing more when it is stopped."""
    bridge = start("--no-device", "--stdin")
    assert bridge.process.stdin
    flood = subprocess.Popen(
        ["yes", '{"session_id":"a","state":"working"}'], stdout=bridge.process.stdin
    )
    try:
        until(lambda: bridge.face()["session_id"] == "a")
        before = bridge.rss_mb()
        end = time.monotonic() + 3
        while time.monotonic() < end:
            assert bridge.client.get("/healthz", timeout=2).is_success
        assert bridge.rss_mb() - before < 20
        assert bridge.stop()[1] == ""
    finally:
        flood.kill()
        flood.wait()


def test_a_line_on_standard_input_has_a_body_s_limit(start: Start) -> None:
    bridge = start("--no-device", "--stdin")
    assert bridge.process.stdin
    before = bridge.rss_mb()
    head, tail = '{"session_id":"%s","state":"working","x":"', '"}\n'
    room = 256 * 1024 - len(head % "fits" + tail) + 1
    bridge.process.stdin.write(head % "fits" + "x" * room + tail)
    bridge.process.stdin.write(head % "long" + "x" * (room + 1) + tail)
    for _ in range(100):
        bridge.process.stdin.write("{" * 1_000_000)
    bridge.process.stdin.write('\n\n{"session_id":"next","state":"reading"}\n')
    bridge.process.stdin.flush()

    def sessions() -> set[str]:
        return {row["session_id"] for row in bridge.client.get("/sessions").json()}

    assert until(lambda: "next" in (known := sessions()) and known) == {"fits", "next"}
    assert bridge.rss_mb() - before < 20
    assert bridge.stop()[1] == "stdin: too long\n" * 2


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("line", ['{"session_id":"a","state":"working"}', "{", ""])
def test_an_open_standard_input_does_not_hold_the_bridge(
    start: Start, stop: signal.Signals, line: str
) -> None:
    """Whether a writer is silent, sends messages, or sends what nobody reads complaints about."""
    bridge = start("--no-device", "--stdin")
    assert bridge.process.stdin
    with contextlib.suppress(BlockingIOError):
        os.set_blocking(bridge.process.stdin.fileno(), False)
        while line:
            os.write(bridge.process.stdin.fileno(), f"{line}\n".encode() * 1000)
    bridge.process.send_signal(stop)
    assert bridge.process.wait(10) == 0


def test_standard_input_that_cannot_be_read_is_told(start: Start, tmp_path: Path) -> None:
    with open(tmp_path / "out", "w") as out:
        bridge = start("--no-device", "--stdin", stdin=out)
    assert bridge.client.get("/healthz").is_success
    assert bridge.stop()[1] == "stdin: Bad file descriptor; nothing more is read from it\n"


def test_send(start: Start) -> None:
    bridge = start("--no-device")
    done = bridge.aora("send", "32", "Editing", "--session", "s1", "--hud", "progress=0.4")
    assert (done.returncode, done.stderr) == (0, "")
    face = bridge.face()
    assert (face["code"], face["session_id"], face["tips"]) == ("32", "s1", "Editing")
    assert face["hud"] == {"kind": "progress", "value": 0.4}
    said = bridge.aora("send", "wroking").stderr
    assert "neither a code nor a state" in said and " celebrate, " in said
    assert bridge.aora("send", "working", "--hud", "progress=7").returncode != 0


def test_a_bridge_s_address_needs_no_scheme(start: Start) -> None:
    bridge = start("--no-device")
    where = bridge.url.removeprefix("http://")
    assert bridge.aora("send", "working", "--session", "plain").returncode == 0
    bridge.env["AORA_URL"] = where
    assert bridge.aora("send", "34", "--session", "plain").returncode == 0
    until(lambda: bridge.face()["code"] == "34")


def test_without_a_bridge_it_is_said_what_to_do(tmp_path: Path) -> None:
    env = {**os.environ, "AORA_HOME": str(tmp_path), "AORA_URL": "http://127.0.0.1:9"}
    for words in (["send", "working"], ["why"], ["tail"]):
        done = subprocess.run([AORA, *words], env=env, capture_output=True, text=True, timeout=20)
        assert done.returncode == 1
        assert "aora run" in done.stderr


def test_why_names_the_winner_and_the_rest(start: Start) -> None:
    bridge = start("--no-device")
    bridge.post({"session_id": "quiet", "state": "reading"})
    bridge.post({"session_id": "asks", "agent_id": "claude-code", "event": "PermissionRequest"})
    end = time.monotonic() + 5
    while bridge.face()["session_id"] != "asks":
        assert time.monotonic() < end
    text = bridge.aora("why").stdout
    assert text.startswith("35 listening  asks")
    assert "claude-code PermissionRequest" in text
    assert "behind it" in text and "quiet" in text


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "nobody is heard of"),
        ([("a", "reading", 0)], "highest priority, then newest"),
        ([("a", "celebrate", 0)], "an event has its moment"),
        ([("a", "alerting", 0)], "an event has its moment"),
        ([("a", "alerting", 2)], "holds until the session says something else"),
        ([("a", "reading", 0), ("b", "working", 0)], "stays until its least time is over"),
        ([("a", "reading", 1), ("b", "reading", 1)], "highest priority, then newest"),
    ],
)
def test_why_says_what_decided(
    start: Start, messages: list[tuple[str, str, float]], reason: str
) -> None:
    bridge = start("--no-device")
    for session, state, pause in messages:
        bridge.post({"session_id": session, "state": state})
        time.sleep(pause)
    assert bridge.client.get("/why").json()["reason"] == reason


def test_why_counts_from_the_start(start: Start) -> None:
    assert 0 <= start("--no-device").face()["since_ms"] < 30_000


def test_tail_follows(start: Start) -> None:
    bridge = start("--no-device")
    tail = subprocess.Popen([AORA, "tail"], env=bridge.env, stdout=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 10
        assert tail.stdout
        while time.monotonic() < end:
            bridge.post({"session_id": "t", "state": "working", "tips": "x"})
            time.sleep(0.1)
            if len(bridge.client.get("/sessions").json()) and tail.poll() is None:
                break
        bridge.post({"session_id": "t", "state": "alerting", "tips": "y"})
        while "34 alerting" not in (line := tail.stdout.readline()):
            assert line and time.monotonic() < end
    finally:
        tail.kill()
        tail.wait()


def wrapped(bridge: Running, script: str) -> subprocess.CompletedProcess[str]:
    return bridge.aora("wrap", "--session", "w", "--", sys.executable, "-c", script)


def test_wrap_passes_everything_through(start: Start) -> None:
    bridge = start("--no-device")
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(int(input()))"
    words = ["wrap", "--session", "w", "--", sys.executable, "-c", script]
    done = bridge.aora(*words, input="7\n")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 7)
    row = next(r for r in bridge.client.get("/sessions").json() if r["session_id"] == "w")
    assert (row["code"], row["tips"][-7:]) == ("34", ": exit 7"[-7:])


def test_wrap_shows_progress_and_the_end(start: Start) -> None:
    bridge = start("--no-device")
    script = "import time\nfor i in range(5): print(f'[{i}/4]', flush=True); time.sleep(.3)"
    assert wrapped(bridge, script).returncode == 0
    codes = [json.loads(line)["aoraBotId"] for line in bridge.aora("log").stdout.splitlines()[1:]]
    assert codes[0] == "32" and "47" in codes and codes[-1] == "33"


def test_wrap_without_a_bridge_changes_nothing(tmp_path: Path) -> None:
    env = {**os.environ, "AORA_HOME": str(tmp_path), "AORA_URL": "http://127.0.0.1:9"}
    words = [AORA, "wrap", "--", "sh", "-c", "echo hi; exit 4"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr, done.returncode) == ("hi\n", "", 4)
    done = subprocess.run(
        [AORA, "wrap", "no-such-command"], env=env, capture_output=True, text=True
    )
    assert done.returncode == 127 and "no-such-command" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_wrap_gives_the_command_a_terminal_if_there_is_one(start: Start) -> None:
    import pty

    bridge = start("--no-device")
    outer, inner = pty.openpty()
    script = "import sys; print([s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr)])"
    words = [AORA, "wrap", "--", sys.executable, "-c", script]
    done = subprocess.run(
        words, env=bridge.env, stdin=inner, stdout=inner, stderr=inner, timeout=20
    )
    os.close(inner)
    assert done.returncode == 0
    assert b"[True, True, True]" in os.read(outer, 1000)
    os.close(outer)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        (b"[3/10] building", 0.3),
        (b"\x1b[2K 45% |####   |\r 46% |####  |", 0.46),
        (b"12 / 48 files\n", 0.25),
        (b"tests/test_a.py ....   [ 50%]\n", 0.5),
        (b"100%", 1.0),
        (b"2026/11/30 08:00 ok", None),
        (b"usr/1/2 and 5/3 and 130 %", None),
        (b"nothing", None),
    ],
)
def test_progress_is_found(text: bytes, share: float | None) -> None:
    assert progress(text) == share


@pytest.mark.parametrize(
    ("words", "full"),
    [
        (["run", "--virtual"], ["run", "--virtual=micropython"]),
        (["run", "--virtual", "--port", "1"], ["run", "--virtual=micropython", "--port", "1"]),
        (["run", "--virtual", "displayio"], ["run", "--virtual", "displayio"]),
        (["run", "--virtual=displayio"], ["run", "--virtual=displayio"]),
        (["wrap", "--", "x", "--virtual"], ["wrap", "--", "x", "--virtual"]),
    ],
)
def test_virtual_needs_no_value(words: list[str], full: list[str]) -> None:
    assert cli.with_values(words) == full


def test_options_that_exclude_each_other(start: Start) -> None:
    done = subprocess.run(
        [AORA, "run", "--virtual", "--no-device"], capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 2 and "choose one" in done.stderr


def test_help_names_the_commands() -> None:
    done = subprocess.run([AORA, "--help"], capture_output=True, text=True, timeout=20)
    for word in ("run", "send", "tail", "wrap", "why", "log", "demo"):
        assert f" {word} " in done.stdout


def test_the_demo_plays_on_the_bridge_that_runs(start: Start) -> None:
    bridge = start("--no-device")
    done = bridge.aora("demo", "--once", "--speed", "100")
    assert (done.returncode, done.stderr) == (0, "")
    assert bridge.url in done.stdout and "Ctrl-C" in done.stdout
    lines = [json.loads(line) for line in bridge.aora("log").stdout.splitlines()]
    assert {"33", "34", "35", "38", "47"} <= {line.get("aoraBotId") for line in lines}
    assert bridge.client.get("/sessions").json() == []


def test_a_users_own_adapter_is_known_to_state_and_hook(start: Start, tmp_path: Path) -> None:
    adapters = tmp_path / "home" / "adapters"
    adapters.mkdir(parents=True)
    (adapters / "mine.toml").write_text(
        'id = "mine"\nname = "Mine"\n[fields]\nevent = "what"\nsession = "who"\n'
        '[[rule]]\nevent = "began"\nmeans = "tool"\ncode = "44"\n'
    )
    (adapters / "broken.toml").write_text("id = ")
    bridge = start("--no-device")
    assert bridge.post({"session_id": "m", "agent_id": "mine", "event": "began"}).is_success
    assert bridge.face()["code"] == "44"
    answer = bridge.post({"session_id": "m", "agent_id": "mine", "event": "else"})
    assert answer.json()["errors"][0]["error"].startswith("unknown")
    bridge.client.post("/hook/mine", json={"who": "h", "what": "began"})
    assert "h" in [row["session_id"] for row in bridge.client.get("/sessions").json()]
    _, err = bridge.stop()
    assert "broken.toml" in err


def test_a_board_drawn_by_displayio(start: Start) -> None:
    """Where there is no MicroPython: the same firmware, live, acknowledged and seen."""
    bridge = start("--virtual=displayio")

    def live() -> dict[str, Any] | None:
        found = bridge.client.get("/healthz").json()["devices"]
        return found[0] if found and found[0]["link"] == "live" else None

    device = until(live)
    assert device["port"].startswith("socket://") and device["board"] == "pico-generic"

    def picture() -> bytes:
        return bridge.client.get(f"/devices/{device['id']}/picture.png").content

    bridge.post({"session_id": "s1", "aoraBotId": "43"})
    before = picture()
    bridge.post({"session_id": "s1", "aoraBotId": "34"})
    assert until(lambda: picture() != before)


@pytest.mark.parametrize("kind", ["micropython", "displayio"])
def test_a_virtual_board_without_a_home_is_said_in_a_line(tmp_path: Path, kind: str) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "virtual").write_text("in the way")
    (state / "virtual-displayio").write_text("in the way")
    env = {**os.environ, "AORA_HOME": str(tmp_path)}
    words = [AORA, "run", f"--virtual={kind}", "--port", "0"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and "/virtual" in done.stderr


@pytest.mark.parametrize("change", ["colour=pink", "rotation=180", "shape=screen"])
def test_settings_of_a_board_drawn_by_displayio_take_effect(start: Start, change: str) -> None:
    bridge = start("--virtual=displayio")
    url = "/devices/displayio-pico-generic/picture.png"

    def picture() -> bytes:
        answer = bridge.client.get(url)
        return answer.content if answer.is_success else b""

    bridge.post({"session_id": "s1", "state": "alerting"})  # soon still
    until(lambda: bridge.face()["code"] == "34" and picture())
    before = {until(picture) for _ in range(20)}
    assert bridge.aora("set", change).returncode == 0
    until(lambda: bridge.device()["link"] == "live" and picture() not in before)


def test_displayio_starts_boards_with_any_button_and_one_at_a_time(start: Start) -> None:
    bridge = start("--virtual=displayio", "--board", "rp2040-lcd-1.28")
    until(lambda: bridge.device()["link"] == "live")
    assert bridge.client.post("/devices/displayio-rp2040-lcd-1.28/press/a").is_success
    out, err = bridge.stop()
    assert "WARNING" not in out + err
    done = bridge.aora("run", "--virtual=displayio", "--board", "pico-generic", "--board", "x")
    assert done.returncode == 1 and "one board" in done.stderr


def test_a_port_without_permission_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line to type is in the message, and the file that it names is there."""
    import serial

    from host_bridge.links.serial import open_serial

    def refuse(port: serial.Serial) -> None:
        raise serial.SerialException(13, "Permission denied")

    monkeypatch.setattr(serial.Serial, "open", refuse)
    with pytest.raises(OSError, match="udev") as failure:
        open_serial("/dev/ttyACM9")
    rule = next(w for w in str(failure.value).split() if w.endswith(".rules"))
    assert "uaccess" in Path(rule).read_text()
