"""AORA_HOME/config.toml: who is let in, how sessions are understood and captioned.

All times are milliseconds. What the file leaves out keeps the default written here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from host_bridge import paths, tables

CAPTIONS = ("names", "full", "off")
TOOL_FAILURES = (11, 34, "off")
TOP: dict[str, tuple[type, str]] = {
    "captions": (str, f"one of {', '.join(CAPTIONS)}"),
    "token": (str, "a string"),
    "allow_origins": (list, "a list of strings"),
    "sessions": (dict, "a table"),
}


class ConfigError(Exception):
    """What is wrong with the configuration, and where."""


def load() -> dict[str, Any]:
    """The whole file, checked; empty where there is none. ConfigError says what is wrong."""
    path = paths.home() / "config.toml"
    try:
        config = tables.load(path)
        SessionSettings.from_config(config)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    return config


def token(config: Mapping[str, Any]) -> str:
    """AORA_TOKEN, or the file's; "" for none. ConfigError for one that no header can carry."""
    found = os.environ.get("AORA_TOKEN") or config.get("token", "")
    if not (found.isascii() and found.isprintable() and found == found.strip()):
        raise ConfigError("the token (AORA_TOKEN) takes printable ASCII, no space around it")
    return found


def _check_top(config: Mapping[str, Any]) -> None:
    for name, value in config.items():
        if name not in TOP:
            raise ValueError(f"{name}: no such setting; there are {', '.join(TOP)}")
        kind, what = TOP[name]
        words = value if isinstance(value, list) else []
        if not isinstance(value, kind) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{name} is {what}")


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
        """The settings in config.toml; ValueError says what in it is wrong."""
        _check_top(config)
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
        if type(value) not in (int, str) or value not in TOOL_FAILURES:
            raise ValueError('sessions.tool_failure is 11, 34 or "off"')
    elif type(value) is not type(default) or (type(value) is int and value < 0):
        kind = "true or false" if isinstance(default, bool) else "a number of milliseconds"
        raise ValueError(f"sessions.{name} is {kind}")
