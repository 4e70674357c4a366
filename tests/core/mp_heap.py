"""On MicroPython: 10,000 messages and the frames between them under a locked heap.

argv: "core" for messages alone (and 32-bit builds), "frames" with the screen and ring as well.
Prints "ok" and the bytes in use before and after 100,000 more messages.
"""

import gc
import sys

import micropython

from aora.arbiter import Arbiter
from aora.line import END, REFUSED, TOUCH, UPDATE, Line
from aora.seats import Seats

_TEXTS = (
    b'{"session_id":"s%d","aoraBotId":"%02d","tips":"Editing src/app.ts","seq":999999999}',
    b'{"session_id":"s%d/x","state":"thinking","tips":"\\u8bfb\\ud83d\\ude00","x":[{"y":%d}]}',
    b'{"session_id":"s%d","emotionId":%d.0,"hud":{"kind":"progress","value":0.987654321}}',
    b'{"session_id":"s%d","aoraBotId":47,"hud":{"kind":"timer","remainingMs":999999999e%d,"totalMs":1e11}}',
    b'{"session_id":"s%d","agent_id":"claude-code","event":"Stop","headless":true,"n":%d}',
    b'{"session_id":"s%d","end":true,"n":%d}',
    b'{"session_id":1234567890123456789%d,"touch":true,"aoraBotId":%d}',
    b'{"session_id":"a-very-long-session-id-that-has-to-be-cut-because-it-is-longer-than-64-%d",'
    b'"aoraBotId":"34","hud":{"kind":"waveform","levels":[0,0.5,1,%d]}}',
    b'{"session_id":"s%d","aoraBotId":"3%d',
    b"[%d,%d]",
)


def lines(count):
    made = []
    for i in range(count):
        text = _TEXTS[i % len(_TEXTS)]
        made.append(text % (i * 7 % 23, (i * 13) % 50) + b"\n")
    return made


class Core:
    def __init__(self):
        self.line = Line()
        self.seats = Seats(16)
        self.shown = 0
        self.kinds = [0] * 4
        # Close to the wrap: times pass 2^29 on the way.
        self.now = (1 << 29) - 100000
        self.arbiter = Arbiter(
            on_apply=self._apply, on_slot=self.seats.slot, sticky_ms=8000, now=self.now
        )

    def _apply(self, record):
        self.shown += 1
        self.seats.face(record)

    def take(self, data):
        line = self.line
        i = 0
        while i < len(data):
            line.feed(data[i])
            i += 1
        kind = line.parse()
        if kind == UPDATE:
            self.arbiter.update(line.record, self.now)
        elif kind == END:
            self.arbiter.end(line.record, self.now)
        elif kind == TOUCH:
            self.arbiter.touch(line.record, self.now)
        if kind <= TOUCH:
            self.kinds[kind] += 1
        self.now = (self.now + 37) & 0x1FFFFFFF
        self.arbiter.tick(self.now)


class Frames(Core):
    """With the screen and the ring; the large buffers are to be reserved before, as in main.py."""

    def __init__(self):
        super().__init__()
        import aora_board

        from aora.display.screen import Screen
        from aora.ring import Ring
        from aora.settings import Settings

        settings = Settings(aora_board)
        self.screen = Screen(aora_board, settings)
        self.ring = Ring(aora_board, settings)
        self.frames = 0
        self.out = self.screen.push

    def take(self, data):
        super().take(data)
        self.screen.show(self.arbiter.current(), self.now)
        self.screen.look(self.frames & 31, self.now)
        if self.screen.begin(self.now):
            while self.out():
                pass
        if self.frames & 1:
            self.ring.seats(self.seats, self.now)
        else:
            self.ring.dial(self.arbiter.current().hud, 100, self.now)
        self.ring.write()
        self.frames += 1


def run(core, made, times):
    done = 0
    while done < times:
        i = 0
        while i < len(made):
            core.take(made[i])
            i += 1
        done += len(made)


def main(kind, locked, more):
    core = Frames() if kind == "frames" else Core()
    made = lines(60 if kind == "frames" else 200)
    run(core, made, 200)
    gc.collect()
    micropython.heap_lock()
    try:
        run(core, made, locked)
    finally:
        micropython.heap_unlock()
    gc.collect()
    before = gc.mem_alloc()
    run(core, made, more)
    after = gc.mem_alloc()
    gc.collect()
    print("ok", before, after, gc.mem_alloc(), core.shown, core.kinds[REFUSED])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
