"""What the scanner looks things up in: vocabularies, and JSON's grammar as numbers.

They are worked out here; a board gets what came out (host_bridge/flash/bake.py).
"""

from array import array


def words(names):
    """A vocabulary, names in bytes with blanks between, to look bytes up in without a string.

    uint16: the hash mask, the number of names, then a slot a hash: 0 for none, else the place
    here of a name's ordinal, length and bytes.
    """
    names = names.split()
    size = 8
    while size < 2 * len(names):
        size *= 2
    table = array("H", [size - 1, len(names)] + [0] * size)
    for ordinal in range(len(names)):
        slot = 0
        for byte in names[ordinal]:
            slot = (slot * 31 + byte) & 0xFFFF
        slot &= size - 1
        while table[2 + slot]:
            slot = (slot + 1) & (size - 1)
        table[2 + slot] = len(table)
        table.append(ordinal)
        table.append(len(names[ordinal]))
        table.extend(array("H", list(names[ordinal])))
    return table


# Classes of bytes. Those before `plain` are not a string's plain text: what no string holds,
# its end, escapes, and UTF-8's bytes by what may follow or go before.
_CLASSES = (
    ("wrong", ()),
    ("blank", b"\t\n\r"),
    ('"', b'"'),
    ("\\", b"\\"),
    ("80-8F", range(0x80, 0x90)),
    ("90-9F", range(0x90, 0xA0)),
    ("A0-BF", range(0xA0, 0xC0)),
    ("C2-DF", range(0xC2, 0xE0)),
    ("E0", b"\xe0"),
    ("E1-EF", range(0xE1, 0xF0)),
    ("ED", b"\xed"),
    ("F0", b"\xf0"),
    ("F1-F3", range(0xF1, 0xF4)),
    ("F4", b"\xf4"),
    ("plain", ()),  # what has no class of its own
    ("space", b" "),
    ("1-9", b"123456789"),
    ("cdA-F", b"cdABCDF"),
) + tuple([(byte, byte.encode()) for byte in "{}[]:,/+-.0abefnrtulsE"])

_PLAIN = "space 1-9 cdA-F plain { } [ ] : , / + - . 0 a b e f n r t u l s E"
_HEX = "0 1-9 a b e f E cdA-F"
_VALUE = (
    '" > text | { > object | [ > array | - > minus | 0 > zero | 1-9 > whole'
    " | t > true | f > false | n > null"
)

# States: where each class of bytes leads, and where all others do: to a state, or to one of
# scan's actions below.
_STATES = (
    ("value", "wrong", "space blank > value | " + _VALUE),
    ("item", "wrong", "space blank > item | ] > array end | " + _VALUE),
    ("key", "wrong", 'space blank > key | " > name'),
    ("member", "wrong", 'space blank > member | " > name | } > object end'),
    ("colon", "wrong", "space blank > colon | : > value"),
    (
        "done",
        "wrong",
        "space blank > done | , > comma | } > object end | ] > array end | wrong > stop",
    ),
    ("-", "wrong", "0 > 0 | 1-9 > 1"),
    ("0", "integer", ". > . | e E > e"),
    ("1", "integer", "0 1-9 > 1 | . > . | e E > e"),
    (".", "wrong", "0 1-9 > .1"),
    (".1", "real", "0 1-9 > .1 | e E > e"),
    ("e", "wrong", "+ - > e+ | 0 1-9 > e1"),
    ("e+", "wrong", "0 1-9 > e1"),
    ("e1", "real", "0 1-9 > e1"),
    ("t", "wrong", "r > tr"),
    ("tr", "wrong", "u > tru"),
    ("tru", "wrong", "e > word"),
    ("f", "wrong", "a > fa"),
    ("fa", "wrong", "l > fal"),
    ("fal", "wrong", "s > tru"),
    ("n", "wrong", "u > nu"),
    ("nu", "wrong", "l > nul"),
    ("nul", "wrong", "l > word"),
    (
        "string",
        "wrong",
        _PLAIN + ' > string | " > quote | \\ > escape | C2-DF > 80 | E0 > A0'
        " | E1-EF > 80 80 | ED > 9F | F0 > 90 | F1-F3 > 80 80 80 | F4 > 8F",
    ),
    ("\\", "wrong", '" \\ / b f n r t > string | u > u'),
    ("u", "wrong", _HEX + " > u1"),
    ("u1", "wrong", _HEX + " > u2"),
    ("u2", "wrong", _HEX + " > u3"),
    ("u3", "wrong", _HEX + " > string"),
    ("80", "wrong", "80-8F 90-9F A0-BF > string"),
    ("80 80", "wrong", "80-8F 90-9F A0-BF > 80"),
    ("80 80 80", "wrong", "80-8F 90-9F A0-BF > 80 80"),
    # The second byte's range rules out overlong forms, surrogates and the rest.
    ("A0", "wrong", "A0-BF > 80"),
    ("9F", "wrong", "80-8F 90-9F > 80"),
    ("90", "wrong", "90-9F A0-BF > 80 80"),
    ("8F", "wrong", "80-8F > 80 80"),
)

# What scan does on the way, and the state after it, where that is always the same.
_ACTIONS = (
    ("name", "string"),
    ("text", "string"),
    ("quote", "done"),
    ("integer", "done"),
    ("real", "done"),
    ("word", "done"),
    ("object", "member"),
    ("array", "item"),
    ("object end", "done"),
    ("array end", "done"),
    ("comma", "value"),
    ("minus", "-"),
    ("zero", "0"),
    ("whole", "1"),
    ("true", "t"),
    ("false", "f"),
    ("null", "n"),
    ("escape", "\\"),
    ("stop", "done"),
    ("wrong", "done"),
)

_ESCAPES = {0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09}


def grammar():
    """JSON as bytes: bytes' classes, where each state leads by class, where each action leads,
    and what escapes mean from `b` to `t`."""
    table = bytearray(256)
    names = [name for name, _ in _CLASSES]
    for byte in range(0x20, 0x80):
        table[byte] = names.index("plain")
    for place in range(len(_CLASSES)):
        for byte in _CLASSES[place][1]:
            table[byte] = place
    numbers = [state[0] for state in _STATES] + [action[0] for action in _ACTIONS]
    for _, others, rules in _STATES:
        row = bytearray([numbers.index(others)] * len(_CLASSES))
        for rule in rules.split(" | "):
            classes, goal = rule.split(" > ")
            for name in classes.split():
                row[names.index(name)] = numbers.index(goal)
        table.extend(row)
    table.extend(bytes([numbers.index(goal) for _, goal in _ACTIONS]))
    for byte in range(0x62, 0x75):
        table.append(_ESCAPES.get(byte, 0))
    return bytes(table)
