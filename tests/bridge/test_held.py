"""An error that a message told, and a question of another session."""

from __future__ import annotations

import asyncio

import pytest

from host_bridge import hub as hubs

ERROR = {"session_id": "w", "aoraBotId": "34", "tips": "make: exit 2"}
QUESTION = {"session_id": "s", "aoraBotId": "35"}


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(hubs, "GIVE_WAY_S", 0.2)


def shown(*messages: dict, pause: float, source: str = "") -> list[tuple[str, str]]:
    """The sessions' codes after the messages, with a pause after each."""

    async def play() -> list[tuple[str, str]]:
        hub = hubs.Hub()
        for message in messages:
            assert hub.accept(message, source) is None
            await asyncio.sleep(pause)
        rows = sorted((row["session_id"], row["code"]) for row in hub.sessions())
        hub.close()
        return rows

    return asyncio.run(play())


@pytest.mark.parametrize("messages", [(ERROR, QUESTION), (QUESTION, ERROR)])
@pytest.mark.parametrize("code", ["34", "38"])
def test_it_gives_way_once_it_was_seen_for_long(soon, messages, code):
    messages = [{**m, "aoraBotId": code} if m is ERROR else m for m in messages]
    rows = shown(*messages, pause=0.5)
    assert rows == [("s", "35"), ("w", "12")]


@pytest.mark.parametrize("messages", [(ERROR, QUESTION), (QUESTION, ERROR)])
def test_it_is_seen_first(messages):
    rows = shown(*messages, pause=0.01)
    assert rows == [("s", "35"), ("w", "34")]


def test_it_stays_while_nobody_else_asks(soon):
    assert shown(ERROR, pause=0.5) == [("w", "34")]
    again = {**QUESTION, "session_id": "w"}
    assert shown(ERROR, again, pause=0.5) == [("w", "35")]


def test_a_new_word_of_its_session_is_kept(soon):
    works = {**ERROR, "aoraBotId": "32"}
    rows = shown(ERROR, works, QUESTION, pause=0.15)
    assert rows == [("s", "35"), ("w", "32")]


def test_a_hooks_error_is_left_to_the_sessions(soon):
    rows = shown(ERROR, QUESTION, pause=0.5, source="claude-code Stop")
    assert rows == [("s", "35"), ("w", "34")]
