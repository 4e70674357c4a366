"""On a virtual board: many simulated days of the whole firmware, its clock in our hand.

Prints a line of JSON. What `month.py` beside it says is the test's: DAYS and START.
"""

import gc
import json

import aora_board

from aora.display import memory

memory.reserve(aora_board)
gc.threshold(32768)  # what compiling leaves behind is picked up early, the rest stays whole

from month import DAYS, START

from aora.app import App
from aora.display.screen import Screen
from aora.idle import SLEEPING
from aora.line import Line
from aora.link.writer import Writer
from aora.presence import HERE, LOST
from aora.ring import Ring
from aora.settings import Settings
from aora.ticks import MASK

DAY = 86_400_000
PING_MS = 5000


class Tape:
    """A link whose lines are laid in by hand; what the board says is read off and dropped."""

    ring = 512

    def __init__(self):
        self.line = Line()
        self.out = Writer()
        self.said = bytearray(200)
        self.length = 0
        self.shown = 0
        self.sleep = 0
        self.data = None

    def read(self):
        if self.data is None:
            return False
        self.line.load(self.data)
        self.data = None
        return True

    def pump(self):
        while self.out.pending():
            byte = self.out.peek()
            self.out.drop()
            if byte == 0x0A:
                if self.said[2] == 0x73 and self.said[3] == 0x68:
                    self.shown += 1
                self.length = 0
            elif self.length < 200:
                self.said[self.length] = byte
                self.length += 1

    def wait(self, ms):
        self.sleep = ms


class Desk:
    def __init__(self, start):
        self.settings = Settings(aora_board)
        self.settings.motion = "still"
        self.settings.quiet_from = 22 * 60
        self.settings.quiet_to = 7 * 60
        self.link = Tape()
        self.start = start
        self.at = 0
        ring = Ring(aora_board, self.settings)
        screen = Screen(aora_board, self.settings)
        now = start & MASK
        self.app = App(aora_board, self.settings, screen, ring, self.link, [], "x", now)
        self.ping_at = 0
        self.steps = 0

    def step(self):
        self.link.sleep = 0
        self.app.step((self.start + self.at) & MASK)
        self.steps += 1

    def until(self, end, alive):
        """Lives on to `end`, in milliseconds from the start; with a host that pings or without."""
        while self.at < end:
            if alive and self.at >= self.ping_at:
                minute = self.at // 60000 % 1440
                self.tell(b'{"ping":%d,"min":%d}' % (self.at % 999, minute))
                self.ping_at = self.at + PING_MS
            self.step()
            ahead = max(1, self.link.sleep)
            if alive:
                ahead = min(ahead, max(1, self.ping_at - self.at))
            self.at += min(ahead, end - self.at)

    def tell(self, data):
        self.link.data = data
        self.step()

    def check(self, what, holds):
        if not holds:
            raise AssertionError("%s at day %d, ms %d" % (what, self.at // DAY, self.at % DAY))


def busy(desk, day, alive_at):
    """A working day: three sessions come, work, fail, wait and go."""
    for turn in range(6):
        base = day * DAY + alive_at + turn * 1_800_000
        for n in range(40):
            desk.until(base + n * 7000, True)
            code = (31, 42, 43, 44, 35, 34, 33, 38)[(n + turn) % 8]
            desk.tell(
                b'{"session_id":"d%d-%d","aoraBotId":"%d","tips":"n %d"}' % (day, n % 3, code, n)
            )
        shown = desk.link.shown
        desk.tell(b'{"session_id":"last","aoraBotId":"34","seq":%d}' % (turn + 1))
        desk.until(desk.at + 20_000, True)
        desk.check("the last event was not shown", desk.link.shown > shown)


def day(desk, number):
    """Night, work, a host that goes home, one day in four with nobody at all."""
    midnight = number * DAY
    app = desk.app
    away = number % 4 == 3
    desk.until(midnight + 3 * 3_600_000, not away)
    if away:
        desk.until(midnight + DAY, False)
        desk.check("a lost host is not noticed", app.presence.stage == LOST)
        return
    desk.check("not quiet at night", app.presence.quiet)
    desk.until(midnight + 9 * 3_600_000, True)
    desk.check("quiet by day", not app.presence.quiet and app.presence.stage == HERE)
    busy(desk, number, 9 * 3_600_000)
    desk.until(midnight + 20 * 3_600_000, True)
    desk.check("sessions linger", app.arbiter.sessions() == [])
    desk.check("not idle", app.arbiter.current().id_len == 0)
    desk.check("not asleep", app.idle.state == SLEEPING)
    desk.check("nothing is unseen by evening", app.seats.live() > 0)
    desk.until(midnight + DAY, True)


def main():
    desk = Desk(START)
    day(desk, 0)
    gc.collect()
    before = gc.mem_alloc()
    for number in range(1, DAYS):
        day(desk, number)
    gc.collect()
    print(
        json.dumps(
            {"grown": gc.mem_alloc() - before, "steps": desk.steps, "shown": desk.link.shown}
        )
    )


main()
