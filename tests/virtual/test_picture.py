"""The device drawn as it stands on a desk."""

from PIL import Image

from host_bridge.virtual.picture import compose
from tests.virtual.pixels import pixel

WHITE = Image.new("RGB", (240, 240), (255, 255, 255))
DARK = (0, 0, 0)


def brightness(picture, x, y):
    return sum(pixel(picture, x, y)[:3])


def test_the_first_led_is_on_top_and_the_next_ones_follow_clockwise():
    for lit, (x, y) in enumerate(((120, 16), (224, 120), (120, 224), (16, 120))):
        leds: list[tuple[int, int, int]] = [DARK] * 4
        leds[lit] = (0, 200, 0)
        picture = compose(Image.new("RGB", (240, 240)), leds, round=True, size=240)
        red, green, blue, _ = pixel(picture, x, y)
        assert green > max(red, blue) + 50
        others = [pixel(picture, *at) for at in ((120, 16), (224, 120), (120, 224), (16, 120))]
        assert sum(other[1] > 100 for other in others) == 1


def test_a_round_glass_is_masked_and_nothing_is_around_the_body():
    picture = compose(WHITE, [DARK] * 16, round=True, size=240)
    assert picture.mode == "RGBA"
    assert pixel(picture, 2, 2)[3] == 0
    assert brightness(picture, 120, 120) == 3 * 255
    assert brightness(picture, 55, 55) < 3 * 60
    square = compose(WHITE, [DARK] * 16, round=False, size=240)
    assert brightness(square, 62, 62) == 3 * 255


def test_the_backlight_dims_the_glass_as_the_eye_sees_it():
    full, half, off = (
        pixel(compose(WHITE, [], backlight=level, size=120), 60, 60)[0] for level in (1, 0.5, 0)
    )
    assert full == 255
    assert 170 < half < 200
    assert off == 0


def test_light_falls_around_a_bright_led():
    lit = compose(WHITE.point(lambda _: 0), [(255, 255, 255)] + [DARK] * 15, round=True, size=240)
    dark = compose(WHITE.point(lambda _: 0), [DARK] * 16, round=True, size=240)
    assert brightness(lit, 120, 28) > brightness(dark, 120, 28) + 30


def test_a_wide_panel_without_a_ring_gets_a_body_of_its_own_shape():
    picture = compose(Image.new("RGB", (240, 135), (9, 99, 9)), [], size=240)
    assert pixel(picture, 120, 120)[:3] == (9, 99, 9)
    assert pixel(picture, 120, 20)[3] == 0
