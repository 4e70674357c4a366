"""Any panel glued in any way and any ring turned in any way comes right after one answer."""

import itertools

import pytest

from host_bridge.flash import ask

SETTINGS = list(itertools.product((0, 90, 180, 270), (False, True)))


def corner_of(picture):
    """What a person says of a picture: where its dot is, and whether its bar lies."""
    for name, x, y in zip(ask.CORNERS, (0, 4, 0, 4), (0, 0, 4, 4), strict=True):
        if picture[y][x] == "dot":
            beside = picture[y][1 if x == 0 else 3]
            return name, beside == "bar"
    raise AssertionError


def a_picture():
    return [["dot", "bar", "bar", "", ""], *[[""] * 5 for _ in range(4)]]


def turned(picture, rotation, mirror):
    """Mirrored left to right first, then turned clockwise."""
    if mirror:
        picture = [row[::-1] for row in picture]
    for _ in range(rotation // 90):
        picture = [list(row) for row in zip(*picture[::-1], strict=True)]
    return picture


@pytest.mark.parametrize("glass", SETTINGS)
@pytest.mark.parametrize("now", SETTINGS)
@pytest.mark.parametrize("colour", ask.COLOURS)
def test_one_answer_puts_the_picture_right(glass, now, colour):
    seen = turned(turned(a_picture(), *now), *glass)
    corner, lying = corner_of(seen)
    settings = {"rotation": now[0], "mirror": now[1], "bgr": True, "invert": False}
    change = ask.panel_settings(settings, ask.Seen(corner, colour, lying))
    after = settings | change
    shown = turned(turned(a_picture(), after["rotation"], after["mirror"]), *glass)
    assert shown == a_picture()
    assert (after["bgr"] != settings["bgr"]) == (colour in ("blue", "yellow"))
    assert (after["invert"] != settings["invert"]) == (colour in ("cyan", "yellow"))
    assert all(settings[key] != value for key, value in change.items())


def test_a_right_picture_changes_nothing():
    now = {"rotation": 90, "mirror": True, "bgr": False, "invert": True}
    assert ask.panel_settings(now, ask.Seen()) == {}


@pytest.mark.parametrize("leds", [12, 16, 24])
@pytest.mark.parametrize("turning", [1, -1])
@pytest.mark.parametrize("now_dir", [1, -1])
def test_one_answer_puts_the_ring_right(leds, turning, now_dir):
    """`top` is the LED really at twelve o'clock; `turning` how the ring really counts."""
    for top, now_offset in itertools.product(range(leds), range(0, leds, 5)):

        def hour(led, top=top):
            """Where a person sees it, to half an hour."""
            return round(((led - top) * turning % leds) / leds * 24) / 2 % 12

        now = {"leds": leds, "ring_offset": now_offset, "ring_dir": now_dir}
        twelve = hour(now_offset % leds)
        three = hour((now_offset + now_dir * (leds // 4)) % leds)
        after = now | ask.ring_settings(now, twelve, three)
        assert (after["ring_offset"], after["ring_dir"]) == (top, turning)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("12 3", (12, 3)),
        ("1.5, 4.5", (1.5, 4.5)),
        ("0 9", (0, 9)),
        ("3", None),
        ("13 2", None),
        ("six nine", None),
        ("3 3", None),
        ("", None),
    ],
)
def test_what_a_person_types(text, hours):
    assert ask.parse_clock(text) == hours
