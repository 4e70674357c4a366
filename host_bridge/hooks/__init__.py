"""The block that points an agent's hooks at the bridge, as text for the agent's own file."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from host_bridge import client
from host_bridge.adapter import Adapter

REPORT = Path(__file__).resolve().parent.parent / "report.py"

SH = """\
#!/bin/sh
# aora-report EVENT: a hook gets JSON on standard input; the session is in it.
{reply}BODY=$(jq -c --arg event "$1" \\
  'first(({session}) | strings, numbers | select(. != "")) as $session
  | {{session_id: $session, agent_id: "{agent}", $event}}' 2>/dev/null)
[ -n "$BODY" ] && curl -s -m 0.25 -o /dev/null -X POST "${{AORA_URL:-{url}}}/state" \\
  ${{AORA_TOKEN:+-H "Authorization: Bearer $AORA_TOKEN"}} \\
  -H 'Content-Type: application/json' -d "$BODY"
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
    token = client.headers() if http else {}
    entries: dict[str, Any] = {}
    for event in hooks["events"]:
        line = command(report_words(adapter.id, answers.get(event, hooks.get("say", ""))))
        handler: dict[str, Any] = {"command": line, "timeout": hooks["timeout"]}
        if event in hooks.get("async", []):
            handler["async"] = True
        if event in passive:
            handler = {"url": f"{client.url()}/hook/{adapter.id}", "timeout": hooks["timeout"]}
            if token:
                handler["headers"] = token
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
    paths = ", ".join("." + path for path in adapter.session_paths)
    return SH.format(url=client.url(), agent=adapter.id, session=paths, reply=_reply(adapter))


def _reply(adapter: Adapter) -> str:
    """The shell's lines that say what the agent wants to read, if it wants anything."""
    answers, say = adapter.hooks.get("answers", {}), adapter.hooks.get("say", "")
    cases = {**answers, "*": say} if say or answers else {}
    lines = [f"  {event}) echo {shlex.quote(text)} ;;\n" for event, text in cases.items() if text]
    return f'case "$1" in\n{"".join(lines)}esac\n' if lines else ""
