"""On MicroPython: what a message costs in line + arbiter, beside json + normalize + dicts.

Collecting the bytes of a line is left out on both sides: each gets whole lines.
Prints a line of JSON: nanoseconds a message, and bytes allocated a message.
"""

import gc
import json
import time

from mp_heap import lines
from reference import ReferenceArbiter

from aora.arbiter import Arbiter
from aora.line import END, TOUCH, UPDATE, Line
from aora.message import normalize

_ROUNDS = 20
_SESSION = b'{"session_id":"session-%d","aoraBotId":"%d","tips":"Editing src/app.ts"}'


class Fixed:
    def __init__(self):
        self.line = Line()
        self.arbiter = Arbiter()

    def take(self, data, now):
        line = self.line
        line.load(data)
        kind = line.parse()
        if kind == UPDATE:
            self.arbiter.update(line.record, now)
        elif kind == END:
            self.arbiter.end(line.record, now)
        elif kind == TOUCH:
            self.arbiter.touch(line.record, now)


class Plain:
    def __init__(self):
        self.arbiter = ReferenceArbiter()

    def take(self, data, now):
        try:
            answer = normalize(json.loads(data))
        except ValueError:
            return
        if not answer["ok"]:
            return
        update = answer["update"]
        session = update["sessionId"]
        if update.get("end"):
            self.arbiter.end(session, now)
        elif update.get("touch"):
            self.arbiter.touch(session, now)
        else:
            self.arbiter.update(
                session,
                int(update["emotionId"]),
                update.get("tips"),
                update.get("hud"),
                update["headless"],
                now,
            )


def cost(subject, made):
    """Nanoseconds and bytes a message, the best of some rounds; the collector's time counts."""
    best = 1 << 60
    now = 0
    for data in made:  # start-up is over
        subject.take(data, now)
    for _ in range(_ROUNDS):
        gc.collect()
        start = time.ticks_us()
        i = 0
        while i < len(made):
            now += 37
            subject.take(made[i], now)
            i += 1
        best = min(best, time.ticks_diff(time.ticks_us(), start))
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    i = 0
    while i < 50:
        now += 37
        subject.take(made[i], now)
        i += 1
    used = gc.mem_alloc() - before
    gc.enable()
    return best * 1000 // len(made), used // 50


def of_sessions(count):
    """Nanoseconds a message while so many sessions are live."""
    made = [_SESSION % (i % count, 40 + i % 5) for i in range(400)]
    return cost(Fixed(), made)[0]


mixed = [data[:-1] for data in lines(400)]
fixed_ns, fixed_bytes = cost(Fixed(), mixed)
plain_ns, plain_bytes = cost(Plain(), mixed)
print(
    json.dumps(
        {
            "fixed_ns": fixed_ns,
            "fixed_bytes": fixed_bytes,
            "plain_ns": plain_ns,
            "plain_bytes": plain_bytes,
            "sessions": [of_sessions(1), of_sessions(4), of_sessions(16)],
        }
    )
)
