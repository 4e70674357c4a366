"""Where the face is at a moment: a pure function of states, times, seed and settings."""

from array import array

from aora._shim import micropython, ptr8, ptr16
from aora.face import expressions as ex
from aora.face.outline import SINE
from aora.protocol import WORKING

# How much a face moves.
STILL = 0
CALM = 1
LIVELY = 2

_MORPH_MS = 150  # from work to work
_TURN_MS = 260
_BLINK_MS = 260
BLINK_SLOT = 5500  # one blink in each, somewhere in its first 1.5 s: 4 to 7 s apart
_BREATH_MS = 6000
_MOUTH_LAG = 12  # 256ths of a breath
# Motions go in steps: a thin rim that changes costs the bus as much as a broad one.
_STEPS = array("h", [-2] * ex.FIELDS)
_STEPS[ex.GAZE_X] = _STEPS[ex.GAZE_Y] = _STEPS[ex.LOOK_X] = -4
_STEPS[ex.PHASE] = -8
_SWELLS = (0, 30000, 120000, 300000)


PACES = {"still": STILL, "calm": CALM, "lively": LIVELY}


def seed_of(settings):
    """What makes two boards blink at different moments."""
    return len(settings.name) * 7 + 3


def sine(turn):
    """256 times the sine of `turn` 256ths of a circle."""
    part = turn & 63
    if turn & 64:
        part = 64 - part
    at = part >> 2
    value = SINE[at]
    if part & 3:
        value += (SINE[at + 1] - value) * (part & 3) >> 2
    return -value if turn & 128 else value


def ease(t, span):
    """0..256 as t goes 0..span, slow at both ends."""
    if t >= span:
        return 256
    if t <= 0:
        return 0
    u = t * 256 // span
    return u * u * (768 - 2 * u) >> 16


def _dice(n, seed):
    """A number 0..255 for the n-th throw."""
    n = ((n & 0x3FFF) * 7919 + (seed & 0xFF) * 6151 + 12345) & 0xFFFFFF
    n ^= n >> 7
    n = (n & 0xFFFF) * 8191 & 0xFFFFFF
    return n >> 9 & 0xFF


