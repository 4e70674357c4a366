"""How sessions are understood and captioned: AORA_HOME/config.toml, `[sessions]` and `captions`.

All times are milliseconds. What the file leaves out keeps the default written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

CAPTIONS = ("names", "full", "off")
TOOL_FAILURES = (11, 34, "off")


@dataclass(frozen=True)
class SessionSettings:
    """Every rule of `sessions`, with its default."""

    captions: str = "names"  # "full" adds folders below the agent's own, "off" shows no text
    tool_failure: int | str = 11  # 34: each one needs a person; "off": it is no news
    wait_grace_ms: int = 1500  # a permission may be answered by the agent itself
    duplicate_ms: int = 1000  # the same event within this time counts once
    long_turn_ms: int = 10_000  # shorter turns end without a celebration
    celebrate_gap_ms: int = 10_000  # never two celebrations of a session within this time
    background_ms: int = 2000  # quiet after which a turn with a shell left running is done
    touch_ms: int = 60_000  # how often a session with evidence is kept alive
    doubt_ms: int = 20_000  # silence without evidence after which the face doubts
    silence_ms: int = 300_000  # silence without evidence after which it is idle
    evidence_ms: int = 43_200_000  # silence after which no evidence counts (12 h)
    give_way_ms: int = 10_000  # an error gives way to another session's question after this
    process_ms: int = 2000  # an agent that lives this long after an event is known to be one
    forget_ms: int = 600_000  # silence after which an idle session is not remembered
    child_process_answers: bool = True  # a new process of the agent means: a person allowed it

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> SessionSettings:
        """The settings of config.toml's table; ValueError says which one is wrong."""
        given = dict(config.get("sessions", {}))
        if "captions" in config:
            given["captions"] = config["captions"]
        for field in fields(cls):
            if field.name in given:
                _check(field.name, field.default, given[field.name])
        known = {field.name for field in fields(cls)}
        for name in given:
            if name not in known:
                raise ValueError(f"sessions.{name}: no such setting")
        return cls(**given)


def _check(name: str, default: Any, value: Any) -> None:
    if name == "captions" and value not in CAPTIONS:
        raise ValueError(f"captions is one of {', '.join(CAPTIONS)}")
    if name == "tool_failure":
        if value not in TOOL_FAILURES or isinstance(value, bool):
            raise ValueError('sessions.tool_failure is 11, 34 or "off"')
    elif type(value) is not type(default) or (type(value) is int and value < 0):
        kind = "true or false" if isinstance(default, bool) else "a number of milliseconds"
        raise ValueError(f"sessions.{name} is {kind}")
