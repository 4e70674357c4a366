"""The block that `aora hooks show` prints, run as the agent would run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from host_bridge import hooks
from host_bridge.adapter import Adapters
from host_bridge.cli import build
from tests.agents.catcher import Catcher

ADAPTERS = Adapters.load()
jq = pytest.mark.skipif(
    not (shutil.which("jq") and shutil.which("curl")), reason="needs jq and curl"
)
posix = pytest.mark.skipif(os.name != "posix", reason="runs a POSIX shell")


@pytest.fixture
def catcher():
    catcher = Catcher()
    yield catcher
    catcher.close()


def show(*words: str):
    return CliRunner().invoke(build(), ["hooks", "show", *words])


def handlers(agent: str, *words: str) -> dict[str, dict]:
    """Each event's only handler in what the command prints."""
    shown = show(agent, *words)
    assert shown.exit_code == 0
    block = json.loads(shown.stdout)
    entries = {event: entry[0] for event, entry in block["hooks"].items()}
    if agent == "cursor":
        assert block["version"] == 1
        return entries
    return {event: entry["hooks"][0] for event, entry in entries.items()}


@posix
@pytest.mark.parametrize(
    ("agent", "event", "reply"),
    [
        ("claude-code", "PermissionRequest", ""),
        ("claude-code", "UserPromptSubmit", ""),
        ("cursor", "preToolUse", "{}"),
        ("cursor", "beforeSubmitPrompt", '{"continue":true}'),
    ],
)
def test_the_printed_command_posts_the_event(catcher, agent, event, reply):
    line = handlers(agent)[event]["command"]
    body = json.dumps({"session_id": "s1", "hook_event_name": event}).encode()
    env = {"PATH": "/nowhere", "AORA_URL": catcher.url}
    done = subprocess.run(line, shell=True, input=body, capture_output=True, env=env, cwd="/")
    assert (done.returncode, done.stdout, done.stderr) == (0, reply.encode(), b"")
    caught = catcher.next()
    assert (caught.path, caught.body) == (f"/hook/{agent}", body)


@pytest.mark.parametrize("agent", ["claude-code", "cursor"])
def test_only_events_that_mean_something_and_short_timeouts(agent):
    rules = ADAPTERS.by_id[agent].rules
    for event, handler in handlers(agent).items():
        assert any(rule.means != "note" for rule in rules[event])
        assert handler["timeout"] == 2


def test_only_what_comes_while_it_writes_is_not_waited_for():
    entries = handlers("claude-code").items()
    assert [event for event, handler in entries if "async" in handler] == ["MessageDisplay"]
    assert "async" not in handlers("claude-code", "--http")["MessageDisplay"]


def test_nothing_that_fails_closed_is_hooked():
    assert not {"beforeMCPExecution", "beforeReadFile"} & set(handlers("cursor"))


def test_passive_events_need_no_process_and_a_permission_always_does(tmp_path, monkeypatch):
    monkeypatch.setenv("AORA_HOME", str(tmp_path))
    monkeypatch.delenv("AORA_URL", raising=False)
    monkeypatch.delenv("AORA_TOKEN", raising=False)
    entries = handlers("claude-code", "--http")
    kinds = {event: handler["type"] for event, handler in entries.items()}
    assert kinds["PostToolUse"] == "http"
    assert kinds["PermissionRequest"] == kinds["PreToolUse"] == kinds["Stop"] == "command"
    assert entries["PostToolUse"]["url"] == "http://127.0.0.1:27182/hook/claude-code"
    assert "headers" not in entries["PostToolUse"]
    assert show("cursor", "--http").exit_code == 1


def test_an_unknown_agent_is_said():
    shown = show("nobody")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "aora adapters" in shown.stderr


@posix
def test_paths_with_blanks_and_quotes(tmp_path):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    (folder / "say").write_text('#!/bin/sh\nprintf %s "$*"\n')
    (folder / "say").chmod(0o755)
    line = hooks.command([str(folder / "say"), "--say", '{"a":"b c"}'], windows=False)
    assert subprocess.run(line, shell=True, capture_output=True).stdout == b'--say {"a":"b c"}'


def test_a_windows_path_keeps_its_folders_in_every_shell():
    words = [r"C:\Program Files\Python\python.exe", "-I", "-S", r"C:\a b\report.py", "cursor"]
    line = hooks.command([*words, "--say", '{"continue":true}'], windows=True)
    assert line == (
        '"C:/Program Files/Python/python.exe" -I -S "C:/a b/report.py" cursor'
        ' --say "{\\"continue\\":true}"'
    )


def recipe(agent: str, event: str, body: bytes, tmp_path, **env: str):
    file = tmp_path / "aora-report"
    file.write_text(show(agent, "--sh").stdout)
    file.chmod(0o755)
    settings = {key: text for key, text in os.environ.items() if not key.startswith("AORA")}
    return subprocess.run([file, event], input=body, capture_output=True, env={**settings, **env})


@posix
@jq
@pytest.mark.parametrize(
    ("agent", "event", "fields", "reply"),
    [
        ("claude-code", "Stop", {"session_id": 's 1"\\'}, ""),
        ("cursor", "stop", {"conversation_id": 's 1"\\', "session_id": "other"}, "{}\n"),
        ("cursor", "beforeSubmitPrompt", {"session_id": 's 1"\\'}, '{"continue":true}\n'),
    ],
)
def test_the_shell_recipe(catcher, tmp_path, monkeypatch, agent, event, fields, reply):
    monkeypatch.setenv("AORA_URL", catcher.url)  # where the bridge is that runs now
    body = json.dumps(fields).encode()
    for env in ({}, {"AORA_TOKEN": "t 0"}):
        done = recipe(agent, event, body, tmp_path, **env)
        assert (done.returncode, done.stdout, done.stderr) == (0, reply.encode(), b"")
        caught = catcher.next()
        assert (caught.path, caught.headers.get("authorization", "")) == (
            "/state",
            "Bearer t 0" if env else "",
        )
        wanted = {"session_id": 's 1"\\', "agent_id": agent, "event": event}
        assert json.loads(caught.body) == wanted


@posix
@jq
@pytest.mark.parametrize("body", [b"", b"x", b"[]", b"{}", b'{"session_id":""}'])
@pytest.mark.parametrize(("agent", "reply"), [("claude-code", b""), ("cursor", b"{}\n")])
def test_the_shell_recipe_without_a_session_posts_nothing(catcher, tmp_path, agent, reply, body):
    done = recipe(agent, "x", body, tmp_path, AORA_URL=catcher.url)
    assert (done.returncode, done.stdout, done.stderr) == (0, reply, b"")
    assert catcher.nothing()


def test_what_is_printed_knows_the_bridges_url_and_token(tmp_path, monkeypatch):
    monkeypatch.setenv("AORA_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text('token = "from-config"')
    monkeypatch.setenv("AORA_URL", "http://127.0.0.1:4711")
    entry = handlers("claude-code", "--http")["PostToolUse"]
    assert entry["url"] == "http://127.0.0.1:4711/hook/claude-code"
    assert entry["headers"] == {"authorization": "Bearer from-config"}
    assert '"${AORA_URL:-http://127.0.0.1:4711}/state"' in show("cursor", "--sh").stdout
