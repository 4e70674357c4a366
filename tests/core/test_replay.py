"""`aora replay` as a person runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

AORA = Path(sys.prefix) / "bin" / "aora"
LOG = """{"options":{"sticky_ms":0}}
{"at_ms":5,"session_id":"a","aoraBotId":"34","tips":"quote \\" and \\u0007",\
"hud":{"kind":"count","value":1.50}}
{"at_ms":6,"session_id":"a"}
not json
{"hello":true}
{"at_ms":4,"session_id":"b","state":"idle"}
"""
SHOWN = {
    "at_ms": 5,
    "code": "34",
    "state": "alerting",
    "session_id": "a",
    "tips": 'quote " and \x07',
    "hud": {"kind": "count", "value": 1.5},
}


def _replay(tmp_path, text, *options):
    log = tmp_path / "log.ndjson"
    log.write_text(text)
    return subprocess.run([AORA, "replay", *options, log], capture_output=True, text=True)


@pytest.mark.parametrize("options", ((), ("--micropython",), ("--tick-start", "536870900")))
def test_changes_on_output_and_refusals_beside(tmp_path, options):
    done = _replay(tmp_path, LOG, *options)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and lines[0] == SHOWN
    assert lines[-1] == {
        "at_ms": 120005,
        "code": "02",
        "state": "idle",
        "session_id": None,
        "tips": None,
        "hud": None,
    }
    refused = ["line 3: no state", "line 4: not JSON", "line 5: missing session_id"]
    assert done.stderr.splitlines() == refused


@pytest.mark.parametrize("micropython", ((), ("--micropython",)))
@pytest.mark.parametrize(
    ("options", "sentence"),
    (
        ('{"options":{"slots":0}}', "slots takes at least 1"),
        ('{"options":{"ttl_ms":-1}}', "ttl_ms takes whole numbers"),
        ('{"options":{"sticky":1}}', "is unknown"),
        ('{"options":{"by_state":{"nope":1}}}', "no state is called"),
        ('{"options":[]}', "not an object"),
    ),
)
def test_wrong_options_are_named(tmp_path, micropython, options, sentence):
    done = _replay(tmp_path, options + "\n", *micropython)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "first",
    (
        "\ufeff" + '{"options":{"slots":2}}',
        '{"x":NaN,"options":{"slots":2}}',
        '{"options":{"ttl_ms":0100}}',
        '{"options":{"slots":2},}',
        "[" * 2000,
        '{"options":{"slots":2},"x":"' + "y" * 5_000_000 + '"}',
        '{"options":{"slots":0},"session_id":"a","state":"idle"}',
    ),
    ids=("bom", "nan", "octal", "comma", "deep", "long", "message"),
)
def test_a_first_line_means_the_same_everywhere(tmp_path, first):
    """One checker for all lines: what it refuses is no options on either runtime."""
    text = first + '\n{"at_ms":1,"session_id":"b","state":"working"}\n'
    both = [_replay(tmp_path, text, *options) for options in ((), ("--micropython",))]
    assert both[0].returncode == both[1].returncode == 0
    assert both[0].stdout == both[1].stdout and both[0].stderr == both[1].stderr


def test_an_empty_log_shows_nothing(tmp_path):
    done = _replay(tmp_path, "")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_log_of_weeks(tmp_path):
    """Times far beyond a tick's period come out as they went in."""
    text = "".join(
        json.dumps({"at_ms": at, "session_id": "a", "aoraBotId": "32"}) + "\n"
        for at in (0, 300_000_000, 999_999_999)
    )
    for options in ((), ("--micropython",)):
        lines = _replay(tmp_path, text, *options).stdout.splitlines()
        assert [json.loads(line)["at_ms"] for line in lines] == [
            0,
            120_000,
            300_000_000,
            300_120_000,
            999_999_999,
            1_000_119_999,
        ]
