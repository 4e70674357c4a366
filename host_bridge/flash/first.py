"""A board without MicroPython: a UF2 onto the drive it shows, or esptool for an ESP32."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from host_bridge import boards
from host_bridge.flash import FlashError, advice, bridge, find, uf2
from host_bridge.flash.run import Person, Wish, choose

APPEAR_S = 30  # a drive to appear, a port to come back


def listing(say: Callable[[str], None]) -> None:
    """Every board, and every port that may be one."""
    rows = [boards.load(name) for name in boards.names()]
    for board in rows:
        say(f"  {board.NAME:24}{board.TITLE}")
    ports = find.candidates()
    drives = find.drives()
    say("")
    for port in ports:
        say(f"  {port}")
    for drive in drives:
        say(f"  {drive.path}  {drive.board} in BOOTSEL, waits for a UF2")
    if not ports and not drives:
        say("  No board is plugged in (or its cable only charges).")


def copy_uf2(wish: Wish, file: Path, person: Person, wait_s: float = APPEAR_S) -> Wish:
    """Copy a UF2 to the board in BOOTSEL and wait until it has started; a dry run says where.
    The wish for the port it came back as."""
    try:
        info = uf2.info(uf2.read(file.read_bytes()))
    except OSError as error:
        raise FlashError(f"{file}: {error.strerror}") from error
    if wish.board.FORM == "built-in" and info.chip != wish.board.MCU:
        raise FlashError(f"{file} is for {info.chip}, {wish.board.NAME} has {wish.board.MCU}")
    drive = _drive(info.chip, person, wait_s)
    if wish.dry_run:
        person.say(f"{file} would go to {drive.path}")
        return wish
    before = {port.device for port in find.candidates()}
    person.say(f"{file.name} to {drive.path}")
    try:
        shutil.copyfile(file, drive.path / file.name)
    except OSError as error:
        if drive.path.exists():  # else it restarted before the copy was over, as it should
            raise FlashError(f"{drive.path}: {error.strerror or error}") from error
    return replace(wish, port=_appeared(before, wish.port, wait_s))


def _drive(chip: str, person: Person, wait_s: float) -> find.Drive:
    deadline, asked = time.monotonic() + wait_s, False
    while True:
        found = find.drives()
        fitting = [drive for drive in found if drive.board.lower() == chip]
        if fitting:
            return fitting[0]
        if found:
            raise FlashError(f"{found[0].path} is a {found[0].board}, the file is for {chip}")
        if time.monotonic() > deadline:
            raise FlashError("no drive of a board in BOOTSEL appeared")
        if not asked:
            person.say("Hold BOOT (BOOTSEL) while you press RESET or plug the cable in.")
            asked = True
        time.sleep(0.3)


def _appeared(before: set[str], wanted: str, wait_s: float) -> str:
    """The port of a board that has started: the one wanted, else one that was not there."""
    deadline = time.monotonic() + wait_s
    while True:
        now = {port.device for port in find.candidates()}
        fresh = [wanted] if wanted in now or os.path.exists(wanted) else sorted(now - before)
        if fresh and (not wanted or fresh == [wanted]):
            time.sleep(1)  # the system is still setting the port up
            return fresh[0]
        if time.monotonic() > deadline:
            name = wanted or "a serial port"
            raise FlashError(f"the board did not come back as {name}: plug it in again")
        time.sleep(0.3)


def esptool_lines(wish: Wish, port: str, file: Path) -> list[list[str]]:
    """The two esptool runs that put MicroPython on an ESP32."""
    base = [sys.executable, "-m", "esptool", "--chip", wish.board.MCU, "--port", port]
    offset = hex(wish.board.chip.flash_offset)
    return [[*base, "erase-flash"], [*base, "--baud", "460800", "write-flash", offset, str(file)]]


def run_esptool(wish: Wish, file: Path, person: Person) -> Wish:
    """Erase an ESP32 and put MicroPython on it; the wish for its port."""
    if wish.board.chip.spi:
        raise FlashError(f"{wish.board.NAME} takes a UF2: aora flash {wish.board.NAME} --uf2 FILE")
    if not file.is_file():
        raise FlashError(f"{file} is not there. Take:\n{advice.download(wish.board)}")
    port = choose(wish, person).device
    lines = esptool_lines(wish, port, file)
    for line in lines:
        person.say("  " + " ".join(line[1:]))
    if wish.dry_run:
        return replace(wish, port=port)
    if importlib.util.find_spec("esptool") is None:
        raise FlashError("esptool is not installed: pip install 'aora-face[esp32]'")
    answer = "y" if wish.yes else person.ask("This erases everything on the board. Go on?", "y")
    if not answer.lower().startswith("y"):
        raise FlashError("nothing was changed")
    with bridge.released(port):
        for line in lines:
            if subprocess.run(line, check=False).returncode:
                raise FlashError("esptool failed: hold BOOT while you plug the board in; again")
    return replace(wish, port=port)