def _wave(kind, t, period, amplitude, seed):
    if kind == ex.ONCE:
        return amplitude * ease(t, period) >> 8
    if kind == ex.FADE:
        return amplitude * (256 - ease(t, period)) >> 8
    if kind == ex.HOP:
        return _leap(t - 120, period, amplitude)
    if kind == ex.SHAKE or kind == ex.SHAKES:
        if t >= period * (1 if kind == ex.SHAKE else 2):
            return 0
        return amplitude * sine(t % period * 256 // period) >> 8
    if kind == ex.SWELL:
        return _swell(t, period, amplitude)
    n = t // period
    t -= n * period
    if kind == ex.SINE:
        return amplitude * sine(t * 256 // period) >> 8
    if kind == ex.BREATHE:
        return amplitude * (256 - sine(t * 256 // period + 64)) >> 9
    if kind == ex.ROUNDS:
        return amplitude * t // period
    if kind == ex.TICK:
        return amplitude * sine(t * 128 // 220) >> 8 if t < 220 else 0
    if kind == ex.BOUNCE:
        return _leap(t, period, amplitude)
    if kind == ex.SCAN:
        return _scan(t, period, amplitude)
    if kind == ex.SWAP:
        half = period >> 1
        return amplitude * (ease(t - half, 160) - ease(t - period + 160, 160)) >> 8
    before = (_dice(n - 1, seed) - 128) * amplitude >> 7
    after = (_dice(n, seed) - 128) * amplitude >> 7
    return before + ((after - before) * ease(t, 120) >> 8)


def _leap(t, period, amplitude):
    """Up and down along a parabola."""
    if t < 0 or t >= period:
        return 0
    u = t * 256 // period
    return -(amplitude * u * (256 - u) >> 14)


def _swell(t, period, amplitude):
    for start in _SWELLS:
        if start <= t < start + period:
            return amplitude * sine((t - start) * 128 // period) >> 8
    return 0


def _scan(t, period, amplitude):
    there = period * 7 // 8
    if t < there:
        return 2 * amplitude * t // there - amplitude
    return amplitude - (2 * amplitude * ease(t - there, period - there) >> 8)


@micropython.viper
def _take(rows: ptr8, at: int, pose: ptr16):
    i = 0
    while i < 39:
        pose[i] = int(rows[at + i]) - 128
        i += 1


@micropython.viper
def _blend(pose: ptr16, other: ptr16, share: int):
    """Moves the pose's gradual fields `share` 256ths of the way to the other's."""
    i = 0
    while i < 33:
        a = ((int(pose[i]) & 0xFFFF) ^ 0x8000) - 0x8000
        b = ((int(other[i]) & 0xFFFF) ^ 0x8000) - 0x8000
        pose[i] = a + ((b - a) * share + 128 >> 8)
        i += 1
    if share >= 128:
        while i < 39:
            pose[i] = ((int(other[i]) & 0xFFFF) ^ 0x8000) - 0x8000
            i += 1


def _alone(state, t, now, seed, pace, pose):
    """The pose of a state that has been there for t ms, as if nothing had been before."""
    _take(ex.ROWS, state * ex.FIELDS, pose)
    if pace == STILL:
        pose[ex.PHASE] = 160
        if pose[ex.ACCENT] == ex.LETTER:
            pose[ex.PHASE] = 255
        return
    moves = ex.MOVES
    at = ex.FIRST[state] * ex.MOVE
    end = ex.FIRST[state + 1] * ex.MOVE
    throw = seed
    while at < end:
        field = moves[at]
        wave = moves[at + 1]
        amplitude = (moves[at + 4] | moves[at + 5] << 8) - ex.ZERO
        if wave == ex.LOOK and pace == LIVELY:
            amplitude += amplitude
        moved = _wave(wave, t, moves[at + 2] | moves[at + 3] << 8, amplitude, throw)
        pose[field] += moved & _STEPS[field]
        throw += 1
        at += ex.MOVE
    deep = pose[ex.BREATH]
    breath = now % _BREATH_MS * 256 // _BREATH_MS
    up = deep * sine(breath) + 128 >> 8
    pose[ex.FACE_Y] += up
    # The mouth comes after the eyes: no frame has to move both.
    pose[ex.MOUTH_Y] += (deep * sine(breath - _MOUTH_LAG & 255) + 128 >> 8) - up
    if pose[ex.BLINKS] and t > 500 and pose[ex.EYES] == ex.ROUND:
        _blink(now, seed, pose)


def _blink(now, seed, pose):
    slot = now // BLINK_SLOT
    t = now - slot * BLINK_SLOT - _dice(slot, seed) * 1500 // 256
    if t < 0 or t >= _BLINK_MS:
        return
    quarter = _BLINK_MS >> 2
    if t < quarter:
        shut = ease(t, quarter)
    else:
        left = 256 - (t - quarter) * 256 // (_BLINK_MS - quarter)
        shut = left * left >> 8
    pose[ex.LID] += (100 - pose[ex.LID]) * shut >> 8


def pose_at(state, t, before, t_before, now, seed, pace, pose, spare):
    """Fills `pose`: `state` since t ms, after `before`, which had come t_before ms ago.

    `spare` is a second pose to work in. Blinks and breath follow `now`.
    """
    working = ex.CLASS[state] == WORKING and ex.CLASS[before] == WORKING
    span = _MORPH_MS if working else _TURN_MS
    if pace == STILL or t >= span or state == before:
        _alone(state, t, now, seed, pace, pose)
        return
    _alone(before, t_before, now, seed, pace, pose)
    _alone(state, t, now, seed, pace, spare)
    share = ease(t, span)
    closes = pose[ex.EYES] != spare[ex.EYES]
    _blend(pose, spare, share)
    if closes:
        # Eyes of another kind change while they are shut.
        away = 128 - share if share < 128 else share - 128
        pose[ex.EYE_H] = pose[ex.EYE_H] * (away + 16) // 144


def new_pose():
    """A pose for pose_at() to fill."""
    return array("h", bytes(ex.FIELDS * 2))
