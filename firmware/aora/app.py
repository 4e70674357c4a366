"""The loop: input between drawing chunks, timers, frames, and rest when nothing is due."""

import gc

from aora import presence as stages
from aora import record as rec
from aora import ticks
from aora._shim import const, micropython
from aora.arbiter import Arbiter
from aora.buttons import LONG, SHORT
from aora.idle import AWAKE, DROWSY, LIMIT_PRIORITY, SLEEPING, Idle
from aora.presence import Presence
from aora.protocol import CLASS_OF, CODE_OF, IDLE_CODE, NEEDS_YOU, PRIORITY, STATE_OF
from aora.record import Record
from aora.seats import Seats
from aora.talk import Talk

# Flags of Screen.look.
DOUBT = 1
GONE = 2
MARK = 4
QUIET = 8
SEATS = 16

DROWSY_MS = 300000
SLEEP_MS = 900000
PEEK_MS = 5000
_IDLE = STATE_OF[IDLE_CODE]

# motion -> milliseconds between frames, while something goes on and while idle; 0: on change.
PACES = {"calm": (66, 200), "lively": (33, 125), "still": (0, 0)}
# Settings that canvas, panel or ring are built from: the board starts again with them.
_RESTART = [
    "shape",
    "colour",
    "rotation",
    "mirror",
    "invert",
    "bgr",
    "dx",
    "dy",
    "leds",
    "ring_offset",
    "ring_dir",
    "budget_ma",
]
_REST_MS = const(1000)
_SLOW_MS = const(250)
_TURN_MS = const(300)  # a face turns into the next within this
_TURN_PACE_MS = const(33)
_BUTTON_MS = const(80)
_RAMP_MS = const(20)
_QUIET_LIGHT = const(5)
_DIM = const(3)  # a host that is gone leaves a third of the light
_GC_REST_MS = const(1500)


