"""What a host asks for once in a while: hello, set, blobs.

Loaded by the line that needs it and let go again, for the memory.
A blob is a file that comes in pieces and is kept under /blobs once its checksum is right.
"""

import binascii
import json
import os
import sys

from aora import line

PROTO = 1
FIRMWARE = "0.1.0"
BLOBS = "blobs"
BLOB_LIMIT = 65536


def hello(board, settings, slots, ring, uid):
    """The answer to hello, as a dict."""
    width, height = board.PANEL["width"], board.PANEL["height"]
    if settings.rotation in (90, 270):
        width, height = height, width
    return {
        "hello": {
            "proto": PROTO,
            "fw": FIRMWARE,
            "board": board.NAME,
            "id": uid,
            "name": settings.name,
            "runtime": sys.implementation.name,
            "panel": [width, height],
            "leds": settings.leds,
            "buttons": sorted(board.BUTTONS),
            "slots": slots,
            "line": line.LINE_BYTES,
            "ring": ring,
        }
    }


def change(settings, told):
    """Sets what a line says: a sentence if it was wrong, and the settings' names."""
    start = told.fields[line.SET_KEY + 1]
    values = json.loads(bytes(told.buffer[start : start + told.fields[line.SET_KEY + 2]]))
    return settings.set(values), list(values)


def piece(told):
    """Takes a piece of a blob; a sentence if something is wrong with it.

    Each line says `at` which byte of `of` its data starts, and the whole blob's CRC-32 in hex.
    """
    name = _text(told, line.BLOB_KEY)
    at = told.integer(line.BLOB_AT)
    of = told.integer(line.BLOB_OF)
    wanted = _text(told, line.BLOB_CRC)
    if not _is_name(name) or at < 0 or not 0 < of <= BLOB_LIMIT or len(wanted) != 8:
        return "blob takes an id of 1-24 of a-z 0-9 -, at, of up to %d, data, crc" % BLOB_LIMIT
    data = _decode(_text(told, line.BLOB_DATA))
    if data is None:
        return "blob %s: data is not base64" % name
    try:
        return _keep(BLOBS + "/" + name, at, of, data, wanted)
    except OSError as error:
        return "blob %s: could not be kept: %s" % (name, error)


def _decode(text):
    # MicroPython passes over what is not base64.
    try:
        data = binascii.a2b_base64(text)
    except ValueError:
        return None
    return data if binascii.b2a_base64(data).strip() == text.encode() else None


def _keep(path, at, of, data, wanted):
    beside = path + ".new"
    if at == 0:
        if BLOBS not in os.listdir():
            os.mkdir(BLOBS)
        size = 0
    else:
        size = _size(beside)
    if at != size or at + len(data) > of:
        return "%s: expected at %d" % (path, size)
    with open(beside, "ab" if at else "wb") as file:
        file.write(data)
    if at + len(data) < of:
        return None
    if _crc(beside) != wanted:
        os.remove(beside)
        return "%s: its checksum is wrong, send it again" % path
    os.rename(beside, path)
    return None


def _size(path):
    try:
        return os.stat(path)[6]
    except OSError:
        return 0


def _crc(path):
    crc = 0
    with open(path, "rb") as file:
        data = file.read(512)
        while data:
            crc = binascii.crc32(data, crc)
            data = file.read(512)
    return "%08x" % (crc & 0xFFFFFFFF)


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
