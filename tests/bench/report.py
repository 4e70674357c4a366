"""The reporter against bare curl and the documents' sh + jq + curl; adapters' throughput."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from host_bridge import hooks
from host_bridge.adapter import Adapters
from host_bridge.sessions import Sessions

ROUNDS = 40
PAYLOADS = 20_000
SERVER = """
import asyncio

async def answer(reader, writer):
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    length = head.lower().partition(b"content-length:")[2].split(b"\\r\\n")[0]
    await reader.readexactly(int(length or 0))
    writer.write(b"HTTP/1.1 204 No Content\\r\\nConnection: close\\r\\n\\r\\n")
    writer.close()

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""
RECIPE = """#!/bin/sh
SESSION=$(jq -r .session_id)
curl -s -o /dev/null -X POST {url}/state \\
  -H 'Content-Type: application/json' \\
  -d "{{\\"session_id\\":\\"$SESSION\\",\\"agent_id\\":\\"claude-code\\",\\"event\\":\\"$1\\"}}"
"""


def payload(size: int) -> bytes:
    """A tool's start of about this many bytes."""
    text = "value = compute(\"total\", {'tax': 0.2})\n"
    fields = {
        "session_id": "6f1d2c3b-0a4e-4b7c-9d21-5e8f7a6b4c01",
        "transcript_path": "/home/sam/.claude/projects/shop/6f1d2c3b.jsonl",
        "cwd": "/home/sam/shop",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_use_id": "toolu_01",
        "tool_input": {"file_path": "/home/sam/shop/src/cart.py", "content": ""},
    }
    room = size - len(json.dumps(fields))
    fields["tool_input"]["content"] = text * (room // len(json.dumps(text)))
    return json.dumps(fields).encode()


def once_ms(words: list[str], body: bytes, env: dict[str, str]) -> float:
    """Wall time of one process that gets `body` (below a pipe's 64 KB) on standard input."""
    inner, outer = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, inner, 0), (os.POSIX_SPAWN_CLOSE, outer)]
    began = time.perf_counter()
    pid = os.posix_spawn(words[0], words, env, file_actions=actions)
    os.write(outer, body)
    os.close(outer)
    os.waitpid(pid, 0)
    took = time.perf_counter() - began
    os.close(inner)
    return took * 1e3


def reporter_rows() -> list[dict[str, Any]]:
    """Ratios of interleaved runs, so that a busy machine slows both."""
    curl, jq = shutil.which("curl"), shutil.which("jq")
    if not curl or not jq:
        return []
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE)
    assert server.stdout
    url = f"http://127.0.0.1:{int(server.stdout.readline())}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            recipe = Path(folder, "aora-report")
            recipe.write_text(RECIPE.format(url=url))
            kind = ["-H", "Content-Type: application/json", "--data-binary", "@-"]
            commands = {
                "curl": [curl, "-s", "-o", "/dev/null", *kind, f"{url}/hook/claude-code"],
                "report": hooks.report_words("claude-code"),
                "recipe": ["/bin/sh", str(recipe), "PreToolUse"],
            }
            return [row for size in (2_000, 60_000) for row in _ratios(commands, size, url)]
    finally:
        server.kill()
        server.wait()


def _ratios(commands: dict[str, list[str]], size: int, url: str) -> list[dict[str, Any]]:
    body, env = payload(size), {**os.environ, "AORA_URL": url}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        # Each once after each other: the recipe leaves curl in the processor's caches.
        for name in ("curl", "report", "recipe", "report", "curl", "recipe"):
            times[name].append(once_ms(commands[name], body, env))
    curl, report, recipe = (_quiet(times[name]) for name in ("curl", "report", "recipe"))
    label = f"{size // 1000} KB"
    return [
        _row(f"reporter, {label}", report, "ms", "lower", None),
        _row(f"reporter / bare curl, {label}", report / curl, "x", "lower", 1.3),
        _row(f"sh + jq + curl / reporter, {label}", recipe / report, "x", "higher", 2.5),
    ]


def _quiet(times: list[float]) -> float:
    """The lower quartile: what else the machine does is in the upper ones."""
    return statistics.quantiles(times, n=4)[0]


def adapter_rows() -> list[dict[str, Any]]:
    """Payloads of 2 KB a second, from JSON text to the signal, in this process."""
    adapters, text = Adapters.load(), payload(2_000).decode()
    began = time.perf_counter()
    for _ in range(PAYLOADS):
        adapters.read("claude-code", json.loads(text))
    rate = PAYLOADS / (time.perf_counter() - began)
    return [_row("adapter payloads, 2 KB", rate, "1/s", "higher", 20_000)]


def session_rows() -> list[dict[str, Any]]:
    """The same payloads all the way to wire messages, for 1,000 sessions in turn."""
    fields = json.loads(payload(2_000))
    texts = []
    for number in range(PAYLOADS):
        event = ("PreToolUse", "PostToolUse")[number // 1000 % 2]
        session = f"{number % 1000:036d}"
        texts.append(json.dumps({**fields, "session_id": session, "hook_event_name": event}))
    told: list[dict[str, Any]] = []
    sessions = Sessions(told.append)
    began = time.perf_counter()
    for number, text in enumerate(texts):
        sessions.hook("claude-code", json.loads(text), {}, number * 10)
    rate = PAYLOADS / (time.perf_counter() - began)
    return [_row("payloads to wire messages, 1,000 sessions", rate, "1/s", "higher", None)]


def _row(name: str, value: float, unit: str, better: str, target: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "value": round(value, 2),
        "unit": unit,
        "better": better,
        "target": target,
    }


def rows() -> list[dict[str, Any]]:
    """Everything measured here."""
    return reporter_rows() + adapter_rows() + session_rows()


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row))
