"""UF2 files: reading, joining, and the facts an RP2 program tells of itself.

A UF2 is blocks of 512 bytes, each with 256 bytes for one flash address. RP2 programs carry
"binary info": MicroPython's says where in flash its file system lies.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from host_bridge.flash import FlashError

FAMILIES = {0xE48BFF56: "rp2040", 0xE48BFF59: "rp2350"}  # 59: Arm, secure
ABSOLUTE = 0xE48BFF57  # RP2350: one block that works around an erratum of its boot ROM
FLASH = 0x10000000
SECTOR, PAGE = 4096, 256

_HEADER = struct.Struct("<8I")
_MAGIC = 0x0A324655, 0x9E5D5157
_MAGIC_END = 0x0AB16F30
_HAS_FAMILY = 0x2000

_INFO_START, _INFO_END = 0x7188EBF2, 0xE71AA390
_TAG_MICROPYTHON = b"MP"
_BLOCK_DEVICE, _ID_AND_STRING = 7, 6
_ID_VERSION = 0x11A9BC3A  # the program's version string


@dataclass(frozen=True)
class Block:
    """One block: what goes where, and for which chip."""

    address: int
    data: bytes
    family: int


def read(data: bytes) -> list[Block]:
    """The blocks of a UF2; FlashError if it is none."""
    if not data or len(data) % 512:
        raise FlashError("this is no UF2 file: its size is no multiple of 512")
    return [_block(data[at : at + 512], at // 512) for at in range(0, len(data), 512)]


def _block(raw: bytes, number: int) -> Block:
    first, second, flags, address, size, _, _, family = _HEADER.unpack_from(raw)
    if (first, second) != _MAGIC or raw[-4:] != struct.pack("<I", _MAGIC_END) or size > 476:
        raise FlashError(f"this is no UF2 file: block {number} is broken")
    return Block(address, raw[32 : 32 + size], family if flags & _HAS_FAMILY else 0)


def write(blocks: list[Block]) -> bytes:
    """A UF2 of these blocks; each family is numbered on its own."""
    totals: dict[int, int] = {}
    for block in blocks:
        totals[block.family] = totals.get(block.family, 0) + 1
    done: dict[int, int] = {}
    out = []
    for block in blocks:
        number = done.get(block.family, 0)
        done[block.family] = number + 1
        # A lone absolute block keeps the count of two that its boot ROM wants to see.
        total = max(totals[block.family], 2 if block.family == ABSOLUTE else 1)
        head = (*_MAGIC, _HAS_FAMILY, block.address, len(block.data), number, total, block.family)
        out.append(_HEADER.pack(*head) + block.data.ljust(476, b"\0"))
        out.append(struct.pack("<I", _MAGIC_END))
    return b"".join(out)


def memory(blocks: list[Block]) -> tuple[int, bytes]:
    """The program as one piece: its address and its bytes, gaps as 0xFF."""
    program = [block for block in blocks if block.family in FAMILIES]
    if not program:
        raise FlashError("this UF2 is for no RP2040 or RP2350")
    start = min(block.address for block in program)
    image = bytearray(b"\xff" * (max(b.address + len(b.data) for b in program) - start))
    for block in program:
        image[block.address - start : block.address - start + len(block.data)] = block.data
    return start, bytes(image)


@dataclass(frozen=True)
class Info:
    """What a MicroPython UF2 says of itself; 0 or "" where it says nothing."""

    chip: str
    version: str = ""
    fs_address: int = 0
    fs_size: int = 0


def info(blocks: list[Block]) -> Info:
    """Read a program's binary info."""
    start, image = memory(blocks)
    chip = FAMILIES[next(block.family for block in blocks if block.family in FAMILIES)]
    version, address, size = "", 0, 0
    for entry in _entries(start, image):
        kind, tag = struct.unpack_from("<H2s", image, entry)
        if kind == _BLOCK_DEVICE and tag == _TAG_MICROPYTHON:
            address, size = struct.unpack_from("<II", image, entry + 8)
        elif kind == _ID_AND_STRING:
            identity, text = struct.unpack_from("<II", image, entry + 4)
            if identity == _ID_VERSION:
                version = _text(image, text - start)
    return Info(chip, version, address, size)


def _entries(start: int, image: bytes) -> list[int]:
    """Where in the image each entry of the binary info is."""
    marker = image.find(struct.pack("<I", _INFO_START), 0, 4096)
    if marker < 0 or marker + 20 > len(image):
        return []
    first, last, _, end = struct.unpack_from("<4I", image, marker + 4)
    if end != _INFO_END or not start <= first <= last <= start + len(image):
        return []
    pointers = struct.unpack_from(f"<{(last - first) // 4}I", image, first - start)
    return [p - start for p in pointers if start <= p <= start + len(image) - 16]


def _text(image: bytes, at: int) -> str:
    if not 0 <= at < len(image):
        return ""
    return image[at : image.find(b"\0", at)].decode("ascii", "replace")


def place(image: bytes, address: int, family: int, sectors: Iterable[int]) -> list[Block]:
    """Blocks for these sectors of a flash image, each whole. The RP2040's boot ROM erases a
    sector with the first of every sixteen block numbers, wherever the others lie: only whole
    sectors, one after another, are what was sent."""
    return [
        Block(address + page, image[page : page + PAGE].ljust(PAGE, b"\xff"), family)
        for sector in sorted(sectors)
        for page in range(sector * SECTOR, (sector + 1) * SECTOR, PAGE)
    ]
