"""A board without the board: the firmware itself, in MicroPython, with a picture of its glass.

Not modelled: time (SPI, flash and the processor are as fast as this machine), interrupts of
pins and timers, ADC and UART, DMA and PIO, the second core, Wi-Fi, littlefs's way of
keeping a file's old contents until it is closed, objects of 32 bits (here they are twice as
large, and integers below 2^62 never allocate), and what `terminal` says of the port.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from host_bridge import boards, paths
from host_bridge.virtual import chip
from host_bridge.virtual.interpreter import build_folder
from host_bridge.virtual.wiring import FLOATING, Wiring

if TYPE_CHECKING:
    from host_bridge.virtual.supervisor import Supervisor

T = TypeVar("T")
_BOOTSEL = 255


class BoardFailed(RuntimeError):
    """The firmware ended again and again; the text has what it printed last."""


class HomeInUse(RuntimeError):
    """Another virtual board has this home."""


class VirtualBoard:
    """One board. `flash` is its `/`; `port` is what a host opens.

    `home` keeps the flash folder and the port; a temporary one goes with the board. Unless
    `empty`, the firmware is copied into the flash at each `start`. `heap` is what the firmware
    has to itself: objects are twice as large here, so that 400k are about the 230 KB of an
    RP2040. `flash_size` bytes of files fit, by default as many as on the chip.
    """

    def __init__(
        self,
        board: str | Path = "pico-generic",
        home: Path | None = None,
        firmware: Path | None = None,
        heap: str = "400k",
        empty: bool = False,
        flash_size: int | None = None,
    ) -> None:
        self.board = boards.load(board)
        if self.board.RUNTIME != "micropython":
            raise boards.BoardError(f"{self.board.NAME} runs CircuitPython; virtual boards do not")
        self._temporary = home is None
        self.home = Path(tempfile.mkdtemp(prefix="aora-")) if home is None else Path(home)
        self.flash = self.home / "flash"
        self.flash.mkdir(parents=True, exist_ok=True)
        self.port = str(self.home / "port")
        self._firmware = firmware or paths.firmware_dir()
        self._heap, self._empty = heap, empty
        self._flash_size = flash_size or chip.flash_size(self.board)
        self.pins = Wiring(self.board)
        self.panel = self.pins.panel
        self.ring = self.pins.ring
        self._supervisor: Supervisor | None = None
        self._last_reset = "power"

    def start(self) -> VirtualBoard:
        """Plugs the board in; it is starting when this returns. NoMicroPython, HomeInUse."""
        build_folder()
        from host_bridge.virtual.supervisor import Supervisor  # where there are no terminals

        self._lock()
        if not self._empty:
            self._copy_firmware()
        self._supervisor = Supervisor(
            self.pins,
            Path(self.port),
            self._heap,
            self._configure,
            has_usb=self.board.MCU != "esp32",
        )
        self._supervisor.start()
        return self

    def stop(self) -> None:
        """Ends the board and its port."""
        if self._supervisor:
            self._supervisor.stop()
            self._supervisor = None
            self._lock_file.close()
        if self._temporary:
            shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> VirtualBoard:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _lock(self) -> None:
        import fcntl

        self._lock_file = (self.home / "lock").open("w")
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock_file.close()
            raise HomeInUse(f"a virtual board runs in {self.home} already") from None

    def _copy_firmware(self) -> None:
        """The files that `aora flash` puts on a board, as source: MicroPython compiles them."""
        from host_bridge.flash import build, plan

        for name in plan.OURS:  # a board that was flashed would go on with its pack
            (self.flash / name).unlink(missing_ok=True)
        for name, path in build.sources(self._firmware).items():
            (self.flash / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.flash / name)
        (self.flash / "aora_board.py").write_bytes(build.description(self.board))

    def _configure(self, cause: str) -> dict[str, Any]:
        if cause != "soft":
            self._last_reset = cause
        return {
            **chip.describe(self.board),
            "uid": chip.unique_id(self.board, self.home),
            "cause": chip.cause_number(self.board, cause, self._last_reset),
            "flash": str(self.flash.resolve()),
            "flash_size": self._flash_size,
        }

    # What a person does

    def press(self, button: str = "a", ms: int = 80) -> None:
        """Holds a button of the board file down for so long; returns at once."""
        at = self.board.BUTTONS[button]
        gpio = _BOOTSEL if at == "bootsel" else int(at)
        board = self._board
        board.drive(gpio, 0)
        board.do(lambda: board.after(ms / 1000, lambda: board.drive(gpio, FLOATING)))

    def unplug(self, ms: int | None = None) -> None:
        """Pulls the cable's data lines; the firmware runs on. Back after `ms`, or with `plug`."""
        board = self._board
        board.do(board.cable.outer.unplug)
        if ms is not None:
            board.do(lambda: board.after(ms / 1000, board.plug))

    def plug(self) -> None:
        """Puts the cable back: a new device under the same name."""
        self._board.do(self._board.plug)

    def reset(self) -> None:
        """The reset button."""
        self._board.do(self._board.reset)

    def power_cycle(self) -> None:
        """Power off and on; what is in flash stays."""
        self._board.do(self._board.power_down)
        self._board.do(self._board.power_up)

    def cut_power_after_bytes(self, count: int) -> None:
        """Power fails when the firmware has written so many more bytes to flash.

        Creating, cutting short, renaming and removing a file count one each. The board is off
        then; `power_cycle` starts it.
        """
        self._board.arm(count)

    # What can be seen

    @property
    def _board(self) -> Supervisor:
        if self._supervisor is None:
            raise RuntimeError("the board is not started")
        return self._supervisor

    @property
    def powered(self) -> bool:
        """Whether the chip runs: False after a power cut, and when it was given up."""
        return self._board.powered

    @property
    def failure(self) -> str | None:
        """Why the firmware was given up, if it was."""
        return self._board.failure

    @property
    def boots(self) -> int:
        """How often the firmware was started, soft resets included."""
        return self._board.boots

    @property
    def backlight(self) -> float:
        """Brightness of the panel's light, 0 to 1."""
        return self.pins.backlight

    @property
    def faults(self) -> list[str]:
        """What real hardware would not have taken, in words."""
        return self.pins.faults + self.panel.faults + self.ring.faults

    @property
    def output(self) -> str:
        """The last of what the board printed, whether or not a host had the port open."""
        return bytes(self._board.output).decode("utf-8", "replace")

    @property
    def repl(self) -> bool:
        """Whether boot.py and main.py have ended."""
        return self._board.repl

    def wait(self, predicate: Callable[[], T], timeout: float = 10.0) -> T:
        """Waits until this is true and answers what it returned; TimeoutError, BoardFailed."""
        board, end = self._board, time.monotonic() + timeout
        with board.changed:
            while True:
                if found := predicate():
                    return found
                if board.failure:
                    raise BoardFailed(board.failure)
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"not within {timeout} s; printed:\n{self.output[-2000:]}")
                board.changed.wait(min(left, 0.05))
