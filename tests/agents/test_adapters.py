"""Adapters as data: what is packaged, a user's own, and what is wrong with a file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from aora.adapters import ADAPTERS as PLAIN
from host_bridge import shell
from host_bridge.adapter import Adapters, check
from host_bridge.cli import build
from host_bridge.tables import adapter_files

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
        (HEAD + '[hooks]\nevents = ["b"]\n' + RULE, 8, "rule for the event b"),
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


VALUES = st.sampled_from(["3", '"x"', "[]", "{}", "[1]", "{ a = 1 }", "true", "", "["])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(adapter_files(None)), st.integers(0, 200), VALUES)
def test_no_file_is_too_wrong_to_check(path, number, value):
    lines = path.read_text("utf-8").splitlines()
    number %= len(lines)
    key, equals, _ = lines[number].partition("=")
    lines[number] = f"{key}={value}" if equals else value
    for line, text in check("\n".join(lines)):
        assert 1 <= line <= len(lines) + 1 and text


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
