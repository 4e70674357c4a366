"""What may be set: one table, its checks and a board's defaults.

A board loads this when a setting is read or changed, and lets it go again.
"""

SHAPES = ("blob", "pebble", "screen")
COLOURS = ("blue", "green", "orange", "yellow", "pink", "white")

# name, default (None: the board's), what it takes, unit or meaning.
# What it takes: (least, most) whole numbers, a tuple of words, bool, or a check of text.
TABLE = (
    ("brightness", 70, (0, 100), "% of the panel's light"),
    ("ring_brightness", 50, (0, 100), "% of the ring's light"),
    ("quiet", "", "hours", "HH:MM-HH:MM, or empty for never"),
    ("shape", "blob", SHAPES, "the character's body"),
    ("colour", "blue", COLOURS, "the character's colour"),
    ("rotation", None, (0, 90, 180, 270), "degrees clockwise"),
    ("mirror", None, bool, "the picture is mirrored"),
    ("invert", None, bool, "the glass wants inverse colours"),
    ("bgr", None, bool, "red and blue are swapped"),
    ("dx", None, (0, 320), "pixels the glass is offset to the right"),
    ("dy", None, (0, 320), "pixels the glass is offset downwards"),
    ("leds", None, (0, 60), "LEDs on the ring"),
    ("ring_offset", 0, (0, 59), "the LED that is at the top"),
    ("ring_dir", 1, (-1, 1), "1 clockwise, -1 counter-clockwise"),
    ("ring", "auto", ("auto", "seats", "dial"), "what the ring shows"),
    ("budget_ma", None, (20, 2000), "mA the whole ring may draw"),
    ("motion", "calm", ("calm", "lively", "still"), "how much the face moves"),
    ("sticky_ms", 8000, (0, 60000), "ms a session keeps the face among equals"),
    ("dwell", 900, (100, 10000), "ms a state stays on the face; below 500 it may flash"),
    ("name", "aora", "name", "1-24 letters, digits, - or _"),
)
_CHOICES = ("rotation", "ring_dir")  # numbers, but only these


def minutes(text):
    """(from, to) in minutes of the day of "22:00-07:00"; (-1, -1) for "". ValueError if wrong."""
    if text == "":
        return -1, -1
    ends = text.split("-")
    if len(ends) != 2:
        raise ValueError(text)
    times = []
    for end in ends:
        parts = end.split(":")
        if len(parts) != 2 or len(parts[0]) != 2 or len(parts[1]) != 2:
            raise ValueError(text)
        if not (parts[0] + parts[1]).isdigit():
            raise ValueError(text)
        hour, minute = int(parts[0]), int(parts[1])
        if hour > 23 or minute > 59:
            raise ValueError(text)
        times.append(hour * 60 + minute)
    return times[0], times[1]


def _is_name(text):
    if not isinstance(text, str) or not 1 <= len(text) <= 24:
        return False
    for character in text:
        if not ("a" <= character.lower() <= "z" or "0" <= character <= "9" or character in "-_"):
            return False
    return True


def _is_hours(text):
    try:
        minutes(text)
    except (ValueError, AttributeError):
        return False
    return True


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def problem(name, value):
    """What is wrong with a setting, as a sentence; None if it may be set."""
    for row in TABLE:
        if row[0] == name:
            return _problem(name, value, row[2])
    return "%s: there is no such setting" % name


def wrong(values):
    """What is wrong with settings by name, as a sentence; None if all may be set."""
    if not isinstance(values, dict):
        return "set takes an object"
    for name in values:
        sentence = problem(name, values[name])
        if sentence:
            return sentence
    return None


def _problem(name, value, takes):
    if takes is bool:
        fits, wants = isinstance(value, bool), "true or false"
    elif takes == "hours":
        fits, wants = _is_hours(value), "HH:MM-HH:MM or nothing"
    elif takes == "name":
        fits, wants = _is_name(value), "1-24 letters, digits, - or _"
    elif name in _CHOICES:
        fits, wants = _whole(value) and value in takes, " or ".join([str(t) for t in takes])
    elif isinstance(takes[0], str):
        fits, wants = isinstance(value, str) and value in takes, ", ".join(takes)
    else:
        fits = _whole(value) and takes[0] <= value <= takes[1]
        wants = "a whole number %d-%d" % takes
    return None if fits else "%s takes %s" % (name, wants)


def defaults(board):
    """All settings of a board that nobody has changed."""
    values = {row[0]: row[1] for row in TABLE}
    for name in ("rotation", "mirror", "invert", "bgr", "dx", "dy"):
        values[name] = board.PANEL[name]
    values["leds"] = board.RING["leds"]
    values["budget_ma"] = board.BUDGET_MA
    return values
