"""An update as the line that goes to boards: cut to fixed sizes, at most 1,024 bytes with LF."""

from __future__ import annotations

import json
import re
import unicodedata
from decimal import Decimal
from typing import Any

from aora.line import LINE_BYTES as LINE_BYTES
from aora.line import cut_id
from aora.protocol import CONDITION, SETTLE
from aora.record import ID_BYTES, TIPS_BYTES

DIGITS = 9
OLD_MS = 10_000  # an event older than this is only marked on its session's seat
DONE_CODE = "33"
_SMALLEST = 1e-9
_BLANKS = dict.fromkeys([*range(32), *range(127, 160)], " ")
_TURNS = dict.fromkeys([0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_UNSEEN = {**_BLANKS, **_TURNS}
_COLOURS = re.compile("\x1b\\[[0-9;]*[A-Za-z]")


def encode(update: dict[str, Any], **extra: int) -> bytes:
    """The line of a normalized update, LF included; `extra` are the link's own fields."""
    message = as_message(update)
    message.update(extra)
    return dump(message)


def dump(message: dict[str, Any]) -> bytes:
    """Any object as a line of unescaped UTF-8."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def as_message(update: dict[str, Any]) -> dict[str, Any]:
    """A normalized update in the wire's own words, every value cut to its size."""
    session = session_id(update["sessionId"])
    for word in ("end", "touch"):
        if word in update:
            return {"session_id": session, word: True}
    message: dict[str, Any] = {"session_id": session, "aoraBotId": update["emotionId"]}
    tips = cut(update.get("tips", ""), TIPS_BYTES)
    if tips:
        message["tips"] = tips
    if "hud" in update:
        message["hud"] = {key: _field(value) for key, value in update["hud"].items()}
    if update["headless"]:
        message["headless"] = True
    return message


def session_id(text: str) -> str:
    """A session id of at most 64 bytes; what is longer ends in a hash of the whole."""
    text = text.translate(_BLANKS)
    raw = text.encode("utf-8", "replace")
    if len(raw) <= ID_BYTES:
        return raw.decode()
    short = bytearray(ID_BYTES)
    return short[: cut_id(raw, 0, len(raw), short)].decode()


def cut(text: str, most: int) -> str:
    """Text without controls and colours, cut at a whole character within `most` bytes.

    Accents are put together with their letters: a board draws no mark of its own.
    """
    text = _COLOURS.sub("", text[: 2 * most]).translate(_UNSEEN)
    if text.isascii():
        return text[:most]
    text = unicodedata.normalize("NFC", text)
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _field(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return [number(v) for v in value] if isinstance(value, list) else number(value)


def number(value: float) -> float:
    """A dial's number cut (not rounded) to nine significant digits; below 10^-9 it is 0."""
    if abs(value) < _SMALLEST:
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if len(repr(value)) <= DIGITS:
        return value
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    spare = max(0, len(digits) - DIGITS)
    kept = Decimal((sign, digits[:DIGITS], int(exponent) + spare))
    return int(kept) if kept == int(kept) else float(kept)


class Line:
    """A message on its way to the boards: its bytes, and what decides how it may be merged."""

    __slots__ = ("at_ms", "code", "data", "event", "headless", "kind", "session")

    def __init__(self, update: dict[str, Any], at_ms: int) -> None:
        message = as_message(update)
        self.data = dump(message)
        self.session: str = message["session_id"]
        self.at_ms = at_ms
        self.code = int(message.get("aoraBotId", -1))
        self.headless = "headless" in message
        self.kind = "end" if "end" in message else "touch" if "touch" in message else "update"
        self.event = self.code >= 0 and SETTLE[self.code] != CONDITION and not self.headless

    def numbered(self, **extra: int) -> bytes:
        """The line with the link's own fields."""
        fields = "".join(f',"{key}":{value}' for key, value in extra.items())
        return b"%s%s}\n" % (self.data[:-2], fields.encode())


class Aside(Line):
    """A line about a session that is no message of it: for boards only, and no slot changes."""

    __slots__ = ()

    def __init__(self, kind: str, session: str, message: dict[str, Any], at_ms: int) -> None:
        self.session = session
        self.data = dump(message)
        self.at_ms = at_ms
        self.code = -1
        self.headless = self.event = False
        self.kind = kind


def doubt(session: str, at_ms: int) -> Aside:
    """Nobody knows any more what a session does; its next update ends that."""
    short = session_id(session)
    return Aside("doubt", short, {"doubt": short}, at_ms)


def done(session: str, at_ms: int) -> Aside:
    """A session is done without a word on the face: an event so old that it marks its seat."""
    short = session_id(session)
    message = {"session_id": short, "aoraBotId": DONE_CODE, "age_ms": OLD_MS}
    return Aside("done", short, message, at_ms)
