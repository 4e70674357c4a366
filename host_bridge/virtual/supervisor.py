"""Keeps a board's processor running: starts, resets and restarts it, and minds its cable."""

from __future__ import annotations

import collections
import contextlib
import heapq
import os
import re
import select
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from host_bridge.virtual import wiring
from host_bridge.virtual.interpreter import SHIMS, Interpreter
from host_bridge.virtual.terminal import Cable, Inner, Outer
from host_bridge.virtual.wiring import FLOATING, Wiring

_FUSE_AT = 256  # where the shims look for it, after a byte for each pin
_MOST = 16 + 4096  # bytes of an event
_EVENTS = 100
_RETRY_S = 0.002
_OPEN_S = 0.05  # how soon a host that opens the port is noticed
_AWAY_S = 0.1  # the port is gone for so long when the chip resets
_ENDS, _ENDS_S = 8, 10.0  # so many ends of the firmware in so short a time are given up on
_OUTPUT = 64 * 1024
_PROMPT = b">>> "
_RAW = b"raw REPL; CTRL-B to exit"
_FRIENDLY = b'Type "help()"'
_SHIM = f'  File "{SHIMS}/'.encode()  # how a traceback's line about a shim begins
_SHIM_LINE = re.compile(re.escape(_SHIM) + rb".*\n")
_PART_S = 0.02  # how long a line's beginning may wait for its end


