"""Is the host there, and is it quiet hours."""

import types

from aora.presence import GONE, HERE, LOST, MISSED, Presence
from aora.ticks import MASK


def _settings(start=-1, end=-1):
    return types.SimpleNamespace(quiet_from=start, quiet_to=end)


def test_a_host_that_is_gone_is_missed_in_stages():
    presence = Presence(_settings(), 0)
    for ms, stage in ((9999, HERE), (10000, MISSED), (59999, MISSED), (60000, GONE)):
        presence.tick(ms)
        assert presence.stage == stage
    presence.tick(600000)
    assert presence.stage == LOST
    presence.heard(700000)
    presence.tick(700001)
    assert presence.stage == HERE


def test_a_host_stays_lost_for_a_month():
    presence = Presence(_settings(), MASK - 5000)
    now = MASK - 5000
    for _ in range(30 * 24 * 4):
        now = (now + 900000) & MASK
        presence.tick(now)
        assert presence.stage == LOST


def test_quiet_hours_cross_midnight_and_the_clock_runs_on():
    presence = Presence(_settings(22 * 60, 7 * 60), 0)
    assert not presence.quiet
    presence.told(21 * 60 + 59, 0)
    presence.tick(59999)
    assert not presence.quiet
    presence.tick(60000)
    assert presence.quiet
    presence.tick(60000 + 9 * 3600000 - 1)
    assert presence.quiet
    presence.tick(60000 + 9 * 3600000)
    assert not presence.quiet


def test_without_a_clock_no_hours_are_quiet():
    presence = Presence(_settings(0, 1439), 0)
    presence.tick(100000)
    assert not presence.quiet
    presence.told(9999, 0)
    presence.tick(100001)
    assert not presence.quiet


def test_a_person_may_want_it_otherwise_until_the_hours_change():
    presence = Presence(_settings(600, 660), 0)
    presence.told(599, 0)
    presence.tick(0)
    presence.toggle()
    assert presence.quiet
    presence.tick(60000)
    assert presence.quiet
    presence.toggle()
    presence.tick(120000)
    assert not presence.quiet
    presence.tick(60000 * 61)
    assert not presence.quiet
