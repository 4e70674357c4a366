"""Replays a log of wire messages through line and arbiter; prints each change of the face.

The same file runs on CPython (`aora replay`) and as a script on MicroPython, where it is given
the log's path and a first tick. Only what both share is used here.
"""

import json
import sys
from array import array

from aora import _scan, _tables, hud, ticks
from aora.arbiter import Arbiter
from aora.line import AT_MS, END, ERRORS, LINE_BYTES, REFUSED, TOUCH, UPDATE, Line
from aora.protocol import STATES, two_digits

TAIL_MS = 300000
_STRIDE = 1 << 27  # time moves on in steps that a tick difference can hold
_ESCAPES = {0x22: '\\"', 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}
_NUMBERS = ("min_display_ms", "ttl_ms", "slots", "queue", "sticky_ms")
_TABLES = ("by_state", "priority")
_LIMITS = {"slots": 255, "queue": 255}
_MOST = 100000000


def string(data):
    """A JSON string of UTF-8 bytes."""
    text = ""
    for character in str(bytes(data), "utf-8"):
        code = ord(character)
        text += _ESCAPES.get(code) or ("\\u%04x" % code if code < 0x20 else character)
    return '"' + text + '"'


def decimal(mantissa, exponent):
    """mantissa x 10^exponent as the shortest plain decimal."""
    digits = str(abs(mantissa))
    if exponent >= 0:
        digits += "0" * exponent
    else:
        digits = "0" * (1 - exponent - len(digits)) + digits
        digits = digits[:exponent] + "." + digits[exponent:]
    return ("-" if mantissa < 0 else "") + digits


def dial(spec):
    """A Hud as JSON; null for none."""
    if not spec.kind:
        return "null"
    numbers = [decimal(mantissa, exponent) for mantissa, exponent in spec.numbers()]
    names = [field[0] for field in hud.FIELDS[spec.kind]]
    if spec.kind == hud.WAVEFORM:
        numbers = ["[" + ",".join(numbers) + "]"]
    fields = ['"%s":%s' % pair for pair in zip(names, numbers)]
    return '{"kind":"%s",%s}' % (hud.KINDS[spec.kind - 1], ",".join(fields))


def face(record, at_ms):
    """A record on the face as a line of JSON."""
    session = string(record.id[: record.id_len]) if record.id_len else "null"
    tips = string(record.tips[: record.tips_len]) if record.tips_len else "null"
    return '{"at_ms":%d,"code":"%s","state":"%s","session_id":%s,"tips":%s,"hud":%s}' % (
        at_ms,
        two_digits(record.code),
        STATES[record.state],
        session,
        tips,
        dial(record.hud),
    )


def check_options(options):
    """The arbiter's options of a log's first line; ValueError says what is wrong."""
    if not isinstance(options, dict):
        raise ValueError("options: not an object")
    for name, value in options.items():
        if name in _TABLES:
            if not isinstance(value, dict):
                raise ValueError("options: %s is not an object of state names" % name)
            values = value.values()
        elif name in _NUMBERS:
            values = [value]
        else:
            raise ValueError("options: %r is unknown" % name)
        for number in values:
            whole = isinstance(number, int) and not isinstance(number, bool)
            if not whole or not 0 <= number <= _LIMITS.get(name, _MOST):
                raise ValueError("options: %s takes whole numbers from 0" % name)
    if options.get("slots") == 0:
        raise ValueError("options: slots takes at least 1")
    return options


class Replay:
    """Feeds lines of bytes; `write(text)` gets each change, `refuse(number, error)` the rest."""

    def __init__(self, write, refuse, options=None, tick_start=0):
        self._write = write
        self._refuse = refuse
        self._line = Line()
        self._at_ms = 0
        self._number = 0 if options is None else 1  # lines read so far
        self.arbiter = Arbiter(
            on_apply=self._apply, now=tick_start & ticks.MASK, **(options or {})
        )
        self._tick = tick_start & ticks.MASK

    def _apply(self, record):
        behind = ticks.diff(self._tick, self.arbiter.now)
        self._write(face(record, self._at_ms - behind))

    def _advance(self, at_ms):
        while at_ms > self._at_ms:
            step = min(at_ms - self._at_ms, _STRIDE)
            self._at_ms += step
            self._tick = ticks.add(self._tick, step)
            self.arbiter.tick(self._tick)

    def feed(self, data):
        """One line, its LF left off."""
        self._number += 1
        line = self._line
        line.load(data)
        kind = line.parse()
        if kind == REFUSED or kind > TOUCH:
            self._refuse(self._number, ERRORS[line.error] or "missing session_id")
            return
        self._advance(line.integer(AT_MS))
        if kind == UPDATE:
            self.arbiter.update(line.record, self._tick)
        elif kind == END:
            self.arbiter.end(line.record, self._tick)
        else:
            self.arbiter.touch(line.record, self._tick)

    def finish(self):
        self._advance(self._at_ms + TAIL_MS)


def options_in(first):
    """The options in a log's first line; None where it is a message or nothing.

    The line is checked as strictly as any other before a lax JSON parser sees it.
    """
    buffer = bytearray(first + b"\0")
    fields = array("i", [0] * 6)
    words = _tables.words(b"options session_id")
    if _scan.scan((buffer, fields), 0, len(first), words) or fields[3] or not fields[0]:
        return None
    if fields[0] != _scan.OBJECT:
        raise ValueError("options: not an object")
    return check_options(json.loads(first)["options"])


def _lines(log):
    """A file's lines without their LF; of a longer one than any message only the start."""
    line = log.readline(LINE_BYTES + 1)
    while line:
        whole = line
        while line and not line.endswith(b"\n"):
            line = log.readline(LINE_BYTES + 1)
        yield whole.rstrip(b"\n")
        line = log.readline(LINE_BYTES + 1)


def run(path, tick_start, write, refuse):
    """Replays the file at `path`; answers the Replay. OSError, or ValueError for bad options."""
    with open(path, "rb") as log:
        replay = None
        for line in _lines(log):
            if replay is None:
                options = options_in(line)
                replay = Replay(write, refuse, options, tick_start)
                if options is not None:
                    continue
            replay.feed(line)
        if replay is not None:
            replay.finish()
        return replay


def main(path, tick_start):
    def refuse(number, error):
        print("line %d: %s" % (number, error), file=sys.stderr)

    try:
        run(path, tick_start, print, refuse)
    except ValueError as error:
        print("%s: line 1: %s" % (path, error), file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
