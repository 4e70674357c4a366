"""Blobs: files that the host sends in pieces, kept under /blobs once their checksum is right."""

import binascii
import os

from aora import line

FOLDER = "blobs"
LIMIT = 65536


class Blob:
    """One blob at a time; `crc` of each piece's line is the whole blob's CRC-32 in hex."""

    def __init__(self):
        self._name = ""
        self._size = 0
        self._crc = 0

    def take(self, told):
        """Takes the piece in a line; a sentence if something is wrong with it."""
        name = _text(told, line.BLOB_KEY)
        at = told.integer(line.BLOB_AT)
        of = told.integer(line.BLOB_OF)
        wanted = _text(told, line.BLOB_CRC)
        if not _is_name(name) or at < 0 or not 0 < of <= LIMIT or len(wanted) != 8:
            return "blob takes an id of 1-24 of a-z 0-9 -, at, of up to %d, data, crc" % LIMIT
        try:
            data = binascii.a2b_base64(_text(told, line.BLOB_DATA))
        except ValueError:
            return "blob %s: data is not base64" % name
        if at == 0:
            self._name, self._size, self._crc = name, 0, 0
        if name != self._name or at != self._size or at + len(data) > of:
            return "blob %s: expected at %d" % (name, self._size if name == self._name else 0)
        try:
            return self._write(name, at, of, data, wanted)
        except OSError as error:
            return "blob %s: could not be kept: %s" % (name, error)

    def _write(self, name, at, of, data, wanted):
        if FOLDER not in os.listdir():
            os.mkdir(FOLDER)
        path = FOLDER + "/" + name
        with open(path + ".new", "ab" if at else "wb") as file:
            file.write(data)
        self._size = at + len(data)
        self._crc = binascii.crc32(data, self._crc)
        if self._size < of:
            return None
        self._name = ""
        if "%08x" % (self._crc & 0xFFFFFFFF) != wanted:
            os.remove(path + ".new")
            return "blob %s: its checksum is wrong, send it again" % name
        os.rename(path + ".new", path)
        return None


def _text(told, key):
    start = told.fields[key + 1]
    return str(bytes(told.buffer[start : start + told.fields[key + 2]]), "utf-8")


def _is_name(name):
    if not 1 <= len(name) <= 24:
        return False
    for character in name:
        if not ("a" <= character <= "z" or "0" <= character <= "9" or character == "-"):
            return False
    return True
