"""One UF2 with MicroPython and the firmware in it, to drag onto a board."""

from __future__ import annotations

from littlefs import LFSConfig, LittleFS, UserContext

from host_bridge import chips
from host_bridge.boards import Board
from host_bridge.flash import FlashError, build, uf2

# Where MicroPython keeps its files, by the name of its download: the UF2 itself says it too,
# from 1.14 on. (address, size); ports/rp2/boards/*/mpconfigboard.h.
LAYOUT = {
    "RPI_PICO": (0x100A0000, 1408 * 1024),
    "RPI_PICO_W": (0x1012C000, 848 * 1024),
    "RPI_PICO2": (0x10100000, 3072 * 1024),
    "RPI_PICO2_W": (0x10180000, 2560 * 1024),
}
BLOCK = 4096
DISK_VERSION = 0x00020000  # littlefs 2.0: every MicroPython with littlefs 2 mounts it


def make(board: Board, program: bytes, name: str = "") -> bytes:
    """Join the user's MicroPython UF2 and a file system with the firmware; FlashError says
    what does not fit. `name`: the UF2's file name, for a UF2 that does not say its layout."""
    if board.RUNTIME != "micropython" or not board.chip.spi:
        raise FlashError(f"{board.NAME} starts from no UF2; use aora flash {board.NAME}")
    blocks = uf2.read(program)
    info = uf2.info(blocks)
    if info.chip != board.MCU and board.FORM == "built-in":
        raise FlashError(f"this UF2 is for {info.chip}, {board.NAME} has {board.MCU}")
    address, size = _layout(info, name)
    inside = [b for b in blocks if b.family in uf2.FAMILIES and b.address < address + size]
    if any(block.address + len(block.data) > address for block in inside):
        raise FlashError("this UF2 holds a file system already: take MicroPython's own")
    files = build.files(board, chips.CHIPS[info.chip].arch, info.chip)
    image, looked_at = file_system(files, size)
    start, code = uf2.memory(blocks)
    family = inside[0].family
    others = [block for block in blocks if block.family not in uf2.FAMILIES]
    sectors = {(block.address - start) // uf2.SECTOR for block in inside}
    code_blocks = uf2.place(code, start, family, sectors)
    return uf2.write(others + code_blocks + uf2.place(image, address, family, looked_at))


def _layout(info: uf2.Info, name: str) -> tuple[int, int]:
    """(address, size) of the file system: as the UF2 says, else by its name."""
    if info.fs_size:
        return info.fs_address, info.fs_size
    known = name.split("-")[0]
    if known not in LAYOUT:
        raise FlashError("this UF2 does not say where its files lie: is it MicroPython?")
    return LAYOUT[known]


class _Watched(UserContext):
    """A flash that notes which of its sectors are looked at."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.sectors: set[int] = set()

    def read(self, cfg: LFSConfig, block: int, off: int, size: int) -> bytearray:
        self.sectors.add(block)
        return super().read(cfg, block, off, size)


def file_system(files: dict[str, bytes], size: int) -> tuple[bytes, set[int]]:
    """A littlefs of `size` bytes with these files, as MicroPython's rp2 port lays it out, and
    the sectors that reading it looks at. Some of those are blank, such as the second half of a
    folder's pair: what an earlier file system left there would be taken for news."""
    flash = _Watched(size)
    fs = LittleFS(
        flash,
        block_size=BLOCK,
        block_count=size // BLOCK,
        read_size=32,
        prog_size=256,
        cache_size=256,
        lookahead_size=32,
        disk_version=DISK_VERSION,
    )
    for path, data in files.items():
        with fs.open(path, "wb") as file:
            file.write(data)
    fs.unmount()
    flash.sectors.clear()
    fs.mount()
    for path in files:
        with fs.open(path, "rb") as file:
            file.read()
    return bytes(flash.buffer), flash.sectors
