"""What `aora wrap` tells of a command: its name, never its arguments."""

from __future__ import annotations

import json
import sys

import pytest

from tests.bridge.running import Running

SECRET = "hunter2-correct-horse"


@pytest.mark.parametrize(
    ("config", "tips"),
    [
        ("", ["python", "python", "python: exit 3"]),
        ('captions = "full"', ["python", "python", "python: exit 3"]),
        ('captions = "off"', [None, None, None]),
    ],
)
def test_no_argument_of_a_wrapped_command_is_told(tmp_path, config, tips):
    (tmp_path / "config.toml").write_text(config)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.symlink_to(sys.executable)
    bridge = Running(tmp_path, "--no-device")
    try:
        script = "print('1/2', flush=True); import time; time.sleep(1); raise SystemExit(3)"
        done = bridge.aora("wrap", "--", str(python), "-c", script, f"--password={SECRET}")
        assert done.returncode == 3
        why, sessions = bridge.client.get("/why").text, bridge.client.get("/sessions").text
    finally:
        bridge.stop()
    log = bridge.aora("log").stdout
    said = [json.loads(line) for line in log.splitlines() if "aoraBotId" in line]
    assert [line["aoraBotId"] for line in said] == ["32", "47", "34"]
    assert [line.get("tips") for line in said] == tips
    for text in (log, why, sessions):
        assert SECRET not in text and "print" not in text and str(tmp_path) not in text


def test_a_command_without_a_plain_name_has_no_caption(tmp_path):
    bridge = Running(tmp_path, "--no-device")
    try:
        bridge.aora("wrap", "--", f"/no where/{SECRET} x", "--now")
    finally:
        bridge.stop()
    said = bridge.aora("log").stdout
    assert '"tips":"exit 127"' in said and SECRET not in said
