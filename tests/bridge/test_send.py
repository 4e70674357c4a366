"""`aora send`: what it takes, and what it says of the rest."""

from __future__ import annotations

import os
import subprocess

import pytest

from aora import hud
from tests.bridge.running import AORA

NOBODY = "http://127.0.0.1:9"
PLAIN = {"PYTHONUTF8": "1", "_TYPER_FORCE_DISABLE_TERMINAL": "1"}


def said(*words: str | bytes) -> str:
    """What it says to these words, without the frame around it."""
    env = {**os.environ, **PLAIN, "AORA_URL": NOBODY}
    done = subprocess.run([AORA, "send", *words], env=env, capture_output=True, timeout=20)
    assert bool(done.returncode) == (words != ("--help",))
    return " ".join(word for word in (done.stdout + done.stderr).decode().split() if word != "│")


EXAMPLES = {
    "progress": "0.4",
    "timer": "9000/60000",
    "context": "70/200",
    "voice": "0.5",
    "waveform": "0.2,0.8,0.5",
    "kpi": "80/100",
    "count": "3/5",
}


def test_its_help_has_an_example_of_each_dial():
    text = said("--help")
    assert list(EXAMPLES) == sorted(EXAMPLES, key=hud.KINDS.index) == list(hud.KINDS)
    assert all(f"{kind}={example}" in text for kind, example in EXAMPLES.items())
    assert "milliseconds" in text


@pytest.mark.parametrize("kind", EXAMPLES)
def test_each_dial_takes_its_example(kind):
    assert "no bridge at" in said("32", "--hud", f"{kind}={EXAMPLES[kind]}")


@pytest.mark.parametrize(
    ("dial", "takes"),
    [
        ("count=3/5/6", "value (0 to 64) / total (over 0, may be left out)"),
        ("count=65", "value (0 to 64)"),
        ("count=3/0", "value (0 to 64) / total (over 0, may be left out)"),
        ("progress=0.4/7", "value (0 to 1)"),
        ("progress=0,4", "value (0 to 1)"),
        ("progress=7", "value (0 to 1)"),
        ("progress=nan", "value (0 to 1)"),
        ("voice=0.5/1", "level (0 to 1)"),
        ("timer=9000", "remainingMs (0 or more) / totalMs (over 0)"),
        ("timer=1/2/3", "remainingMs (0 or more) / totalMs (over 0)"),
        ("context=-1/200", "used (0 or more) / total (over 0)"),
        ("context=1/2/3", "used (0 or more) / total (over 0)"),
        ("kpi=80/100/1", "value (any number) / target (over 0)"),
        ("waveform=0.5,2", "1 to 24 levels (0 to 1)"),
        ("waveform=" + ",".join("1" * 25), "1 to 24 levels (0 to 1)"),
    ],
)
def test_what_a_dial_takes_is_said(dial, takes):
    kind, _, given = dial.partition("=")
    text = said("32", "--hud", dial)
    assert f"{kind} takes {takes}" in text and f"not '{given}'" in text


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([b"32", b"\xff"], "caption"),
        ([b"work\xffing"], "state"),
        ([b"32", b"--session", b"\xc3"], "session"),
    ],
)
def test_what_is_not_text_is_said(words, what):
    assert f"the {what} is not text (UTF-8)" in said(*words)
