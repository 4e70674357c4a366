"""The firmware's modules as one file, which aora_pack imports from on the board.

A byte says how many places there are: pairs of 32-bit numbers, the lower 30 bits of the CRC-32 of
a path, and where the file starts, or 0 for a folder. Then come the files. A module says itself
where it ends; any other file goes on to the end: there is one, and it lies last.
"""

from __future__ import annotations

import binascii
import struct
from pathlib import PurePosixPath


def pack(files: dict[str, bytes]) -> bytes:
    """Joins files, by their paths."""
    ordered = sorted(files.items(), key=lambda file: not file[0].endswith(".mpy"))
    assert all(name.endswith(".mpy") for name, _ in ordered[:-1]), "which of them lies last?"
    folders = {parent for name in files for parent in PurePosixPath("/", name).parents}
    places = [(_key(str(folder)), 0) for folder in folders if folder.name]
    at = 1 + 8 * (len(places) + len(files))
    for name, data in ordered:
        places.append((_key(f"/{name}"), at))
        at += len(data)
    assert len(dict(places)) == len(places), "two paths of one CRC"
    index = b"".join(struct.pack("<ii", *place) for place in sorted(places))
    return b"".join([bytes([len(places)]), index, *(data for _, data in ordered)])


def _key(path: str) -> int:
    return binascii.crc32(path.encode()) & 0x3FFFFFFF  # a small integer on any board
