"""Adapters as data: what is packaged, a user's own, and what is wrong with a file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from aora.adapters import ADAPTERS as PLAIN
from host_bridge import hooks, shell
from host_bridge.adapter import Adapter, Adapters, check
from host_bridge.cli import build
from host_bridge.sessions import Sessions
from host_bridge.tables import adapter_files, parse
from tests.agents.timeline import ADAPTERS

PACKAGED = list(ADAPTERS.by_id.values())

HEAD = """id = "mine"
name = "Mine"
[fields]
event = "type"
session = ["run.id", "id"]
tool = "tool.name"
"""


def write(folder, text):
    (folder / "adapters").mkdir(exist_ok=True)
    (folder / "adapters" / "mine.toml").write_text(HEAD + text)
    return Adapters.load(folder)


def test_a_users_own_adapter(tmp_path):
    text = """
[[rule]]
event = ["step", "leap"]
when = { kind = ["think", { starts = "deep" }], depth = { present = true } }
unless = { quiet = true }
means = "work"
code = "37"

[[rule]]
event = "step"
means = "tool"
"""
    adapters = write(tmp_path, text)
    step = {"type": "step", "run": {"id": 7}, "tool": {"name": "grep"}}
    codes = [
        adapters.read("mine", {**step, **extra})
        for extra in (
            {},
            {"kind": "think", "depth": 1},
            {"kind": "deeper", "depth": 1},
            {"kind": "think"},
            {"kind": "think", "depth": 1, "quiet": True},
            {"kind": ["think"], "depth": 1},
        )
    ]
    assert [signal and signal.code for signal in codes] == [40, 37, 37, 40, 40, 40]
    assert codes[0] and codes[0].session == "7"
    assert adapters.plain("mine", "step") == "32"
    assert adapters.plain("mine", "hop") is None
    assert adapters.plain("nobody", "step") is None


def test_a_users_adapter_wins_and_a_broken_one_is_left_out(tmp_path):
    folder = tmp_path / "adapters"
    folder.mkdir()
    rule = '[[rule]]\nevent = "Stop"\nmeans = "work"\ncode = "39"\n'
    (folder / "a.toml").write_text(HEAD.replace('"mine"', '"claude-code"') + rule)
    (folder / "b.toml").write_text("id = 3")
    (folder / "c.toml").write_text(HEAD + RULE + "when = 3")
    adapters = Adapters.load(tmp_path)
    assert adapters.plain("claude-code", "Stop") == "39"
    assert "cursor" in adapters.by_id
    assert [name for name in "bc" if f"{name}.toml" in "".join(adapters.broken)] == ["b", "c"]


@pytest.mark.parametrize("agent", sorted(PLAIN))
def test_the_documents_events_are_all_understood(agent):
    for event, code in PLAIN[agent].items():
        known = Adapters.load().plain(agent, event)
        assert known is not None, event
        if (agent, event) not in {
            ("claude-code", "SubagentStart"),  # a session of its own here
            ("claude-code", "SubagentStop"),
            ("cursor", "shellCommand"),
        }:
            assert known == code, event


def test_the_packaged_files_are_right():
    for path in adapter_files(None):
        assert check(path.read_text("utf-8")) == []


HOOKS = '[hooks]\nfile = "f"\nshape = "flat"\ntimeout = 2\n'
BACKGROUND = '[background]\nlist = "jobs"\nstatus = ["x"]\nwork = ["x"]\n'
OVER = '[hand_over]\nwhen = { a = 1 }\nto = "cursor"\n'
RULE = '[[rule]]\nevent = "a"\nmeans = "work"\n'


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        (HEAD + 'x = [1,\n[[rule]]\nevent = "a"', 8, "line 8"),
        (HEAD + RULE + 'code = "300"\n', 10, "code"),
        (HEAD + RULE + "code = 30\n", 10, "code"),
        (HEAD + RULE + RULE.replace("work", "wrok"), 12, "means"),
        (HEAD + RULE + 'tips = "{prompt}"\n', 10, "{prompt}"),
        (HEAD + RULE + "when = { a = { near = 1 } }\n", 10, "condition"),
        (HEAD + RULE + "color = 1\n", 10, "color"),
        (HEAD + '[[rule]]\nmeans = "work"\n', 7, "event"),
        (HEAD.replace("tool =", "toll ="), 6, "toll"),
        (HEAD.replace('event = "type"\n', "") + RULE, 3, "event"),
        (HEAD.replace('name = "Mine"\n', ""), 1, "name"),
        (HEAD + HOOKS + 'events = ["b"]\n' + RULE, 11, "rule for the event b"),
        (HEAD + RULE + HOOKS + 'events = ["b"]\n', 14, "rule for the event b"),
        (HEAD + RULE + HOOKS + 'events = ["a"]\nasync = ["b"]\n', 15, "rule for the event b"),
        (HEAD + RULE + HOOKS.replace("timeout = 2\n", 'events = ["a"]\n'), 10, "wants timeout"),
        (HEAD + RULE + HOOKS.replace("2", '"2"'), 13, "whole number"),
        (HEAD + RULE + HOOKS.replace("flat", "round"), 12, '"nested" or "flat"'),
        (HEAD + RULE + HOOKS + 'events = ["a"]\nanswers = { a = 1 }\n', 15, "table of texts"),
        (HEAD + RULE + HOOKS + 'events = ["a"]\n[hooks.answers]\na = 1\n', 15, "of texts"),
        (HEAD + RULE + HOOKS + 'events = ["a"]\ncolour = 1\n', 15, "hooks has no colour"),
        (HEAD + "[parent]\n" + RULE, 7, "wants folder"),
        (HEAD + "[parent]\nfolder = 3\n" + RULE, 8, "folder is a text"),
        (HEAD + "[[parent]]\n" + RULE, 7, "parent is a table"),
        (HEAD + "[names]\nx = 'a'\na = [5]\n" + RULE, 9, "a is a text"),
        (HEAD + BACKGROUND.replace('["x"]', "[]", 1) + RULE, 9, "one at least"),
        (HEAD + BACKGROUND.replace('"jobs"', "5") + RULE, 8, "list is a text"),
        (HEAD + BACKGROUND.replace('work = ["x"]\n', "") + RULE, 7, "wants work"),
        (HEAD + OVER.replace('"cursor"', "[1]") + RULE, 9, "to is a text"),
        (HEAD + OVER.replace("cursor", "curser") + RULE, 9, "no adapter curser"),
        (HEAD + OVER.replace("{ a = 1 }", "5") + RULE, 8, "when is a table"),
        (HEAD + OVER.replace("{ a = 1 }", "{ a = {} }") + RULE, 8, "condition"),
        (HEAD + RULE + 'code = "99"\n', 10, "state"),
        (HEAD + RULE + 'late = "yes"\n', 10, "true or false"),
        (HEAD + RULE + "when = 5\n", 10, "when is a table"),
        (HEAD + RULE + "[rule.when]\na = {}\n", 10, "condition"),
        (HEAD + RULE + "when = { a = 1 }\nunless = { a = {} }\n", 11, "condition"),
        (HEAD + RULE + "context = 5\n", 10, "context is a text"),
        (HEAD + RULE + "tips = 5\n", 10, "tips is a text"),
        (HEAD + RULE.replace('"a"', '["a", 1]'), 8, "event is a name"),
        (HEAD + RULE.replace('"a"', "[]"), 8, "event is a name"),
        (HEAD + RULE + RULE + "means.x = 1\n", 13, ""),
        (HEAD + "[rule]\na = 1\n", 7, "rule is a list of tables"),
        ("rule = 3\n" + HEAD, 1, "rule is a list of tables"),
        (HEAD.replace("[fields]", "[fields]\nfinal = ['a']") + RULE, 4, "final is a text"),
    ],
)
def test_a_wrong_file_is_told_by_line(tmp_path, text, line, word):
    problems = check(text)
    assert len(problems) == 1 and word in problems[0][1]
    file = tmp_path / "x.toml"
    file.write_text(text)
    done = CliRunner().invoke(build(), ["adapters", "check", str(file)])
    assert done.exit_code == 1
    assert f"{file}:{line}: " in done.stderr


def test_each_table_by_itself_is_right():
    for table in ("", BACKGROUND, OVER, HOOKS + 'events = ["a"]\n', "[parent]\nfolder = 'x'\n"):
        assert check(HEAD + table + RULE + 'code = "02"\n') == []


DEEP = "[" * 5000 + "]" * 5000
TABLES = "{ a = " * 5000 + "1" + " }" * 5000


@pytest.mark.parametrize(
    "text", [f"when = {{ a = {DEEP} }}", f"x = {TABLES}", f"x = {DEEP[:5000]}"]
)
def test_what_is_nested_too_deep_is_told_in_one_line(monkeypatch, tmp_path, text):
    monkeypatch.setenv("AORA_HOME", str(tmp_path))
    adapters = write(tmp_path, RULE + text)
    assert len(adapters.broken) == 1 and "mine.toml" in adapters.broken[0]
    assert "nested" in adapters.broken[0] and "claude-code" in adapters.by_id
    file = tmp_path / "adapters" / "mine.toml"
    done = CliRunner().invoke(build(), ["adapters", "check", str(file)])
    assert done.exit_code == 1
    assert done.stderr.startswith(f"{file}:") and done.stderr.count("\n") == 1


VALUES = st.sampled_from(["3", '"x"', "[]", "{}", "[1]", "{ a = 1 }", "true", "", "["])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(adapter_files(None)), st.integers(0, 200), VALUES)
def test_no_file_is_too_wrong_to_check(path, number, value):
    lines = path.read_text("utf-8").splitlines()
    number %= len(lines)
    key, equals, _ = lines[number].partition("=")
    lines[number] = f"{key}={value}" if equals else value
    text = "\n".join(lines)
    problems = check(text)
    for line, problem in problems:
        assert 1 <= line <= len(lines) + 1 and problem
    if not problems:
        use(Adapter(parse(text)))


def use(adapter: Adapter) -> None:
    """Nothing that is called right breaks later."""
    if adapter.hooks:
        hooks.block_text(adapter, http=True)
        hooks.sh_text(adapter)
    payload = {
        "session_id": "s",
        "conversation_id": "s",
        "cursor_version": "1",
        "status": "error",
        "background_tasks": [{"type": "shell"}, 3],
        "transcript_path": "/x/p/subagents/s.jsonl",
    }
    sessions = Sessions(lambda message: None, adapters=Adapters([*PACKAGED, adapter]))
    for event in adapter.rules:
        adapter.plain(event)
        sessions.hook(adapter.id, {**payload, "hook_event_name": event}, {})


def test_the_command_lists_shows_and_checks(monkeypatch, tmp_path):
    monkeypatch.setenv("AORA_HOME", str(tmp_path))
    write(tmp_path, RULE + 'code = "30"\n')

    def run(*words):
        return CliRunner().invoke(build(), ["adapters", *words])

    assert {line.split()[0] for line in run().stdout.splitlines()} == {
        "claude-code",
        "cursor",
        "mine",
    }
    assert "30  work" in run("mine").stdout
    assert run("nobody").exit_code == 1
    assert run("check", str(tmp_path / "adapters" / "mine.toml")).exit_code == 0
    assert run("check", str(tmp_path / "none.toml")).exit_code == 1
    alone = run("check")
    assert alone.exit_code == 2 and "aora adapters check FILE" in alone.stderr
    over = tmp_path / "over.toml"
    over.write_text(HEAD.replace('"mine"', '"other"') + OVER.replace("cursor", "mine") + RULE)
    assert run("check", str(over)).exit_code == 0


@pytest.mark.parametrize(
    ("command", "code", "word"),
    [
        ("ls -la", 44, "ls"),
        ("cd src && python -m pytest -x", 45, "pytest"),
        ("CI=1 sudo npm test -- --watch", 45, "npm"),
        ("npm run test:unit", 44, "npm"),
        ("npm install left-pad", 49, "npm"),
        ("/usr/bin/git status", 49, "git"),
        (r"C:\tools\git.exe push", 44, "git.exe"),
        ("docker build . && docker push x", 49, "docker"),
        ("docker run x", 44, "docker"),
        ("./gradlew test", 45, "gradlew"),
        ("uv run pytest", 45, "pytest"),
        ("go test ./...", 45, "go"),
        ("make -j4 | tee log; cargo test", 45, "cargo"),
        ("echo 'git push'", 44, "echo"),
        ("$(curl https://x.y/?k=v)", 44, ""),
        ("", 44, ""),
        ("&& ; |", 44, ""),
    ],
)
def test_the_second_look_at_a_command(command, code, word):
    assert shell.look(command) == (code, word)
