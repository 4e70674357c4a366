"""The tables of tools, verbs and rosters: the vectors' answers on every runtime."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, sys
sys.path.insert(0, "firmware")
from aora import tools
asked = 0
for line in open("tests/vectors/protocol.ndjson"):
    case = json.loads(line)
    function = getattr(tools, case["call"], None)
    if function:
        asked += 1
        assert function(*case["args"]) == case["result"], line
for value in (None, 7, [], {}, "mcp__", "MCP:", "mcp_x", "\\u2026"):
    assert tools.state_for_tool(value) == tools.state_for_activity(value) == "working"
    tools.character_state_for_roster(value, value)
assert tools.state_for_tool("MCP:web-search") == tools.state_for_tool("mcp_fs_Grep")
print(asked)
"""


@pytest.mark.parametrize("runtime", ["python", "micropython"])
def test_the_vectors(runtime):
    program = Path(sys.executable).with_name(runtime)
    if not program.exists():
        pytest.skip(f"no {runtime} for this machine")
    done = subprocess.run([program, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("64\n", "")
