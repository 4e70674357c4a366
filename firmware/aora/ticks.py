"""Milliseconds that wrap at 2^29, CircuitPython's period: they stay small integers on a board."""

from aora._shim import const

PERIOD = 1 << 29
MASK = PERIOD - 1
_HALF = const(1 << 28)


def diff(a, b):
    """Signed milliseconds from `b` to `a`; right while they lie within 2^28 ms (3 days)."""
    return ((a - b + _HALF) & MASK) - _HALF


def add(t, ms):
    """The tick `ms` after `t`."""
    return (t + ms) & MASK
