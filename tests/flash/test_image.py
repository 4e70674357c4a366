"""One UF2 with MicroPython and the firmware: read back by MicroPython's own littlefs."""

import hashlib
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from littlefs import LittleFS, UserContext

from host_bridge import boards, chips
from host_bridge.flash import FlashError, build, image, uf2

RP2040, RP2350, ABSOLUTE = 0xE48BFF56, 0xE48BFF59, 0xE48BFF57
PICO = ("RPI_PICO", RP2040, 0x100A0000, 1408 * 1024, 0x200000)
PICO2 = ("RPI_PICO2", RP2350, 0x10100000, 3072 * 1024, 0x400000)


def program(fs_address=0, fs_size=0, version="v1.28.0"):
    """A MicroPython of sorts: noise, with the binary info that the real one has."""
    base = 0x10000000
    data = bytearray(random.Random(4).randbytes(64 * 1024 + 5 * 256))  # ends within a sector
    data[:4096] = bytes(4096)
    texts, entries, info = base + 0x2000, [], []
    data[0x2000 : 0x2000 + len(version) + 1] = version.encode() + b"\0"
    info.append(struct.pack("<H2sII", 6, b"RP", 0x11A9BC3A, texts))
    if fs_size:
        info.append(struct.pack("<H2sIIIIH", 7, b"MP", texts, fs_address, fs_size, 0, 3))
    at = 0x1800
    for entry in info:
        data[at : at + len(entry)] = entry
        entries.append(base + at)
        at += 32
    pointers = 0x1700
    data[pointers : pointers + 4 * len(entries)] = struct.pack(f"<{len(entries)}I", *entries)
    head = (0x7188EBF2, base + pointers, base + pointers + 4 * len(entries), base, 0xE71AA390)
    data[0x1D4 : 0x1D4 + 20] = struct.pack("<5I", *head)
    return bytes(data)


def as_uf2(data, family, extra=b""):
    """What the SDK's tools make of a program."""
    blocks = [data[at : at + 256] for at in range(0, len(data), 256)]
    out = [extra]
    for number, block in enumerate(blocks):
        address = 0x10000000 + number * 256
        head = (0x0A324655, 0x9E5D5157, 0x2000, address, 256, number, len(blocks), family)
        out.append(struct.pack("<8I", *head) + block.ljust(476, b"\0") + b"\x30\x6f\xb1\x0a")
    return b"".join(out)


def e10_block():
    """The block that the RP2350's boot ROM needs before all others."""
    head = (0x0A324655, 0x9E5D5157, 0x2000, 0x10FFFF00, 256, 0, 2, ABSOLUTE)
    return struct.pack("<8I", *head) + (b"\xef" * 256).ljust(476, b"\0") + b"\x30\x6f\xb1\x0a"


def flash_of(data, size, family, flash=None):
    """What a boot ROM makes of a UF2 and of what was in flash. It counts blocks, and erases the
    sector at hand with the first of each sixteen numbers; it does not look at addresses."""
    flash = bytearray(flash or b"\xff" * size)
    raws = [data[at : at + 512] for at in range(0, len(data), 512)]
    heads = [struct.unpack_from("<8I", raw) for raw in raws]
    mine = [(h, raw) for h, raw in zip(heads, raws, strict=True) if h[7] == family]
    for number, (head, raw) in enumerate(mine):
        assert head[:2] == (0x0A324655, 0x9E5D5157) and raw[508:] == b"\x30\x6f\xb1\x0a"
        assert head[5:7] == (number, len(mine)) and head[4] == 256
        at = head[3] - 0x10000000
        if number % 16 == 0:
            flash[at & ~4095 : (at | 4095) + 1] = b"\xff" * 4096
        page = zip(flash[at : at + 256], raw[32:288], strict=True)
        flash[at : at + 256] = bytes(old & new for old, new in page)
    return bytes(flash)


def aora(*words, home):
    """The command as a person types it."""
    env = {"AORA_HOME": str(home), "PATH": "/usr/bin:/bin"}
    run = [sys.executable, "-m", "host_bridge.cli", *map(str, words)]
    return subprocess.run(run, capture_output=True, text=True, env=env, timeout=120)


