"""The published answers come out exactly, on CPython and on MicroPython."""

import json

import pytest

import aora
from host_bridge import replay
from tests.conftest import ROOT, VECTORS

SCENARIOS = sorted(
    path.name[: -len(".ndjson")]
    for path in (VECTORS / "arbiter").glob("*.ndjson")
    if not path.name.endswith(".expect.ndjson")
)
REPLAY = ROOT / "host_bridge" / "replay.py"
WRAPS_SOON = 2**29 - 1500

_CALLS = """
import json, sys
import aora
for line in open(sys.argv[1]):
    call = json.loads(line)
    answer = getattr(aora, call["call"])(*call["args"])
    if answer != call["result"]:
        print(line, answer)
"""


def _calls():
    return [json.loads(line) for line in (VECTORS / "protocol.ndjson").read_text().splitlines()]


def _expected(name):
    text = (VECTORS / "arbiter" / f"{name}.expect.ndjson").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_there_are_vectors():
    assert len(_calls()) > 400 and len(SCENARIOS) > 60


@pytest.mark.parametrize("call", _calls(), ids=lambda c: f"{c['call']}-{c['args']}"[:60])
def test_protocol_on_cpython(call):
    answer = getattr(aora, call["call"])(*call["args"])
    assert answer == call["result"] and type(answer) is type(call["result"])


def test_protocol_on_micropython(micropython, tmp_path):
    script = tmp_path / "calls.py"
    script.write_text(_CALLS)
    assert micropython(script, VECTORS / "protocol.ndjson") == ""


@pytest.mark.parametrize("tick_start", (0, WRAPS_SOON))
@pytest.mark.parametrize("name", SCENARIOS)
def test_arbiter_on_both(name, tick_start, micropython):
    path = VECTORS / "arbiter" / f"{name}.ndjson"
    lines = []
    replay.run(path, tick_start, lines.append, lambda number, error: None)
    assert [json.loads(line) for line in lines] == _expected(name)
    assert micropython(REPLAY, path, tick_start).splitlines() == lines


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("key", ["session_id", "aoraBotId", "emotionId", "tips", "hud"])
def test_no_number_is_too_long_for_an_answer(key, sign):
    message = {"session_id": "s", "state": "working", key: sign * 10**5000}
    assert aora.normalize(message)["ok"] is (key != "session_id")
    assert aora.parse_agent_message(message)["emotionId"] == "32"
    assert aora.parse_agent_message(message[key]) is None
