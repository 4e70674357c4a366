"""The panel decoder against command streams written by hand."""

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from host_bridge.virtual.panel import BGR, MV, MX, MY, PanelDecoder
from tests.virtual.pixels import pixel

RED, GREEN, BLUE = 0xF800, 0x07E0, 0x001F
ROTATIONS = (0, MX | MV, MX | MY, MY | MV)


def span(first, last):
    return bytes((first >> 8, first & 255, last >> 8, last & 255))


def send(panel, command, *data, t=0):
    panel.feed(0, bytes((command,)), t)
    if data:
        panel.feed(1, bytes(data), t)


def wake(panel, madctl=0, invert=False):
    send(panel, 0x11)
    send(panel, 0x3A, 0x55)
    send(panel, 0x36, madctl)
    send(panel, 0x21 if invert else 0x20)
    send(panel, 0x29)


def window(panel, x, y, width, height, t=0):
    send(panel, 0x2A, *span(x, x + width - 1), t=t)
    send(panel, 0x2B, *span(y, y + height - 1), t=t)
    send(panel, 0x2C, t=t)


def words(pixels):
    return b"".join(pixel.to_bytes(2, "big") for pixel in pixels)


def paint(panel, x, y, width, height, pixels, t=0, chunk=1000):
    window(panel, x, y, width, height, t)
    data = words(pixels)
    for at in range(0, len(data), chunk):
        panel.feed(1, data[at : at + chunk], t)


def true_colour(pixel):
    return (pixel >> 11) * 255 // 31, (pixel >> 5 & 63) * 255 // 63, (pixel & 31) * 255 // 31


def at(panel, x, y):
    return pixel(panel.image(), x, y)


