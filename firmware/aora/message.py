"""Messages as dicts: any of the wire's forms becomes one update, or an error text."""

import json

from aora.adapters import ADAPTERS
from aora.hud import known_fields
from aora.protocol import STATE_OF, STATES, code_of, emotion_id_for_state, two_digits


def _code_in(message):
    """The first valid of `aoraBotId`, `emotionId` and `state`, as a code; -1 for none."""
    for key in ("aoraBotId", "emotionId"):
        code = code_of(message.get(key))
        if code >= 0:
            return code
    known = emotion_id_for_state(message.get("state"))
    return -1 if known is None else int(known)


def _extras(message, answer):
    tips = message.get("tips")
    if isinstance(tips, str) and tips:
        answer["tips"] = tips
    hud = known_fields(message.get("hud"))
    if hud:
        answer["hud"] = hud
    return answer


def parse_agent_message(value):
    """{"emotionId", "state", "tips"?, "hud"?} of a code, a state name, an object or its JSON."""
    if isinstance(value, str) and value.strip()[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RuntimeError):
            return None
    if isinstance(value, dict):
        message = value
        code = _code_in(message)
    else:
        message = {}
        code = code_of(value)
        if code < 0:
            code = _code_in({"state": value})
    if code < 0:
        return None
    return _extras(message, {"emotionId": two_digits(code), "state": STATES[STATE_OF[code]]})


def _session(value):
    if isinstance(value, bool):
        return ""
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:  # CPython writes no number of thousands of digits
            return ""
    return value if isinstance(value, str) else ""


def _refuse(error):
    return {"ok": False, "error": error}


def _accept(update):
    return {"ok": True, "update": update}


def _by_event(message):
    """(code or "end", ""), or ("", error text), by `agent_id` + `event`."""
    agent = message["agent_id"]
    events = ADAPTERS.get(agent) if isinstance(agent, str) else None
    if events is None:
        return "", "unknown agent_id"
    event = message.get("event")
    code = events.get(event) if isinstance(event, str) else None
    return ("", "unknown event") if code is None else (code, "")


def normalize(message):
    """{"ok": True, "update": {...}} or {"ok": False, "error": text}; never raises."""
    if not isinstance(message, dict):
        return _refuse("not an object")
    session = _session(message.get("session_id"))
    if not session:
        return _refuse("missing session_id")
    for word in ("end", "touch"):
        if message.get(word) is True:
            return _accept({"sessionId": session, word: True})
    code = _code_in(message)
    if code < 0:
        if "agent_id" not in message:
            return _refuse("no state")
        known, error = _by_event(message)
        if error:
            return _refuse(error)
        if known == "end":
            return _accept({"sessionId": session, "end": True})
        code = int(known)
    update = {
        "sessionId": session,
        "emotionId": two_digits(code),
        "state": STATES[STATE_OF[code]],
        "headless": message.get("headless") is True,
    }
    return _accept(_extras(message, update))
