"""The arbiter's rules as plainly as they can be written: dicts, lists, no care for memory.

A second opinion for tests, and what the fixed-memory arbiter is measured against. Runs on
CPython and MicroPython; time is a plain count of milliseconds that never wraps.
"""

from aora.protocol import CONDITION, HOLD, PRIORITY, SETTLE, STATE_OF, STATES

_NOBODY = {"session": None, "code": 2, "tips": None, "hud": None}


def _state(code):
    return STATES[STATE_OF[code]]


class ReferenceArbiter:
    def __init__(
        self,
        min_display_ms=900,
        by_state=None,
        ttl_ms=120000,
        slots=16,
        queue=16,
        priority=None,
        sticky_ms=0,
        on_apply=None,
    ):
        self.dwell_default = min_display_ms
        self.dwell_by_state = {"celebrate": 2000, "alerting": 1500}
        self.dwell_by_state.update(by_state or {})
        self.ttl = ttl_ms
        self.slots = slots
        self.places = queue
        self.priorities = priority or {}
        self.sticky = sticky_ms
        self.on_apply = on_apply
        self.sessions = {}
        self.queue = []
        self.face = dict(_NOBODY)
        self.dwell_end = None
        self.sticky_end = None
        self.order = 0
        self.now = 0
        self.evicted = 0
        self.dropped = 0

    def _priority(self, code):
        return self.priorities.get(_state(code), PRIORITY[code])

    def tick(self, now):
        while True:
            due = self.deadline()
            if due is None or due > now:
                break
            self.now = due
            self._timers()
        self.now = max(now, self.now)

    def deadline(self):
        times = [session["expires"] for session in self.sessions.values()]
        times += [t for t in (self.dwell_end, self.sticky_end) if t is not None]
        return min(times) if times else None

    def _timers(self):
        now = self.now
        for name in [n for n, s in self.sessions.items() if s["expires"] <= now]:
            del self.sessions[name]
        if self.sticky_end is not None and self.sticky_end <= now:
            self.sticky_end = None
        if self.dwell_end is not None and self.dwell_end <= now:
            self.dwell_end = None
            if SETTLE[self.face["code"]] != CONDITION:
                self._settle(self.face["session"], self.face["code"])
        self._choose()

    def _settle(self, name, code):
        session = self.sessions.get(name)
        if session and session["code"] == code and SETTLE[code] != HOLD:
            session["code"] = SETTLE[code]
            session["tips"] = session["hud"] = None

    def resolve(self):
        best = None
        for name, session in self.sessions.items():
            if session["headless"]:
                continue
            sticks = self.sticky_end is not None and name == self.face["session"]
            rank = (self._priority(session["code"]), sticks, session["order"])
            if best is None or rank > best[0]:
                best = (rank, name, session)
        if best is None:
            return dict(_NOBODY)
        session = best[2]
        return {
            "session": best[1],
            "code": session["code"],
            "tips": session["tips"],
            "hud": session["hud"],
        }

    def current(self):
        return self.face

    def _choose(self):
        if self.dwell_end is not None:
            return
        if self.queue:
            best = max(self.queue, key=lambda e: (self._priority(e["code"]), -e["order"]))
            self.queue.remove(best)
            self._show({key: best[key] for key in _NOBODY}, True)
            return
        winner = self.resolve()
        if winner != self.face:
            self._show(winner, False)

    def _show(self, face, event):
        replaces = (face["session"], face["code"]) != (self.face["session"], self.face["code"])
        if face["session"] != self.face["session"]:
            sticks = self.sticky and face["session"] is not None
            self.sticky_end = self.now + self.sticky if sticks else None
        self.face = face
        if face["session"] is None:
            self.dwell_end = None
        elif event or replaces:
            dwell = self.dwell_by_state.get(_state(face["code"]), self.dwell_default)
            self.dwell_end = self.now + dwell
        if self.on_apply:
            self.on_apply(self.now, face)

    def update(self, name, code, tips, hud, headless, now):
        self.tick(now)
        self.order += 1
        fresh = {
            "code": code,
            "tips": tips,
            "hud": hud,
            "headless": headless,
            "order": self.order,
            "expires": self.now + self.ttl,
        }
        if name not in self.sessions and len(self.sessions) >= self.slots:
            self._evict(name, fresh)
        else:
            self.sessions[name] = fresh
        if headless:
            self.queue = [e for e in self.queue if e["session"] != name]
        else:
            self._caption_or_queue(name, code, tips, hud)
        self._choose()

    def _evict(self, name, fresh):
        everyone = list(self.sessions.items()) + [(name, fresh)]

        def rank(item):
            session = item[1]
            headless = session["headless"]
            return (
                not headless,
                0 if headless else self._priority(session["code"]),
                session["order"],
            )

        self.evicted += 1
        loser = min(everyone, key=rank)[0]
        if loser != name:
            del self.sessions[loser]
            self.sessions[name] = fresh

    def _caption_or_queue(self, name, code, tips, hud):
        event = SETTLE[code] != CONDITION
        on_face = self.face["session"] == name and self.face["code"] == code
        if on_face and (tips, hud) != (self.face["tips"], self.face["hud"]):
            self.face = dict(self.face, tips=tips, hud=hud)
            if self.on_apply:
                self.on_apply(self.now, self.face)
        if event and not (on_face and self.dwell_end is not None):
            self._enqueue(
                {"session": name, "code": code, "tips": tips, "hud": hud, "order": self.order}
            )

    def _enqueue(self, event):
        for waiting in self.queue:
            if waiting["session"] == event["session"] and waiting["code"] == event["code"]:
                waiting["tips"] = event["tips"]
                waiting["hud"] = event["hud"]
                return
        self.queue.append(event)
        # On the way to a face that is free the queue holds one more than it has places.
        if len(self.queue) > self.places and self.dwell_end is not None:
            loser = min(self.queue, key=lambda e: (self._priority(e["code"]), e["order"]))
            self.queue.remove(loser)
            self.dropped += 1
            self._settle(loser["session"], loser["code"])

    def end(self, name, now):
        self.tick(now)
        self.sessions.pop(name, None)
        self._choose()

    def touch(self, name, now):
        self.tick(now)
        if name in self.sessions:
            self.sessions[name]["expires"] = self.now + self.ttl
