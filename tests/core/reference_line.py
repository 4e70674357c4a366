"""What a line must mean, by the standard library: `normalize(json.loads(line))` after the cuts."""

from __future__ import annotations

import json
from decimal import ROUND_DOWN, Context, Decimal
from typing import Any

from aora.line import ERRORS
from aora.message import normalize

_NINE = Context(prec=9, rounding=ROUND_DOWN)
_TINY = Decimal("1e-9")
_HUGE = Decimal("1e12")


class _Refused(Exception):
    pass


class Number:
    """A number as written, to be cut later."""

    def __init__(self, text):
        self.text = text

    def cut(self):
        """The number within nine digits: 0 below 10^-9, infinite from 10^12 on."""
        mantissa, _, exponent = self.text.lower().partition("e")
        far = max(-5000, min(5000, int(exponent or 0)))  # no line's mantissa reaches across that
        value = Decimal(f"{mantissa}e{far}")
        if value.copy_abs() < _TINY:
            return 0
        if value.copy_abs() >= _HUGE:
            return float("inf")
        value = _NINE.plus(value)
        return int(value) if value == value.to_integral_value() else float(value)

    def session(self):
        whole = self.text.lstrip("-").isdigit()
        return int(self.text) if whole else 0.5


def _no_constant(name):
    raise _Refused("not JSON")


def _pairs(pairs):
    for key, value in pairs:
        _check_text([key, value])
    return dict(pairs)


def _check_text(value):
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, list):
        for item in value:
            _check_text(item)


def _depth(text):
    deepest = depth = 0
    inside = escaped = False
    for character in text:
        if inside:
            inside = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            inside = True
        elif character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def _cut(value):
    if isinstance(value, Number):
        return value.cut()
    if isinstance(value, list):
        return [_cut(item) for item in value]
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return value


def _load(data):
    try:
        text = data.decode()
        if _depth(text) > 16:
            raise _Refused("not JSON")
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=Number,
            parse_int=Number,
            object_pairs_hook=_pairs,
        )
        _check_text(value)
    except (ValueError, UnicodeError, RecursionError):
        raise _Refused("not JSON") from None
    return value


def reference(data: bytes):
    """The update of a line (its LF left off), or the error text."""
    if len(data) > 1023:
        return "too long"
    try:
        value = _load(data)
    except _Refused as refusal:
        return str(refusal)
    session = value.get("session_id") if isinstance(value, dict) else None
    message: Any = _cut(value)
    if isinstance(session, Number):
        message["session_id"] = session.session()
    answer = normalize(message)
    if not answer["ok"]:
        return answer["error"]
    return _sized(answer["update"])


def _sized(update):
    if "tips" in update:
        update["tips"] = update["tips"].encode()[:160].decode(errors="ignore")
        if not update["tips"]:
            del update["tips"]
    session = update["sessionId"].encode()
    if len(session) > 64:
        kept = session[:54].decode(errors="ignore").encode()
        high = low = 1
        for byte in session:
            high = (high * 31 + byte) % 2**18
            low = (low * 1021 + byte) % 2**18
        session = kept + b"~%09x" % (high << 18 | low)
    update["sessionId"] = session.decode()
    return update


def told(line):
    """What a Line read, in the reference's form."""
    from aora.line import END, REFUSED, TOUCH, UPDATE
    from host_bridge import replay

    kind = line.parse()
    if kind == REFUSED:
        return ERRORS[line.error]
    if kind > TOUCH:
        return "missing session_id"
    record = line.record
    update: dict[str, Any] = {"sessionId": bytes(record.id[: record.id_len]).decode()}
    if kind == END:
        update["end"] = True
    if kind == TOUCH:
        update["touch"] = True
    if kind != UPDATE:
        return update
    shown = json.loads(replay.face(record, 0))
    update |= {"emotionId": shown["code"], "state": shown["state"]}
    update["headless"] = record.headless
    return update | {key: shown[key] for key in ("tips", "hud") if shown[key] is not None}


def read(line, data: bytes):
    """Feeds a line's bytes and its LF; answers what it read."""
    for byte in data:
        line.feed(byte)
    assert line.feed(0x0A)
    return told(line)
