"""What has to happen on a board: a pure function of what is there and what should be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from host_bridge.flash import FlashError

STAGE = "aora.next"  # arriving files lie there until all of them are whole
OURS = ("main.py", "boot.py", "aora.pack", "aora_pack.py", "aora_pack.mpy")
OURS += ("aora_board.py", "aora_board.mpy")
LEAST = (1, 24, 0)  # earlier ones keep the panel's bus slow and lack rp2.bootsel_button


@dataclass
class Survey:
    """What a board said of itself."""

    name: str = ""
    version: tuple[int, ...] = ()
    machine: str = ""
    mpy: int = 0
    space: tuple[int, ...] = (0, 0, 0, 0)  # block size, -, blocks, free blocks
    main: bool = False  # its main.py is ours
    boot: bool = False  # its boot.py is ours
    files: dict[str, int] = field(default_factory=dict)  # path -> size
    hashes: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    @property
    def free(self) -> int:
        """Bytes free."""
        return self.space[0] * self.space[3]

    def foreign(self, path: str, hash_: str) -> bool:
        """True if somebody else's file is there, and not the one with this hash."""
        known = {"main.py": self.main, "boot.py": self.boot}[path]
        return path in self.files and not known and self.hashes.get(path) != hash_


@dataclass(frozen=True)
class Plan:
    """What to send, what lies there already, and the steps that put it in place."""

    send: list[str]
    steps: list[str]
    stale: list[str]  # leftovers in the stage
    keep: list[str]
    save: list[str]  # other people's files, to be read back first

    @property
    def idle(self) -> bool:
        """True if the board has everything already."""
        return not self.steps


def digest(data: bytes) -> str:
    """The hash that the board computes too."""
    return hashlib.sha256(data).hexdigest()


def staged(path: str) -> str:
    """Where a file lies until everything has arrived."""
    return f"{STAGE}/{path}"


def ours(path: str) -> bool:
    """True for a path where only the firmware may be; it may lie in aora/, in many files."""
    return path.startswith("aora/") or path in OURS


def make(survey: Survey, wanted: dict[str, bytes]) -> Plan:
    """Plan a board's way from `survey` to `wanted`; boot.py goes in place first, main.py last."""
    hashes = {path: digest(data) for path, data in wanted.items()}
    changed = [path for path in wanted if survey.hashes.get(path) != hashes[path]]
    send = [path for path in changed if survey.hashes.get(staged(path)) != hashes[path]]
    lying = {staged(path) for path in changed} - {staged(path) for path in send}
    stale = [p for p in survey.files if _is_staged(p) and p not in lying]
    gone = [p for p in survey.files if ours(p) and p not in wanted]
    emptied = sorted((f for f in survey.folders if ours(f"{f}/")), reverse=True)
    steps = [f"+{path}" for path in changed] + [f"-{path}" for path in gone]
    steps += [f"/{folder}" for folder in emptied]
    foreign = any(survey.foreign(path, hashes.get(path, "")) for path in ("main.py", "boot.py"))
    save = [p for p in survey.files if _alien(p) or (foreign and not _is_staged(p))]
    return Plan(send, steps, stale, [p for p in wanted if p not in changed], save)


def _is_staged(path: str) -> bool:
    return path.startswith(f"{STAGE}/")


def _alien(path: str) -> bool:
    """True for a file in the stage that no flash has put there."""
    name = path[len(STAGE) + 1 :]
    known = name in ("steps", "ready", *OURS) or name.startswith("aora!")  # a folder, once
    return _is_staged(path) and not known


def check_runtime(survey: Survey) -> None:
    """FlashError unless the board runs a MicroPython that the firmware can live on."""
    if survey.name != "micropython":
        raise FlashError(f"the board runs {survey.name}, not MicroPython")
    if survey.version < LEAST:
        version = ".".join(map(str, survey.version))
        raise FlashError(f"the board runs MicroPython {version}; put 1.24 or later on it")


def check_space(survey: Survey, plan: Plan, wanted: dict[str, bytes]) -> None:
    """FlashError if the files to send do not fit beside what is there."""
    block = survey.space[0] or 4096
    data = sum(-(-len(wanted[path]) // (block - 8)) for path in plan.send)
    need = (data + 3) * block  # the stage is two blocks, and the list of steps one
    stale = sum(-(-survey.files[path] // block) * block for path in plan.stale)
    if need <= survey.free + stale:
        return
    others = sorted(
        (size, path) for path, size in survey.files.items() if not ours(path) and size >= block
    )[-3:]
    names = ", ".join(f"{path} ({size // 1024} KB)" for size, path in reversed(others))
    raise FlashError(
        f"the board is full: {need // 1024} KB needed, {survey.free // 1024} KB free. "
        + (f"Delete some of {names}. " if names else "")
        + "What was on it still runs"
    )