@pytest.mark.parametrize(("known", "arch"), [(PICO, "armv6m"), (PICO2, "armv7emsp")])
def test_micropython_finds_the_firmware_in_the_image(tmp_path, micropython, known, arch):
    name, family, address, size, flash_size = known
    code = program(address, size)
    extra = e10_block() if family == RP2350 else b""
    given_uf2 = tmp_path / f"{name}-latest.uf2"
    given_uf2.write_bytes(as_uf2(code, family, extra))
    out = tmp_path / "joined.uf2"
    done = aora("image", "pico-generic", "--uf2", given_uf2, "--out", out, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hold BOOT" in done.stdout

    joined = out.read_bytes()
    assert joined.startswith(extra)
    flash = flash_of(joined, flash_size, family)
    assert flash[: len(code)] == code
    system = tmp_path / "fs.img"
    start = address - 0x10000000
    system.write_bytes(flash[start : start + size])
    reader = Path(__file__).parent / "mp_lfs.py"
    *files, last = micropython(reader, system, options=("-X", "heapsize=24m")).splitlines()
    mcu = "rp2040" if family == RP2040 else "rp2350"
    wanted = build.files(boards.load("pico-generic"), arch, mcu)
    assert dict(line.split() for line in files) == {
        path: hashlib.sha256(data).hexdigest() for path, data in wanted.items()
    }
    assert last == f"written True {size // 4096}"
    assert build.description(boards.load("pico-generic"), mcu).count(b"MCU = '" + mcu.encode())


def mounted(system):
    """A littlefs as a board has it mounted."""
    return LittleFS(
        UserContext(buffer=bytearray(system)),
        block_size=4096,
        block_count=len(system) // 4096,
        read_size=32,
        prog_size=256,
        cache_size=256,
        lookahead_size=32,
    )


def used(system, times):
    """The same file system after updates: every file sent to a stage and renamed in place."""
    fs = mounted(system)
    fs.mkdir("stage")
    paths = [f"{folder}/{name}" for folder, _, names in fs.walk("/") for name in names]
    for turn in range(times):
        for path in paths:
            with fs.open("stage/new", "wb") as file:
                file.write(f"{path} {turn} ".encode() * 300)
            fs.rename("stage/new", path)
    for turn in range(times):
        fs.mkdir(f"folder {turn}")
        with fs.open(f"folder {turn}/log", "wb") as file:
            file.write(b"x" * 5000)
    return bytes(fs.context.buffer)


@pytest.mark.parametrize("known", [PICO, PICO2])
def test_an_image_dragged_over_a_used_board_is_what_lies_on_it(known):
    name, family, address, size, flash_size = known
    board = boards.load("pico-generic")
    joined = image.make(board, as_uf2(program(address, size), family), name)
    start = address - 0x10000000
    clean = flash_of(joined, flash_size, family)
    mcu = uf2.FAMILIES[family]
    wanted = build.files(board, chips.CHIPS[mcu].arch, mcu)
    for times in (1, 2, 3, 7):
        worn = clean[:start] + used(clean[start:], times)
        fs = mounted(flash_of(joined, flash_size, family, worn)[start:])
        found = {}
        for folder, _, names in fs.walk("/"):
            for name in names:
                with fs.open(f"{folder}/{name}", "rb") as file:
                    found[f"{folder}/{name}".lstrip("/")] = file.read()
        assert found == wanted
        used(bytes(fs.context.buffer), 2)  # and it can be written


@pytest.mark.parametrize("name", list(image.LAYOUT))
def test_the_table_says_what_a_uf2_would(name):
    """Each file system ends where its chip's flash does, and begins at a sector."""
    address, size = image.LAYOUT[name]
    flash_end = 0x10400000 if "2" in name else 0x10200000
    assert address + size == flash_end and address % 4096 == 0


def test_a_uf2_that_says_nothing_is_known_by_its_name():
    family = RP2040
    joined = image.make(
        boards.load("pico-lcd-1.3"), as_uf2(program(), family), "RPI_PICO_W-20260101-v1.28.0.uf2"
    )
    flash = flash_of(joined, 0x200000, family)
    assert flash[0x12C000:].find(b"littlefs") in range(4096)
    with pytest.raises(FlashError, match="does not say where its files lie"):
        image.make(boards.load("pico-lcd-1.3"), as_uf2(program(), family), "blink.uf2")


@pytest.mark.parametrize(
    ("board", "data", "said"),
    [
        ("pico-generic", b"", "no UF2"),
        ("pico-generic", b"x" * 511, "no UF2"),
        ("pico-generic", b"x" * 512, "block 0 is broken"),
        ("pico-generic", e10_block(), "for no RP2040 or RP2350"),
        ("rp2040-lcd-1.28", as_uf2(program(*PICO2[2:4]), RP2350), "for rp2350"),
        ("t-display", as_uf2(program(*PICO[2:4]), RP2040), "starts from no UF2"),
        ("t-display-s3", as_uf2(program(*PICO[2:4]), RP2040), "starts from no UF2"),
        ("pico-generic", as_uf2(program(0x10008000, 4096 * 64), RP2040), "file system already"),
    ],
)
def test_what_cannot_be_joined_is_said(board, data, said):
    with pytest.raises(FlashError, match=said):
        image.make(boards.load(board), data)


def test_info_tells_chip_version_and_layout():
    blocks = uf2.read(as_uf2(program(*PICO[2:4]), RP2040))
    assert uf2.info(blocks) == uf2.Info("rp2040", "v1.28.0", 0x100A0000, 1408 * 1024)


@pytest.mark.skipif("AORA_UF2" not in os.environ, reason="AORA_UF2 names no MicroPython UF2")
def test_a_real_micropython_says_its_layout():
    path = Path(os.environ["AORA_UF2"])
    info = uf2.info(uf2.read(path.read_bytes()))
    assert info.version and (info.fs_address, info.fs_size) in image.LAYOUT.values()
    assert image.make(boards.load("pico-generic"), path.read_bytes(), path.name)


@given(st.binary(max_size=2048))
def test_any_bytes_are_a_uf2_or_refused(data):
    try:
        blocks = uf2.read(data)
        uf2.info(blocks)
    except FlashError:
        return
    assert uf2.read(uf2.write(blocks)) == blocks


@given(st.binary(min_size=40, max_size=40), st.integers(0, 4000))
def test_broken_binary_info_is_no_info(noise, at):
    code = bytearray(program(*PICO[2:4]))
    code[at : at + 40] = noise
    assert uf2.info(uf2.read(as_uf2(bytes(code), RP2040))).chip == "rp2040"


@pytest.mark.parametrize(("name", "said"), [("no.uf2", "No such file"), ("", "Is a directory")])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path, name, said):
    done = aora("image", "pico-generic", "--uf2", tmp_path / name, home=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith(f"{tmp_path / name}: {said}")
    assert done.stderr.count("\n") == 1
