"""The line of text beside the face, from a rule's template and harmless words only."""

from __future__ import annotations

import re

from . import shell
from .adapter import Signal
from .privacy import file_name, inside

VERBS = {
    32: "Working",
    35: "Waiting for you",
    36: "Fetching",
    37: "Recalling",
    40: "Searching",
    42: "Reading",
    43: "Editing",
    44: "Running",
    45: "Testing",
    46: "Planning",
    48: "Delegating",
    49: "Syncing",
}
_PLACE = re.compile(r"\{(\w+)\}")


def caption(signal: Signal, code: int, captions: str) -> str:
    """Text for `signal` while `code` shows; "" where there is none or captions are off."""
    if captions == "off" or not signal.rule.tips:
        return ""
    words = {"verb": VERBS.get(code, VERBS[32])}
    if "{file}" in signal.rule.tips and signal.file:
        below = inside(signal.file, signal.folder) if captions == "full" else ""
        words["file"] = below or file_name(signal.file)
    if "{command}" in signal.rule.tips and signal.command:
        words["command"] = shell.look(signal.command).word
    text = _PLACE.sub(lambda place: words.get(place[1], ""), signal.rule.tips)
    text = " ".join(text.split()).replace(" ?", "?")
    named = words.get("file") or words.get("command")
    return text if named else text[:1].upper() + text[1:]
