"""The block that points an agent's hooks at the bridge, as text for the agent's own file."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from host_bridge.adapter import Adapter

URL = "http://127.0.0.1:27182"
REPORT = Path(__file__).resolve().parent.parent / "report.py"

SH = """\
#!/bin/sh
# aora-report EVENT: a hook gets JSON on standard input; the session is in it.
SESSION=$(jq -r .session_id)
curl -s -m 1 -o /dev/null -X POST {url}/state \\
  -H 'Content-Type: application/json' \\
  -d "{{\\"session_id\\":\\"$SESSION\\",\\"agent_id\\":\\"{agent}\\",\\"event\\":\\"$1\\"}}"
exit 0
"""


def command(words: list[str], windows: bool = sys.platform == "win32") -> str:
    """A command line for the agent's shell. Windows agents use different shells, and a
    backslash does not reach its program through all of them."""
    if not windows:
        return shlex.join(words)
    plain = [word.replace("\\", "/") if word[1:3] == ":\\" else word for word in words]
    return " ".join('"' + w.replace('"', '\\"') + '"' if _needs(w) else w for w in plain)


def _needs(word: str) -> bool:
    return not word or not all(c.isalnum() or c in "-_./:" for c in word)


def report_words(agent: str, say: str = "") -> list[str]:
    """The reporter's full command: pip would lose the interpreter's flags. An environment's own
    interpreter starts this one, on Windows as a second process."""
    interpreter = getattr(sys, "_base_executable", None) or sys.executable
    words = [interpreter, "-I", "-S", str(REPORT), agent]
    return [*words, "--say", say] if say else words


def block(adapter: Adapter, http: bool = False) -> dict[str, Any]:
    """What goes into the agent's settings file; with `http`, passive events need no process."""
    hooks = adapter.hooks
    answers = hooks.get("answers", {})
    passive = hooks.get("passive", []) if http else []
    entries: dict[str, Any] = {}
    for event in hooks["events"]:
        line = command(report_words(adapter.id, answers.get(event, hooks.get("say", ""))))
        handler: dict[str, Any] = {"command": line, "timeout": hooks["timeout"]}
        if event in hooks.get("async", []):
            handler["async"] = True
        if event in passive:
            handler = {"url": f"{URL}/hook/{adapter.id}", "timeout": hooks["timeout"]}
        if hooks["shape"] == "nested":
            kind = "http" if event in passive else "command"
            entries[event] = [{"hooks": [{"type": kind, **handler}]}]
        else:
            entries[event] = [handler]
    return {"hooks": entries} if hooks["shape"] == "nested" else {"version": 1, "hooks": entries}


def block_text(adapter: Adapter, http: bool = False) -> str:
    """The block as the file's text."""
    return json.dumps(block(adapter, http), indent=2, ensure_ascii=False)


def sh_text(adapter: Adapter) -> str:
    """The same in a shell's words, for who has jq and curl and no Python."""
    return SH.format(url=URL, agent=adapter.id)
