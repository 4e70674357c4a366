"""Aora Face: the code protocol, the arbiter and the face, for board and host alike.

Names are loaded when first used, so that a board holds only what it needs.
"""

_HOMES = {
    "state_for_emotion": "protocol",
    "emotion_id_for_state": "protocol",
    "parse_agent_message": "message",
    "normalize": "message",
    "is_hud_spec": "hud",
    "state_for_tool": "tools",
    "state_for_activity": "tools",
    "character_state_for_roster": "tools",
    "Arbiter": "arbiter",
    "Line": "line",
    "Idle": "idle",
}


def __getattr__(name):
    home = _HOMES.get(name)
    if home is not None:
        return getattr(__import__("aora." + home, None, None, [home]), name)
    # `from aora import line` asks here first on MicroPython.
    if not name.startswith("__"):
        try:
            return __import__("aora." + name, None, None, [name])
        except ImportError:
            pass
    raise AttributeError(name)
