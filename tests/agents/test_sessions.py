"""Sessions under any order of events, and the rules that no timeline tells."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aora.message import normalize
from host_bridge.adapter import Signal
from host_bridge.config import SessionSettings
from tests.agents.timeline import ADAPTERS, Player

BOTH = [("claude-code", e) for e in ADAPTERS.by_id["claude-code"].rules]
BOTH += [("cursor", e) for e in ADAPTERS.by_id["cursor"].rules]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = {
    "source": st.sampled_from(["user", "sdk", "clear", "resume", "compact", 3, None]),
    "tool_name": st.sampled_from(["Bash", "Edit", "AskUserQuestion", "mcp__a__b", "", 7]),
    "tool_use_id": st.sampled_from(["t1", "t2", "t3"]),
    "tool_input": ANYTHING | st.fixed_dictionaries({"command": st.text(max_size=40)}),
    "notification_type": st.sampled_from(["permission_prompt", "idle_prompt", "other"]),
    "permission_mode": st.sampled_from(["default", "auto"]),
    "background_tasks": ANYTHING
    | st.lists(st.just({"type": "subagent", "status": "running"}), max_size=3),
    "last_assistant_message": st.sampled_from(["Done", "API Error: 500", "", None]),
    "stop_hook_active": st.booleans(),
    "is_interrupt": st.booleans(),
    "status": st.sampled_from(["completed", "aborted", "error"]),
    "context_usage_percent": ANYTHING,
    "transcript_path": st.sampled_from(["/x/s1/subagents/k.jsonl", "/x/s1.jsonl", 4]),
    "cwd": ANYTHING,
}


@st.composite
def events(draw) -> tuple[int, str, dict[str, Any], int]:
    agent, event = draw(st.sampled_from(BOTH))
    payload: dict[str, Any] = {"hook_event_name": event}
    payload["session_id" if agent == "claude-code" else "conversation_id"] = draw(
        st.sampled_from(["s1", "s2"])
    )
    if agent == "claude-code" and draw(st.booleans()):
        payload["agent_id"] = draw(st.sampled_from(["a", "b"]))
    payload.update(draw(st.fixed_dictionaries({}, optional=FIELDS)))
    pause = draw(st.sampled_from([0, 10, 900, 1600, 5000, 25_000, 400_000]))
    return pause, agent, payload, draw(st.sampled_from([0, 11, 12]))


@settings(max_examples=120, deadline=None)
@given(st.lists(events(), max_size=25))
def test_any_order_of_events(steps):
    player = Player()
    player.world.living = [11]
    for pause, agent, payload, pid in steps:
        player.advance(player.now + pause)
        player.hook(agent, payload, pid)
        for session in player.sessions.all():
            assert session.due > player.now
    player.advance(player.now + 2 * 43_200_000)
    assert not player.sessions.all()
    seen = set()
    for message in player.messages:
        if "session_id" in message:
            check(message)
            key = message["session_id"]
            assert "aoraBotId" in message or key in seen
            seen.add(key)
        else:
            assert message.get("doubt", message.get("done")) in seen


def check(message: dict[str, Any]) -> None:
    assert normalize(message)["ok"]
    if "/" in message["session_id"]:
        assert message.get("aoraBotId") != "33"


@settings(max_examples=60, deadline=None)
@given(events())
def test_a_later_event_clears_the_wait(step):
    _, agent, payload, _ = step
    player = Player()
    for event in ("UserPromptSubmit", "Elicitation"):
        player.hook("claude-code", {"session_id": "s1", "hook_event_name": event})
        player.advance(player.now + 3000)
    payload = {**payload, "session_id": "s1", "conversation_id": "s1"}
    signal = ADAPTERS.read(agent, payload)
    player.hook(agent, payload)
    open_waits = [s.key for s in player.sessions.all() if s.wait and s.key == "s1"]
    keeps = ("ask", "notice", "question", "note", "idle", "child", "child_end")
    assert open_waits == ([] if signal and answers(signal, keeps) else ["s1"])


def answers(signal: Signal, keeps: tuple[str, ...]) -> bool:
    asks = signal.rule.means == "tool" and signal.tool == "AskUserQuestion"
    own = not signal.child and signal.session == "s1"
    return own and signal.rule.means not in keeps and not asks


def claude(player: Player, event: str, wait: int = 0, **fields: Any) -> None:
    player.hook("claude-code", {"session_id": "s1", "hook_event_name": event, **fields})
    player.advance(player.now + wait)


def codes(player: Player) -> list[str]:
    return [m["aoraBotId"] for m in player.messages if "aoraBotId" in m]


def test_a_growing_transcript_is_a_sign_of_life():
    player = Player()
    claude(player, "UserPromptSubmit", transcript_path="/x/s1.jsonl")
    for size in range(100, 200):
        player.world.bytes = size
        player.advance(player.now + 5000)
    assert not any("doubt" in m for m in player.messages)
    player.advance(player.now + 25_000)
    assert any("doubt" in m for m in player.messages)
    player.advance(player.now + 300_000)
    assert codes(player)[-1] == "02"


def test_a_transcript_that_grows_again_ends_the_doubt():
    player = Player()
    claude(player, "UserPromptSubmit", 25_000, transcript_path="/x/s1.jsonl")
    assert "doubt" in player.messages[-1]
    player.world.bytes = 1
    player.advance(player.now + 20_000)
    player.world.bytes = 2
    player.advance(player.now + 25_000)
    assert codes(player) == ["31", "31"]


def test_a_wait_ends_after_twelve_hours_and_not_by_silence():
    player = Player()
    claude(player, "Elicitation", 43_190_000)
    assert codes(player) == ["35"]
    assert not any("doubt" in m for m in player.messages)
    touches = [m["at_ms"] for m in player.messages if "touch" in m]
    assert all(b - a <= 60_000 for a, b in zip(touches, touches[1:], strict=False))
    player.advance(player.now + 20_000)
    assert codes(player) == ["35", "02"]


def test_a_hook_that_lives_for_a_moment_is_no_answer():
    player = Player()
    player.world.living = [9]
    ask = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    player.hook(
        "claude-code", {"session_id": "s1", "hook_event_name": "PermissionRequest", **ask}, 9
    )
    player.advance(3000)
    player.world.born = [77]
    player.advance(player.now + 1000)
    player.world.born = []
    player.advance(player.now + 5000)
    assert codes(player) == ["35"]


def test_the_bridge_never_celebrates_twice_within_ten_seconds():
    player = Player()
    claude(player, "UserPromptSubmit", 12_000)
    claude(player, "Stop", 2000)
    claude(player, "UserPromptSubmit", 2000)
    claude(player, "Stop", 2000)
    assert codes(player) == ["31", "33", "31", "02"]


@pytest.mark.parametrize(("value", "code"), [(11, "11"), (34, "34"), ("off", "30")])
def test_tool_failures_are_a_setting(value, code):
    player = Player(tool_failure=value)
    claude(player, "PreToolUse", 2000, tool_name="Bash", tool_use_id="t")
    claude(player, "PostToolUseFailure", tool_name="Bash", tool_use_id="t")
    assert codes(player) == ["44", code]


def test_a_word_from_before_a_tool_does_not_hide_it():
    player = Player()
    claude(player, "PreToolUse", 100, tool_name="Bash", tool_use_id="t")
    claude(player, "MessageDisplay", 100, delta="x")
    assert codes(player) == ["44"]


TOOLS = [
    {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t0"},
    {"tool_name": "Bash", "tool_input": {"command": "ls -l"}, "tool_use_id": "t1"},
    {"tool_name": "Edit", "tool_input": {"file_path": "/x/a.py"}, "tool_use_id": "t2"},
    {"tool_name": "mcp__a__b", "tool_input": {}, "tool_use_id": "t3"},
]


def ask(player: Player, tool: dict[str, Any], wait: int = 0) -> None:
    fields = {key: tool[key] for key in ("tool_name", "tool_input")}
    claude(player, "PermissionRequest", wait, **fields)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(range(len(TOOLS))), unique=True, min_size=1),
    st.permutations(range(len(TOOLS))),
    st.sampled_from(["PostToolUse", "PostToolUseFailure", "PermissionDenied"]),
)
def test_of_parallel_tools_each_ask_is_shown_until_its_own_end(asked, ends, event):
    player = Player()
    for tool in TOOLS:
        claude(player, "PreToolUse", 10, **tool)
    for number in asked:
        ask(player, TOOLS[number], 10)
    asked = set(asked)
    for number in ends:
        player.advance(player.now + 3000)
        assert (codes(player)[-1] == "35") == bool(asked)
        shown = len(codes(player))
        claude(player, event, **TOOLS[number])
        answered = number in asked
        asked.discard(number)
        assert answered or not asked or len(codes(player)) == shown
    player.advance(player.now + 3000)
    assert codes(player)[-1] != "35"


def test_two_permissions_at_once_are_asked_one_after_the_other():
    player = Player()
    for tool in TOOLS[:1] + TOOLS[2:3]:
        claude(player, "PreToolUse", 10, **tool)
        ask(player, tool)
    claude(player, "PostToolUse", 1400, **TOOLS[0])
    player.advance(5000)
    claude(player, "PostToolUse", 1400, **TOOLS[2])
    player.advance(10_000)
    waits = [m["tips"] for m in player.messages if m.get("aoraBotId") == "35"]
    assert waits == ["Allow a.py?"]


def test_a_tool_that_starts_beside_an_ask_hides_it_no_more_than_its_end():
    player = Player()
    claude(player, "PreToolUse", 10, **TOOLS[0])
    ask(player, TOOLS[0], 500)
    claude(player, "PreToolUse", 3000, **TOOLS[2])
    claude(player, "PostToolUse", 3000, **TOOLS[2])
    assert codes(player) == ["44", "43", "35"]
    claude(player, "PostToolUse", 3000, **TOOLS[0])
    assert codes(player)[3:] == ["30"]


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("PreToolUse", TOOLS[2]),  # the next step, after a no that nobody told of
        ("PostToolBatch", {}),
        ("PostToolUse", {"tool_use_id": "other"}),
        ("UserPromptSubmit", {}),
        ("PreCompact", {}),
        ("Stop", {}),
        ("SessionEnd", {}),
    ],
)
def test_what_may_be_the_answer_to_any_ask_clears_them_all(event, fields):
    player = Player()
    for tool in TOOLS[:2]:
        claude(player, "PreToolUse", **tool)
        ask(player, tool, 10)
    player.advance(5000)
    assert codes(player)[-1] == "35"
    claude(player, event, 5000, **fields)
    assert codes(player)[-1] != "35" or "end" in player.messages[-1]
    assert not any(s.asks for s in player.sessions.all())


def test_a_word_from_before_the_ask_leaves_it_in_sight():
    player = Player()
    claude(player, "PreToolUse", **TOOLS[0])
    ask(player, TOOLS[0], 5000)
    claude(player, "MessageDisplay", 5000, delta="x")
    claude(player, "PostToolUse", 5000, **TOOLS[0])
    assert codes(player) == ["44", "35", "30"]


def test_a_process_that_starts_answers_one_ask_and_the_next_is_shown():
    player = Player()
    player.world.living = [9]
    for tool in TOOLS[:2]:
        for event in ("PreToolUse", "PermissionRequest"):
            payload = {"session_id": "s1", "hook_event_name": event, **tool}
            player.hook("claude-code", payload, 9)
    player.advance(3000)
    player.world.born = [77]
    player.advance(20_000)
    assert codes(player) == ["44", "44", "35", "44", "35"]


@pytest.mark.parametrize("child", [{}, {"agent_id": "a"}])
@pytest.mark.parametrize(
    ("event", "wakes"),
    [
        ("PreToolUse", False),
        ("PermissionRequest", False),
        ("Elicitation", False),
        ("PostToolUse", False),
        ("Stop", False),
        ("MessageDisplay", False),
        ("Notification", False),
        ("UserPromptSubmit", True),
        ("SessionStart", True),
    ],
)
def test_a_late_word_does_not_bring_an_ended_session_back(event, wakes, child):
    player = Player()
    claude(player, "UserPromptSubmit", 100)
    if child:
        claude(player, "SubagentStart", 100, **child)
    claude(player, "SessionEnd", 100)
    claude(player, event, 5000, notification_type="permission_prompt", **TOOLS[0], **child)
    assert bool(player.sessions.all()) is wakes
    assert ("end" in player.messages[-1]) is not wakes


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest", "Elicitation"])
def test_a_late_word_does_not_bring_an_ended_subagent_back(event):
    player = Player()
    claude(player, "UserPromptSubmit", 100)
    for name in ("SubagentStart", "SubagentStop", event):
        claude(player, name, 100, agent_id="a", **TOOLS[0])
    assert {s.key for s in player.sessions.all()} == {"s1"}
    claude(player, "SubagentStart", agent_id="a")
    assert {s.key for s in player.sessions.all()} == {"s1", "s1/a"}


def test_an_agent_that_dies_soon_after_its_first_word_is_gone():
    player = Player()
    player.world.living = [9]
    for event in ("PreToolUse", "PermissionRequest"):
        payload = {"session_id": "s1", "hook_event_name": event, **TOOLS[0]}
        player.hook("claude-code", payload, 9)
        player.advance(player.now + 700)
    player.world.living = []
    player.advance(player.now + 10_000)
    assert "end" in player.messages[-1] and not player.sessions.all()


@pytest.mark.parametrize("source", ["clear", "resume"])
def test_without_a_process_an_idle_session_of_the_same_folder_is_continued(source):
    player = Player()
    busy = {"session_id": "busy", "hook_event_name": "UserPromptSubmit", "cwd": "/x"}
    far = {"session_id": "far", "hook_event_name": "SessionStart", "cwd": "/y"}
    for payload in (busy, far):
        player.hook("claude-code", payload)
    claude(player, "SessionStart", 5000, cwd="/x")
    claude(player, "SessionStart", session_id="s2", source=source, cwd="/x")
    assert {s.key for s in player.sessions.all()} == {"busy", "far", "s2"}


def test_a_finished_session_does_not_linger():
    player = Player()
    claude(player, "UserPromptSubmit", 12_000)
    claude(player, "Stop")
    count = len(player.messages)
    player.advance(14 * 3600 * 1000)
    assert len(player.messages) == count


def test_the_documents_recipe_names_an_event_in_place_of_an_agent():
    player = Player()
    player.hook("UserPromptSubmit", {"session_id": "s1"})
    assert codes(player) == ["31"]


def test_an_unknown_agent_or_event_says_nothing():
    player = Player()
    player.hook("nobody", {"session_id": "s1", "hook_event_name": "Stop"})
    player.hook("claude-code", {"session_id": "s1", "hook_event_name": "SomethingNew"})
    player.hook("claude-code", {"hook_event_name": "Stop"})
    player.hook("claude-code", ["Stop"])
    assert (player.messages, player.sessions.ignored) == ([], 4)


def test_a_long_session_id_leaves_room_for_its_subagents():
    player = Player()
    long = "s" * 60
    for extra in ({}, {"agent_id": "a1"}):
        player.hook("claude-code", {"session_id": long, "hook_event_name": "PreToolUse", **extra})
    parent, child = (m["session_id"] for m in player.messages)
    assert len(parent) <= 40 and child == parent + "/a1"


def test_a_subagents_open_question_outlives_its_parents_turn():
    """Only the subagent's own word, or its session's end, answers it."""
    player = Player()
    asks = {"agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    claude(player, "UserPromptSubmit", 1000)
    claude(player, "PermissionRequest", 5000, **asks)
    claude(player, "Stop", 5000)
    child = next(s for s in player.sessions.all() if s.parent)
    assert child.waiting and child.code == 35
    claude(player, "PostToolUse", 1000, **asks)
    assert not child.waiting
    claude(player, "SessionEnd", 1000)
    assert not player.sessions.all()


def test_many_sessions_stay_bounded():
    player = Player()
    for number in range(3000):
        name = {"session_id": f"s{number}", "hook_event_name": "UserPromptSubmit"}
        player.hook("claude-code", name)
    assert len(player.sessions.all()) <= 1024


def test_settings_come_from_the_config():
    config = {"captions": "off", "sessions": {"long_turn_ms": 5, "tool_failure": "off"}}
    rules = SessionSettings.from_config(config)
    assert (rules.captions, rules.long_turn_ms, rules.tool_failure) == ("off", 5, "off")


@pytest.mark.parametrize(
    "config",
    [
        {"captions": "everything"},
        {"sessions": {"long_turn_ms": "10"}},
        {"sessions": {"long_turn_ms": -1}},
        {"sessions": {"tool_failure": 33}},
        {"sessions": {"child_process_answers": 1}},
        {"sessions": {"no_such": 1}},
    ],
)
def test_a_wrong_setting_is_named(config):
    with pytest.raises(ValueError, match=list({**config, **config.get("sessions", {})})[-1]):
        SessionSettings.from_config(config)
