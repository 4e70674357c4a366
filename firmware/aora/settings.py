"""Settings in force, kept across power cuts.

The file is one line of JSON and one of its CRC; it is written whole beside the old one and
renamed over it, so that a cut leaves the old settings or the new.
"""

import binascii
import json
import os

from aora._shim import forget

PATH = "settings.json"


def _table():
    from aora import table

    return table


class Settings:
    """Each setting is an attribute; `quiet_from` and `quiet_to` are `quiet` in minutes.

    `fell_back` says why the file was not used, or is "".
    """

    brightness: int
    ring_brightness: int
    quiet: str
    shape: str
    colour: str
    rotation: int
    mirror: bool
    invert: bool
    bgr: bool
    dx: int
    dy: int
    leds: int
    ring_offset: int
    ring_dir: int
    ring: str
    budget_ma: int
    motion: str
    sticky_ms: int
    dwell: int
    name: str

    def __init__(self, board, path=PATH):
        self._path = path
        self.fell_back = ""
        self._take(_table().defaults(board))
        self._load()
        forget("table")

    def values(self):
        """All settings by name."""
        values = {row[0]: getattr(self, row[0]) for row in _table().TABLE}
        forget("table")
        return values

    def set(self, values):
        """Checks all, then sets and keeps all; a sentence if one is wrong and none was set."""
        wrong = _table().wrong(values)
        if wrong:
            forget("table")
            return wrong
        self._take(values)
        try:
            self._save()
        except OSError as error:
            return "settings are in force but could not be kept: %s" % error
        return None

    def _take(self, values):
        for name in values:
            setattr(self, name, values[name])
        self.quiet_from, self.quiet_to = _table().minutes(self.quiet)

    def _load(self):
        try:
            with open(self._path, "rb") as file:
                data = file.readline().rstrip(b"\n")
                crc = file.readline().strip()
        except OSError:
            return  # never set: the defaults are right
        if crc != _crc(data):
            self.fell_back = "%s is damaged: the defaults are used" % self._path
            return
        values = json.loads(data)
        # A setting that this firmware does not know, or takes otherwise, is left out.
        problem = _table().problem
        self._take({n: values[n] for n in values if problem(n, values[n]) is None})

    def _save(self):
        data = json.dumps(self.values()).encode()
        beside = self._path + ".new"
        with open(beside, "wb") as file:
            file.write(data + b"\n" + _crc(data) + b"\n")
        os.rename(beside, self._path)


def _crc(data):
    return b"%08x" % (binascii.crc32(data) & 0xFFFFFFFF)