class App:
    """Owns the parts and moves them on by `step(now)`; nothing is allocated on the way.

    `pace` is (ms, ms) between frames as in PACES; (1, 1) is uncapped. `light` is the brightness
    that the screen has already.
    """

    def __init__(self, board, settings, screen, ring, link, buttons, uid, now, light=0):
        self._settings = settings
        self._screen = screen
        self._ring = ring
        self._link = link
        self._buttons = buttons
        self.seats = Seats(settings.leds)
        self.arbiter = Arbiter(
            min_display_ms=settings.dwell,
            sticky_ms=settings.sticky_ms,
            on_apply=self._applied,
            on_gone=self._gone,
            on_slot=self.seats.slot,
            now=now,
        )
        self.presence = Presence(settings, now)
        self.idle = Idle(DROWSY_MS, SLEEP_MS, now=now)
        self.talk = Talk(link, self.arbiter, self.seats, self.presence, settings, board, uid)
        self.talk.on_set(self._on_set)
        self.pace = PACES[settings.motion]
        self._doze = Record()
        self._peeked = Record()  # whom a button brought on the face; nobody most of the time
        self._peek_until = now
        self._changed = True  # what is shown has to be drawn anew
        self._untold = False  # a change of the face has not been drawn to be reported yet
        self._telling = False  # the frame in progress shows one
        self._drawn = Record()  # what it shows: the face may have moved on before it is out
        self._drawing = False
        self._frame_at = now
        self._dial_at = now
        self._turning = False  # from one face to the next
        self._turn_at = now
        self._light = light
        self._light_at = now
        self._rest_at = now
        self._mode = -1
        self._slow_at = now
        self.restart = False

    # Callbacks, from within a message or a timer.

    def _applied(self, record):
        self._changed = True
        self._untold = True
        self._dial_at = self.arbiter.now

    def _gone(self, seq):
        self.talk.gone(seq)

    def _on_set(self, names):
        settings = self._settings
        self.arbiter.set_dwell(settings.dwell)
        self.arbiter.sticky_ms = settings.sticky_ms
        self.pace = PACES[settings.motion]
        self._changed = True
        for name in names:
            if name in _RESTART:
                self.restart = True

    # The loop.

    def step(self, now):
        """One round: some input, then a chunk of a frame or the timers, then some output.

        With the heap locked, calls have their frames on the stack: to look for a free place in
        the heap takes MicroPython longer than most functions do.
        """
        micropython.heap_lock()
        try:
            self._step(now)
        finally:
            micropython.heap_unlock()
        self.talk.answer()

    def _step(self, now):
        heard = self._link.read()
        if heard and self.talk.take(now):
            self.idle.input(now)
            self._rest_at = now
            if self.arbiter.current().words[rec.SEQ] != self._drawn.words[rec.SEQ]:
                # An event that is on the face already: its new number is told, too.
                self._changed = self._untold = True
        if self._drawing:
            self._drawing = self._screen.push()
            if not self._drawing:
                self._finished()
        else:
            self._timers(now)
            if self._due(now):
                self._draw(now)
        self._link.pump()
        if not (heard or self._drawing):
            self._rest(now)

    def _timers(self, now):
        self.arbiter.tick(now)
        if not 0 <= ticks.diff(now, self._slow_at) < _SLOW_MS:
            self._slow_at = now
            self.talk.tick(now)
            self.presence.tick(now)
            self.seats.tick(now)
            before = self.idle.state
            if self.idle.tick(now) != before:
                self._changed = True
        if self._buttons:
            self._poll(now)
        if self._peeked.words[rec.ID_LEN] and ticks.diff(now, self._peek_until) >= 0:
            self._peeked.clear()
            self._changed = True
        self._fade(now)

    def _poll(self, now):
        for button in self._buttons:
            press = button.poll(now)
            if press:
                self._pressed(button, press, now)

    def _pressed(self, button, press, now):
        self.idle.input(now)
        self.talk.button(button.name, press)
        self._changed = True
        if press == LONG:
            self.presence.toggle()
        elif press == SHORT:
            self.seats.seen()
            before = self._peeked if self._peeked.words[rec.ID_LEN] else self.arbiter.current()
            self._peeked.copy_from(self.arbiter.following(before))
            self._peek_until = ticks.add(now, PEEK_MS)

    # What the face is, all things considered.

    def _resting(self):
        """The idle state that stands in for the face, or AWAKE."""
        state = self.idle.state
        if state == AWAKE:
            return AWAKE
        shown = PRIORITY[self.arbiter.current().words[rec.CODE]]
        if shown > LIMIT_PRIORITY or self.arbiter.winner_priority() > LIMIT_PRIORITY:
            return AWAKE
        return state

    def _record(self):
        if self._peeked.words[rec.ID_LEN]:
            return self._peeked
        state = self._resting()
        if state == AWAKE:
            return self.arbiter.current()
        self._doze.words[rec.CODE] = CODE_OF[state]
        return self._doze

    def _dark(self):
        if self.presence.stage == stages.LOST:
            return True
        if not self.presence.quiet or self._peeked.words[rec.ID_LEN]:
            return False
        return CLASS_OF[self.arbiter.current().words[rec.CODE]] != NEEDS_YOU

    def _flags(self, record):
        stage = self.presence.stage
        flags = DOUBT if record.words[rec.DOUBTED] else 0
        if stage == stages.MISSED:
            flags |= MARK
        elif stage > stages.MISSED:
            flags |= GONE
        if self.presence.quiet:
            flags |= QUIET
        if not self._ring or self._shows_seats():
            flags |= SEATS
        return flags

    def _shows_seats(self):
        wish = self._settings.ring
        if wish != "auto":
            return wish == "seats"
        return self.seats.live() > 1 or not self.arbiter.current().words[rec.KIND]

    def _target_light(self):
        light = self._settings.brightness
        if self.presence.quiet:
            return min(light, _QUIET_LIGHT)
        if self.presence.stage >= stages.GONE:
            return light // _DIM
        return light

    def _fade(self, now):
        """Moves the light towards where it should be, softly."""
        target = 0 if self._dark() else self._target_light()
        if self._light == target:
            return
        if 0 <= ticks.diff(now, self._light_at) < _RAMP_MS:
            return
        self._light_at = now
        far = target - self._light
        step = far // 8
        self._light += step if step else (1 if far > 0 else -1)
        self._screen.brightness(self._light)
        if self._light == 0:
            self._screen.dark(True)
            if self._ring:
                self._ring.off()
        elif far > 0:
            self._screen.dark(False)

    # Frames.

    def _due(self, now):
        if self._unlit():
            if self._untold:
                self._keep()
                self._tell()
            return False
        record = self._record()
        if self._changed or self._flags(record) != self._mode:
            return True
        pace = self._pace(record)
        return pace > 0 and not 0 <= ticks.diff(now, self._frame_at) < pace

    def _unlit(self):
        return self._light == 0 and self._dark()

    def _pace(self, record):
        """Milliseconds between frames of a record now; 0 for on change only."""
        if self._turning and self.pace[0]:
            return min(_TURN_PACE_MS, self.pace[0])
        state = STATE_OF[record.words[rec.CODE]]
        resting = state == _IDLE or state == DROWSY or state == SLEEPING
        return self.pace[1 if resting else 0]

    def _draw(self, now):
        record = self._record()
        flags = self._flags(record)
        if self._changed:
            self._turning = True
            self._turn_at = now
        elif self._turning and ticks.diff(now, self._turn_at) >= _TURN_MS:
            self._turning = False
        if self._changed or flags != self._mode:
            self._mode = flags
            self._screen.show(record, now)
            self._screen.look(flags, now)
        self._changed = False
        if self._untold:
            self._keep()
        self._frame_at = now
        if self._ring:
            self._draw_ring(record, now)
        self._drawing = self._screen.begin(now)
        if not self._drawing:
            self._finished()

    def _draw_ring(self, record, now):
        ring = self._ring
        ring.most = _QUIET_LIGHT if self.presence.quiet else 100
        if self._shows_seats():
            ring.seats(self.seats, now, self.presence.stage >= stages.GONE)
        else:
            elapsed = ticks.diff(now, self._dial_at)
            ring.dial(record.hud, elapsed if elapsed >= 0 else ticks.PERIOD, now)
        ring.write()

    def _finished(self):
        self.talk.frames += 1
        if self._telling:
            self._tell()

    def _keep(self):
        """Keeps what is to be reported once its pixels are out."""
        self._untold = False
        self._telling = True
        self._drawn.copy_from(self.arbiter.current())
        self.seats.face(self._drawn)

    def _tell(self):
        self._telling = False
        self.talk.shown(self._drawn)

    # Rest.

    def _rest(self, now):
        """Sleeps until something may be due; tidies up when nothing goes on."""
        if self.talk.restless and ticks.diff(now, self._rest_at) >= _GC_REST_MS:
            self.talk.restless = False
            gc.collect()
        self._link.wait(self._sleep_ms(now))

    def _sleep_ms(self, now):
        unlit = self._unlit()
        if self._link.out.pending() or (self._changed and not unlit):
            return 1
        ms = _BUTTON_MS if self._buttons else _REST_MS
        if self._light != (0 if self._dark() else self._target_light()):
            ms = min(ms, _RAMP_MS)
        timer = self.arbiter.deadline(now)
        if 0 <= timer < ms:
            ms = timer
        pace = 0 if unlit else self._pace(self._record())
        if pace:
            pace -= ticks.diff(now, self._frame_at)
            if pace < ms:
                ms = pace if pace > 0 else 0
        return ms