class Plain:
    """A controller's memory, one pixel at a time: address -> cell by the data sheet's table."""

    def __init__(self, gram, madctl):
        self.gram, self.madctl, self.cells = gram, madctl, {}

    def cell(self, x, y):
        column, row = (y, x) if self.madctl & MV else (x, y)
        if column >= self.gram[0] or row >= self.gram[1]:
            return None
        column = self.gram[0] - 1 - column if self.madctl & MX else column
        return column, self.gram[1] - 1 - row if self.madctl & MY else row

    def paint(self, x, y, width, height, pixels):
        for i, colour in enumerate(pixels):
            i %= width * height
            cell = self.cell(x + i % width, y + i // width)
            if cell:
                self.cells[cell] = colour

    def seen(self, glass):
        """Pixels of the glass in the order in which MADCTL addresses them."""
        left, top, width, height = glass
        across, down = self.gram[::-1] if self.madctl & MV else self.gram
        return [
            self.cells.get(cell)
            for y in range(down)
            for x in range(across)
            if (cell := self.cell(x, y))
            and left <= cell[0] < left + width
            and top <= cell[1] < top + height
        ]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_windows_of_any_place_order_and_chunking_land_where_the_data_sheet_says(data):
    gram = data.draw(st.tuples(st.integers(4, 12), st.integers(4, 12)))
    width, height = (data.draw(st.integers(1, side)) for side in gram)
    dx = data.draw(st.integers(0, gram[0] - width))
    dy = data.draw(st.integers(0, gram[1] - height))
    panel = PanelDecoder(width, height, dx, dy, gram=gram)
    for madctl in data.draw(st.lists(st.sampled_from(range(0, 256, 32)), max_size=3)):
        wake(panel, madctl)
    madctl = data.draw(st.sampled_from([0, MX, MY, MV, MX | MY, MX | MV, MY | MV, MX | MY | MV]))
    wake(panel, madctl)
    plain = Plain(gram, madctl)
    across, down = gram[::-1] if madctl & MV else gram
    paint_all = [0x1234] * (across * down)
    for what in (panel_paint(panel), plain.paint):
        what(0, 0, across, down, paint_all)
    for _ in range(data.draw(st.integers(1, 3))):
        x, y = data.draw(st.integers(0, across + 1)), data.draw(st.integers(0, down + 1))
        w, h = data.draw(st.integers(1, across)), data.draw(st.integers(1, down))
        count = data.draw(st.integers(1, w * h + 3))
        pixels = data.draw(st.lists(st.integers(0, 0xFFFF), min_size=count, max_size=count))
        paint(panel, x, y, w, h, pixels, chunk=data.draw(st.integers(1, 40)))
        plain.paint(x, y, w, h, pixels)
    seen = [true_colour(pixel) for pixel in plain.seen((dx, dy, width, height))]
    picture = panel.image()
    if (madctl & (MX | MY | MV)).bit_count() & 1:
        picture = ImageOps.mirror(picture)
    assert list(picture.get_flattened_data()) == seen
    assert panel.size == ((height, width) if madctl & MV else (width, height))


def panel_paint(panel):
    return lambda *what: paint(panel, *what)


@pytest.mark.parametrize("madctl", ROTATIONS)
def test_a_picture_is_upright_at_every_rotation(madctl):
    panel = PanelDecoder(135, 240, 52, 40)
    wake(panel, madctl)
    left, top = {0: (52, 40), MX | MV: (40, 53), MX | MY: (53, 40), MY | MV: (40, 52)}[madctl]
    width, height = panel.size
    paint(panel, left, top, width, height, [BLUE] * (width * height))
    paint(panel, left, top, 2, 1, [RED, GREEN])
    assert panel.outside == 0
    assert at(panel, 0, 0) == (255, 0, 0)
    assert at(panel, 1, 0) == (0, 255, 0)
    assert at(panel, width - 1, height - 1) == (0, 0, 255)


def test_a_wrong_mirror_shows_and_the_right_one_does_not():
    for needs, sent in ((False, 0), (True, MX), (False, MX), (True, 0)):
        panel = PanelDecoder(240, 240, mirror=needs)
        wake(panel, sent)
        paint(panel, 0, 0, 1, 1, [RED])
        shows_left = at(panel, 0, 0) == (255, 0, 0)
        assert shows_left == (needs == bool(sent))


def test_colours_are_true_only_with_what_the_glass_needs():
    for needs_bgr in (False, True):
        for needs_inversion in (False, True):
            panel = PanelDecoder(240, 240, driver="gc9a01", invert=needs_inversion, bgr=needs_bgr)
            wake(panel, BGR if needs_bgr else 0, needs_inversion)
            paint(panel, 0, 0, 1, 1, [RED])
            assert at(panel, 0, 0) == (255, 0, 0)
            wake(panel, 0 if needs_bgr else BGR, needs_inversion)
            assert at(panel, 0, 0) == (0, 0, 255)
            wake(panel, BGR if needs_bgr else 0, not needs_inversion)
            assert at(panel, 0, 0) == (0, 255, 255)


def test_dark_until_awake_and_on_and_noise_where_nothing_was_written():
    panel = PanelDecoder(240, 240)
    assert not panel.on and set(panel.rgb()) == {0}
    send(panel, 0x29)
    assert not panel.on
    send(panel, 0x11)
    assert panel.on and len(set(panel.rgb())) > 10
    for command in (0x28, 0x29, 0x10, 0x11, 0x01):
        send(panel, command)
        assert panel.on == (command in (0x29, 0x11))


def test_pixels_beside_the_glass_are_counted():
    panel = PanelDecoder(135, 240, 52, 40)
    wake(panel)
    paint(panel, 50, 40, 4, 2, [RED] * 8)
    assert panel.outside == 4
    paint(panel, 52, 280, 135, 1, [RED] * 135)
    assert panel.outside == 4 + 135
    paint(panel, 0, 0, 240, 320, [RED] * (240 * 320))
    assert panel.outside == 4 + 135 + 240 * 320 - 135 * 240


def test_memory_write_goes_on_after_an_interruption():
    panel = PanelDecoder(240, 240)
    wake(panel)
    paint(panel, 0, 0, 2, 1, [RED])
    send(panel, 0x3C)
    panel.feed(1, words([GREEN]), 0)
    assert at(panel, 0, 0) == (255, 0, 0)
    assert at(panel, 1, 0) == (0, 255, 0)


def test_other_colour_depths_are_refused_in_words():
    panel = PanelDecoder(240, 240)
    wake(panel)
    paint(panel, 0, 0, 1, 1, [GREEN])
    for colmod in (0x66, 0x53):
        send(panel, 0x3A, colmod)
        paint(panel, 0, 0, 1, 1, [RED])
    assert at(panel, 0, 0) == (0, 255, 0)
    assert [fault[:24] for fault in panel.faults] == [
        "pixels in COLMOD 0x66: o",
        "pixels in COLMOD 0x53: o",
    ]
    send(panel, 0x2A, *span(9, 3))
    assert panel.faults[-1] == "window from 9 to 3"


def test_frames_end_with_a_nop():
    panel = PanelDecoder(240, 240)
    wake(panel)
    paint(panel, 0, 0, 240, 240, [BLUE] * 240 * 240)
    seen = []
    stop = panel.listen(seen.append)
    send(panel, 0x00)
    paint(panel, 10, 20, 4, 2, [RED] * 6 + [BLUE] * 2, t=5000)
    paint(panel, 30, 20, 1, 1, [RED], t=9500)
    send(panel, 0x00, t=9600)
    stop()
    paint(panel, 30, 20, 1, 1, [RED], t=9700)
    send(panel, 0x00, t=9800)
    assert [(f.written, f.changed) for f in panel.frames] == [(57600, 57600), (9, 7), (1, 0)]
    assert panel.frames[1].rects == [(10, 20, 4, 2), (30, 20, 1, 1)]
    assert panel.frames[1].bytes == 2 * 11 + 18 + 1
    assert (panel.frames[1].start_us, panel.frames[1].end_us) == (5000, 9600)
    assert seen == list(panel.frames)[:2]
    assert panel.frame_count == 3


def test_frames_of_a_firmware_that_marks_none_end_after_two_silent_milliseconds():
    panel = PanelDecoder(240, 240)
    wake(panel)
    for t in (10_000, 11_900, 14_000, 14_100):
        paint(panel, 0, 0, 1, 1, [RED], t=t)
    panel.end_frame()
    assert [frame.written for frame in panel.frames] == [2, 2]
    assert not panel.in_frame


def test_a_round_glass_has_transparent_corners():
    panel = PanelDecoder(240, 240, driver="gc9a01", round=True)
    wake(panel)
    picture = Image.open(BytesIO(panel.png()))
    assert pixel(picture, 0, 0)[3] == 0
    assert pixel(picture, 120, 120)[3] == 255
