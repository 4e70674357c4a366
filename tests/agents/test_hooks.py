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


def test_passive_events_need_no_process_and_a_permission_always_does():
    entries = handlers("claude-code", "--http")
    kinds = {event: handler["type"] for event, handler in entries.items()}
    assert kinds["PostToolUse"] == "http"
    assert kinds["PermissionRequest"] == kinds["PreToolUse"] == kinds["Stop"] == "command"
    assert entries["PostToolUse"]["url"] == "http://127.0.0.1:27182/hook/claude-code"
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


@posix
@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs jq and curl")
def test_the_shell_recipe(catcher, tmp_path):
    recipe = tmp_path / "aora-report"
    recipe.write_text(show("claude-code", "--sh").stdout.replace(hooks.URL, catcher.url))
    recipe.chmod(0o755)
    body = json.dumps({"session_id": "s 1", "hook_event_name": "Stop"}).encode()
    done = subprocess.run([recipe, "Stop"], input=body, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    caught = catcher.next()
    assert caught.path == "/state"
    wanted = {"session_id": "s 1", "agent_id": "claude-code", "event": "Stop"}
    assert json.loads(caught.body) == wanted
