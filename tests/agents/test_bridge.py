"""The reporter, the bridge and the face as they run on a person's desk."""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest

from host_bridge import hooks
from tests.agents.test_privacy import SECRETS, plant
from tests.agents.timeline import FOLDER
from tests.bridge.conftest import Running

SESSIONS = 16  # as many as the bridge keeps


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    running = Running(tmp_path_factory.mktemp("home"), "--no-device")
    yield running
    running.stop()


def report(bridge: Running, agent: str, payload: dict) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        hooks.report_words(agent),
        stdin=subprocess.PIPE,
        env={**os.environ, "AORA_URL": bridge.url},
    )
    assert process.stdin
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.close()
    return process


def wait_for(bridge: Running, known) -> dict[str, dict]:
    end = time.monotonic() + 10
    while True:
        rows = {row["session_id"]: row for row in bridge.client.get("/sessions").json()}
        if known(rows) or time.monotonic() > end:
            return rows
        time.sleep(0.02)


@pytest.mark.parametrize("size", [100, 60_000])
def test_no_report_is_lost_though_nobody_waits_for_the_answer(bridge, size):
    names = {f"{size}-{number}" for number in range(SESSIONS)}
    running = [
        report(
            bridge,
            "claude-code",
            {
                "session_id": name,
                "hook_event_name": "PreToolUse",
                "tool_name": "Write",
                "tool_input": {"file_path": "/x/cart.py", "content": "x" * size},
            },
        )
        for name in sorted(names)
    ]
    assert [process.wait(timeout=10) for process in running] == [0] * SESSIONS
    rows = wait_for(bridge, lambda rows: names <= set(rows))
    assert {(rows[name]["code"], rows[name]["tips"]) for name in names} == {
        ("43", "Editing cart.py")
    }


def test_the_recipes_event_in_place_of_an_agent(bridge):
    report(bridge, "UserPromptSubmit", {"session_id": "recipe"}).wait(timeout=10)
    assert "recipe" in wait_for(bridge, lambda rows: "recipe" in rows)


def test_time_alone_moves_a_session_on(bridge):
    ask = {"session_id": "asks", "hook_event_name": "PermissionRequest", "tool_name": "Bash"}
    report(bridge, "claude-code", ask).wait(timeout=10)
    rows = wait_for(bridge, lambda rows: rows.get("asks", {}).get("code") == "35")
    assert rows["asks"]["tips"] == "Allow?"


def test_planted_secrets_stay_inside(bridge):
    for name in ("claude-full-turn", "claude-permission-granted", "cursor-full-turn"):
        for line in (FOLDER / f"{name}.ndjson").read_text("utf-8").splitlines():
            step = json.loads(line)
            if "payload" in step:
                payload = plant(step["payload"])
                assert (
                    bridge.client.post(f"/hook/{step['agent']}", json=payload).status_code == 204
                )
    time.sleep(0.7)  # the log is written out
    said = "".join(bridge.client.get(p).text for p in ("/sessions", "/why", "/preview.svg"))
    with bridge.client.stream("GET", "/events") as events:
        said += next(events.iter_text())
    files = [p for p in (bridge.home / "state").iterdir() if p.is_file()]
    said += "".join(path.read_text("utf-8") for path in files)
    assert "Testing" in said or "curl" in said
    assert [secret for secret in SECRETS if secret in said] == []
