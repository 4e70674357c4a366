"""WS2812: the bits on a ring's data line, as the colours of its LEDs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

Colour = tuple[int, int, int]

# Nanoseconds that a WS2812B takes for the high part of a zero and of a one.
_ZERO = range(200, 501)
_ONE = range(550, 1001)
_WRITES = 4096  # records kept


@dataclass(frozen=True)
class Write:
    """One transmission: microseconds, and the bytes as they lay on the line."""

    t_us: int
    data: bytes


class RingDecoder:
    """A chain of LEDs; each takes its bytes and passes on the rest."""

    def __init__(self, leds: int, order: str = "GRB") -> None:
        self._count = leds
        self._order = order
        self._listeners: list[Callable[[Write], None]] = []
        self.writes: deque[Write] = deque(maxlen=_WRITES)
        self.write_count = 0
        self.faults: list[str] = []
        self.power_on()

    def power_on(self) -> None:
        """All LEDs are dark."""
        self._data = bytearray(self._count * len(self._order))

    @property
    def leds(self) -> list[Colour]:
        """Red, green and blue of each LED as sent, 0 to 255; white is added to all three."""
        size = len(self._order)
        return [self._colour(self._data[i : i + size]) for i in range(0, len(self._data), size)]

    def _colour(self, channels: bytearray) -> Colour:
        by_name = dict(zip(self._order, channels, strict=True))
        white = by_name.get("W", 0)
        red, green, blue = (min(255, by_name[name] + white) for name in "RGB")
        return red, green, blue

    def listen(self, callback: Callable[[Write], None]) -> Callable[[], None]:
        """Calls back after each write, from the board's thread; answers what ends it."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def feed(
        self, data: bytes, t_us: int, timing: tuple[int, int, int, int] | None = None
    ) -> None:
        """Takes one transmission; `timing` is high and low of a zero, then of a one, in ns."""
        if timing and not (timing[0] in _ZERO and timing[2] in _ONE):
            self._fault(f"bits of {timing} ns: no WS2812 reads these")
            return
        if len(data) > len(self._data):
            self._fault(f"{len(data)} bytes for {self._count} LEDs")
        kept = data[: len(self._data)]
        self._data[: len(kept)] = kept
        write = Write(t_us, bytes(data))
        self.writes.append(write)
        self.write_count += 1
        for callback in list(self._listeners):
            callback(write)

    def _fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)
