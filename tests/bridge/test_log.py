"""What the bridge keeps: whole after restarts and cuts, bounded, and played again as it was."""

from __future__ import annotations

import functools
import json
import os
import resource
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host_bridge.log import AGE_MS, RETRY_MS, SEGMENT_BYTES, TOTAL_BYTES
from tests.bridge.running import AORA, Running, until

Start = Callable[..., Running]
DAY_MS = 24 * 3_600_000
OPTIONS = {"min_display_ms": 900, "sticky_ms": 0, "slots": 16}


def kept(bridge: Running, *words: str) -> list[dict[str, Any]]:
    done = bridge.aora("log", *words)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def segment(home: Path, ago_ms: int, *lines: str | bytes, pad: int = 0) -> Path:
    """A segment of `ago_ms` ago, as a bridge of then left it, with so many bytes more."""
    (home / "state").mkdir(parents=True, exist_ok=True)
    path = home / "state" / f"messages-{int(time.time() * 1000) - ago_ms}.ndjson"
    data = b"".join(line.encode() if isinstance(line, str) else line for line in lines)
    path.write_bytes(data + b'{"at_ms":1,"session_id":"pad","aoraBotId":"32"}\n' * (pad // 48))
    then = time.time() - ago_ms / 1000
    os.utime(path, (then, then))
    return path


def line(session: str, at_ms: int = 0, tips: str = "") -> str:
    return f'{{"at_ms":{at_ms},"session_id":"{session}","aoraBotId":"32","tips":"{tips}"}}\n'


def test_it_is_private_and_begins_with_the_options(start: Start) -> None:
    bridge = start("--no-device")
    bridge.post({"session_id": "a", "state": "working"}, {"session_id": "a", "end": True})
    bridge.stop()
    logs = list((bridge.home / "state").glob("messages-*.ndjson"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in logs] == [0o600]
    options, first, last = kept(bridge)
    assert options == {"options": OPTIONS}
    assert first == {"at_ms": 0, "session_id": "a", "aoraBotId": "32"}
    assert last["end"] is True


@pytest.mark.parametrize("token", ["", "s3cret"])
def test_it_has_the_last_message_at_once(start: Start, token: str) -> None:
    bridge = start("--no-device", env={"AORA_TOKEN": token})
    for number in range(5):
        assert bridge.aora("send", "working", "--session", f"s{number}").returncode == 0
        assert kept(bridge)[-1]["session_id"] == f"s{number}"


def limit(bridge: Running, most: int) -> None:
    """From now on no file of the bridge grows over `most` bytes: its disk is full."""
    hard = resource.prlimit(bridge.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(bridge.process.pid, resource.RLIMIT_FSIZE, (most, hard))


def test_a_full_disk_costs_the_log_only(start: Start) -> None:
    """Said once each time that it fills up; everything else goes on, and the end is as ever."""
    bridge = start("--no-device")

    def write(session: str, count: int = 100) -> None:
        tips = "x" * 150
        bridge.post(*[{"session_id": session, "state": "working", "tips": tips}] * count)
        bridge.client.post("/log/flush")

    def logged(session: str) -> bool:
        write(session, 1)
        bridge.post({"session_id": session, "end": True})
        return session in [row.get("session_id") for row in kept(bridge)]

    for fill, most in (("first", 4096), ("second", 1)):
        limit(bridge, most)
        for _ in range(3):
            write(fill)
            time.sleep(RETRY_MS / 2000)
        assert bridge.face()["session_id"] == fill
        limit(bridge, resource.RLIM_INFINITY)
        until(functools.partial(logged, f"room after {fill}"))
    limit(bridge, 1)
    write("last")
    _, err = bridge.stop()
    assert bridge.process.returncode == 0
    assert err.count("\n") == 3 and err.count("not logged: ") == 3


def test_a_start_on_a_full_disk_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [AORA, "run", "--port", "0", "--no-device"],
        env={**os.environ, "AORA_HOME": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and str(tmp_path) in done.stderr


def test_any_caption_is_kept_on_its_line(start: Start) -> None:
    bridge = start("--no-device")
    captions = [f"a{chr(code)}b" for code in (0x0B, 0x0C, 0x1C, 0x1E, 0x85, 0x2028, 0x2029)]
    bridge.post(*({"session_id": "s", "state": "working", "tips": tips} for tips in captions))
    bridge.stop()
    _, *messages = kept(bridge)
    assert len(messages) == len(captions)
    assert all(row["tips"][0] + row["tips"][-1] == "ab" for row in messages)


@pytest.mark.parametrize(
    "cut", [b'{"at_', b'{"at_ms":12', b'{"at_ms":5,"session_id":"x","tips":"\xe2\x80', b"\0" * 9]
)
def test_a_line_that_was_cut_off_costs_no_other(start: Start, tmp_path: Path, cut: bytes) -> None:
    segment(tmp_path / "home", 60_000, line("before"), cut)
    bridge = start("--no-device")
    bridge.post({"session_id": "after", "state": "working"})
    bridge.stop()
    _, *messages = kept(bridge)
    assert [row["session_id"] for row in messages] == ["before", "after"]
    assert len(list((tmp_path / "home" / "state").glob("messages-*"))) == 1


def test_restarts_lose_nothing(start: Start) -> None:
    bridge = start("--no-device")
    for number in range(4):
        bridge.post({"session_id": f"s{number}", "state": "working"})
        bridge.stop()
        bridge = start("--no-device")
    options, *messages = kept(bridge)
    assert options == {"options": OPTIONS}
    assert [row["session_id"] for row in messages] == ["s0", "s1", "s2", "s3"]
    times = [row["at_ms"] for row in messages]
    assert times[0] == 0 and times == sorted(times)


def test_what_is_too_much_or_too_old_goes(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    expired = segment(home, AGE_MS + 2 * DAY_MS, line("expired"))
    for day in (5, 4, 3, 2):
        segment(home, day * DAY_MS, line(f"day{day}"), pad=SEGMENT_BYTES)
    bridge = start("--no-device")
    bridge.post({"session_id": "now", "state": "working"})
    bridge.stop()
    assert not expired.exists()
    paths = list((home / "state").glob("messages-*"))
    assert sum(path.stat().st_size for path in paths) <= TOTAL_BYTES
    names = [row["session_id"] for row in kept(bridge)[1:] if row["session_id"] != "pad"]
    assert names == ["day4", "day3", "day2", "now"][-len(names) :] and len(names) >= 3


def test_an_old_line_is_not_given_with_its_young_segment(start: Start, tmp_path: Path) -> None:
    path = segment(
        tmp_path / "home", AGE_MS + DAY_MS // 2, line("old"), line("young", 20 * 3_600_000)
    )
    path.touch()
    bridge = start("--no-device")
    bridge.post({"session_id": "now", "state": "working"})
    bridge.stop()
    assert [row["session_id"] for row in kept(bridge)[1:]] == ["young", "now"]
    assert [row["session_id"] for row in kept(bridge, "--last", "10m")[1:]] == ["now"]


def test_a_replay_has_the_board_s_settings(start: Start, tmp_path: Path) -> None:
    """With a board that keeps sessions in their place the replay shows what the board showed."""
    bridge = start("--virtual")
    until(
        lambda: [d for d in bridge.client.get("/healthz").json()["devices"] if d["link"] == "live"]
    )
    bridge.post({"session_id": "a", "state": "working"})
    time.sleep(1)
    bridge.post({"session_id": "b", "state": "working"})
    time.sleep(1)
    assert bridge.face()["session_id"] == "a"
    why = bridge.aora("why").stdout
    assert "keeps its place among equals" in why
    bridge.post({"session_id": "a", "end": True}, {"session_id": "b", "end": True})
    bridge.stop()
    options, *_ = kept(bridge)
    assert options["options"]["sticky_ms"] == 8000
    log = tmp_path / "it.ndjson"
    log.write_text(bridge.aora("log").stdout)
    done = subprocess.run([AORA, "replay", log], capture_output=True, text=True, timeout=30)
    faces = [json.loads(face)["session_id"] for face in done.stdout.split("\n") if face]
    assert (faces[0], faces[1], done.stderr) == ("a", "b", "")