class Supervisor:
    """One thread a board. `configure(cause)` answers what a start tells the shims."""

    def __init__(
        self,
        pins: Wiring,
        port: Path,
        heap: str,
        configure: Callable[[str], dict[str, Any]],
        has_usb: bool,
    ) -> None:
        self._pins, self._heap, self._configure = pins, heap, configure
        self._has_usb = has_usb  # else a serial chip keeps the port through a reset
        self._inputs = tempfile.TemporaryFile()  # noqa: SIM115
        os.pwrite(self._inputs.fileno(), bytes([FLOATING] * _FUSE_AT) + bytes(8), 0)
        self._armings = 0
        self._inner = Inner()
        self.cable = Cable(self._inner, Outer(port), self._strike, self._heard)
        self._interpreter: Interpreter | None = None
        self._orders: collections.deque[Callable[[], None]] = collections.deque()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._timer_count = 0
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_out, False)
        self._ends: collections.deque[float] = collections.deque(maxlen=_ENDS)
        self._fed_until: float | None = None
        self._heard_at = 0.0
        self.changed = threading.Condition()
        self.output = bytearray()
        self.failure: str | None = None
        self.boots = 0
        self.shims_heap = 0
        self.repl = self._prompts = False
        self.cable.outer.patient = True
        self._heard_bytes = 0
        self._part = b""
        self._raw = False
        self._running = True
        self._thread = threading.Thread(target=self._loop, name="virtual board", daemon=True)

    def start(self) -> None:
        self.power_up()
        self._thread.start()

    def stop(self) -> None:
        """Ends all of it."""
        self.do(self._finish)
        self._thread.join()
        for fd in (self._wake_in, self._wake_out):
            os.close(fd)
        self._inner.close()
        self._inputs.close()

    def _finish(self) -> None:
        self._running = False
        self.power_down()

    # Power and resets

    @property
    def powered(self) -> bool:
        return self._interpreter is not None

    def power_up(self) -> None:
        self.failure = None
        self._ends.clear()
        self._pins.power_on()
        self._begin("power")

    def power_down(self) -> None:
        self._end()
        self.cable.outer.unplug()

    def reset(self) -> None:
        """The reset button, which also brings back a board that was given up."""
        self._ends.clear()
        if self.failure:
            self.power_up()
        else:
            self._restart("reset")

    def _restart(self, cause: str) -> None:
        """Starts the chip anew; its port goes and comes back, if it is the chip's own."""
        self._end()
        self._pins.restart()
        if self._has_usb and self.cable.outer.plugged:
            self.cable.outer.unplug()
            self.after(_AWAY_S, self.plug)
        self._begin(cause)

    def plug(self) -> None:
        if self.powered and not self.cable.outer.plugged:
            self.cable.outer.plug()

    def _begin(self, cause: str, main: bool = True) -> None:
        self._inner.make_interrupts(True)
        self._inner.clear()
        self.repl = self._prompts = False
        self._heard_bytes = 0
        self._raw = not main
        if cause in ("power", "reset", "watchdog"):
            self._fed_until = None
        if cause == "power" or not self._has_usb:
            self.plug_now()
        config = {**self._configure(cause), "main": main}
        self._interpreter = Interpreter(
            self._inner.slave, self._inputs.fileno(), self._heap, config
        )
        self.boots += 1

    def plug_now(self) -> None:
        if not self.cable.outer.plugged:
            self.cable.outer.plug()

    def _end(self) -> None:
        if self._interpreter:
            self._interpreter.kill()
            self._interpreter = None
        self.cable.clear()

    def _ended(self, code: int) -> None:
        """The interpreter went by itself: a soft reset, or it crashed."""
        self._interpreter = None
        self._carry_rest()
        if code < 0:
            self._say(f"\r\nMicroPython ended by signal {-code}\r\n")
        self._reboot()

    def _reboot(self) -> None:
        """A soft reset, unless there were too many that nobody asked for."""
        if self._too_many():
            self._give_up()
            return
        raw = self.repl and self._raw
        self.cable.clear()
        self._say("MPY: soft reboot\r\n")
        self._begin("soft", main=not raw)

    def _too_many(self) -> bool:
        """Whether it ended so often by itself; what happens under a host's eyes is asked for."""
        if self.repl or self._raw:
            self._ends.clear()
            return False
        now = time.monotonic()
        self._ends.append(now)
        return len(self._ends) == _ENDS and now - self._ends[0] < _ENDS_S

    def _give_up(self) -> None:
        last = bytes(self.output[-1000:]).decode("utf-8", "replace").strip()
        self.failure = f"ended {_ENDS} times within {_ENDS_S:.0f} s; printed last:\n{last}"
        self.power_down()

    def _say(self, text: str) -> None:
        self.output += text.encode()
        self.cable.to_host += text.encode()
        self.cable.push()

    def _carry_rest(self) -> None:
        """What it printed before it ended."""
        while True:
            before = len(self.output), self._part
            self.cable.from_board()
            if (len(self.output), self._part) == before:
                return self._let_go()

    # The world outside

    def drive(self, gpio: int, level: int) -> None:
        """What something outside does to an input pin."""
        os.pwrite(self._inputs.fileno(), bytes([level]), gpio)

    def arm(self, count: int) -> None:
        """Power fails after so many more steps of writing."""
        self._armings += 1
        os.pwrite(self._inputs.fileno(), struct.pack("<II", self._armings, count), _FUSE_AT)

    def do(self, order: Callable[[], None]) -> None:
        """Runs this in the board's thread and waits for it."""
        if threading.current_thread() is self._thread:
            order()
            return
        done = threading.Event()

        def run() -> None:
            try:
                order()
            finally:
                done.set()

        self._orders.append(run)
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake_out, b"!")
        while not done.wait(0.5):
            if not self._thread.is_alive():
                raise RuntimeError("the board is not running")

    def after(self, seconds: float, order: Callable[[], None]) -> None:
        """Runs this in the board's thread later; to be called there."""
        self._timer_count += 1
        due = time.monotonic() + seconds
        heapq.heappush(self._timers, (due, self._timer_count, order))

    # The board's thread

    def _loop(self) -> None:
        while self._running:
            ready = self._poll()
            if self._wake_in in ready:
                os.read(self._wake_in, 4096)
            while self._orders:
                self._orders.popleft()()
            if not self._running:
                break
            self._take_events()
            self._carry(ready)
            self._tick(time.monotonic())
            with self.changed:
                self.changed.notify_all()

    def _poll(self) -> set[int]:
        poll, cable = select.poll(), self.cable
        poll.register(self._wake_in, select.POLLIN)
        waits = [self._timers[0][0] - time.monotonic()] if self._timers else []
        if self._fed_until is not None:
            waits.append(self._fed_until - time.monotonic())
        if self._interpreter:
            poll.register(self._interpreter.events, select.POLLIN)
        if self._pins.panel.in_frame:
            waits.append(self._pins.panel.gap_us * 1.5e-6)
        if cable.waits():
            waits.append(_RETRY_S)
        if cable.wants_output():
            poll.register(self._inner.master, select.POLLIN)
        if cable.outer.opened():
            if cable.wants_input():
                poll.register(cable.outer.master, select.POLLIN)
        elif cable.outer.plugged:
            waits.append(_OPEN_S)
        timeout = max(0.0, min(waits)) * 1000 if waits else None
        return {fd for fd, _ in poll.poll(timeout)}

    def _tick(self, now: float) -> None:
        while self._timers and self._timers[0][0] <= now:
            heapq.heappop(self._timers)[2]()
        if self._fed_until is not None and now > self._fed_until and self._interpreter:
            self._restart("watchdog")

    def _carry(self, ready: set[int]) -> None:
        if self._inner.master in ready:
            self.cable.from_board()
        if self.cable.outer.master in ready:
            self.cable.from_host()
        elif self.cable.waits():
            self.cable.push()

    def _heard(self, output: bytes) -> bytes:
        """Answers what is for the host: not the shims' lines of a traceback. The beginning of
        what may be such a line waits for the rest."""
        output = _SHIM_LINE.sub(b"", self._part + output)
        line = output[output.rfind(b"\n") + 1 :]
        self._part = line if line.startswith(_SHIM) or _SHIM.startswith(line) else b""
        if self._part:
            self.after(_PART_S, self._let_go)
        return self._kept(output[: len(output) - len(self._part)])

    def _let_go(self) -> None:
        part, self._part = self._part, b""
        self.cable.to_host += self._kept(part)
        self.cable.push()

    def _kept(self, output: bytes) -> bytes:
        """Keeps what the board prints, and sees by it which REPL it is in."""
        self.output += output
        del self.output[:-_OUTPUT]
        self._heard_bytes += len(output)
        self._look(len(output) + len(_RAW))
        return output

    def _look(self, count: int) -> None:
        """Sees by the last of what this start printed whether a prompt is there, and whose."""
        if not self._prompts:
            return
        tail = self.output[-min(count, self._heard_bytes) :] if self._heard_bytes else b""
        self.repl = self.repl or _PROMPT in tail
        self.cable.outer.patient = not self.repl
        raw, friendly = tail.rfind(_RAW), tail.rfind(_FRIENDLY)
        self._raw = raw > friendly if raw != friendly else self._raw

    def _strike(self) -> None:
        if self._interpreter:
            self._interpreter.interrupt()

    def _take_events(self) -> None:
        """Takes what the shims tell, but not so much that the port has to wait."""
        for _ in range(_EVENTS):
            if not self._interpreter:
                break
            try:
                data = self._interpreter.events.recv(_MOST)
            except BlockingIOError:
                break
            except ConnectionError:
                data = b""
            if not data:
                self._ended(self._interpreter.wait())
                break
            self._heard_at = time.monotonic()
            kind, number, text = self._pins.event(data)
            if kind == wiring.WATCHDOG:
                # The shim tells of every quarter of the time, so the last feed is that old.
                until = time.monotonic() + number * 1.25 / 1000
                self._fed_until = until if number else None
            elif text:
                self._told(*text.split())
        if time.monotonic() - self._heard_at > self._pins.panel.gap_us * 1e-6:
            self._pins.panel.end_frame()

    def _told(self, word: str, *numbers: str) -> None:
        if word == "ready":
            self.shims_heap = int(numbers[0])
            self.cable.ready = not self._raw
        elif word == "repl":
            raw, self._prompts = self._raw, True
            self._look(_OUTPUT)  # the prompt may have come sooner than this
            if raw:
                self._inner.write(b"\x01")
            self.cable.ready = True
        elif word == "exit":
            self._end()
            self._carry_rest()
            self._reboot()
        elif word == "reset":
            if self._too_many():
                self._give_up()
            else:
                self._restart("reset")
        else:  # power failed in a write, or the chip waits in its bootloader
            os.pwrite(self._inputs.fileno(), bytes(8), _FUSE_AT)
            self.power_down()
