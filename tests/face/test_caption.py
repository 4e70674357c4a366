from hypothesis import given
from hypothesis import strategies as st

from aora.face.caption import Caption
from host_bridge import font

CELLS = 18
CHARACTERS = [chr(code) for code in font.code_points() if code != font.BOX]
WIDE = 16


def _lines(caption: Caption, text: str) -> list[str]:
    """What the caption shows, read back from the glyphs of its lines."""
    data = text.encode()
    caption.set(bytearray(data.ljust(200)), len(data))
    names = _names(caption)
    rows = []
    for row in range(caption.rows):
        start, end, _ = caption._lines[row * 3 : row * 3 + 3]
        rows.append("".join(names[glyph] for glyph in caption._glyphs[start:end]))
    return rows


def _names(caption: Caption) -> list[str]:
    data = caption._font
    narrow, wide = (int.from_bytes(data[i : i + 2], "little") for i in (0, 2))
    codes = data[4 : 4 + 2 * (narrow + wide)]
    return [chr(int.from_bytes(codes[i : i + 2], "little")) for i in range(0, len(codes), 2)]


@given(st.text(st.sampled_from(CHARACTERS), max_size=50))
def test_every_character_is_shown_whole_and_in_order(text: str) -> None:
    caption = Caption(CELLS, 1, 16)
    shown = "".join(_lines(caption, text)).replace(" ", "")
    assert shown == text.replace(" ", "")


@given(st.lists(st.text(st.sampled_from("abcdéñ✓→"), min_size=1, max_size=9), max_size=12))
def test_words_stay_whole_and_lines_fit(words: list[str]) -> None:
    caption = Caption(CELLS, 1, 16)
    lines = _lines(caption, " ".join(words))
    assert " ".join(lines).split() == words
    for row in range(caption.rows):
        assert 0 < caption._lines[row * 3 + 2] <= CELLS


@given(st.text(max_size=40))
def test_what_the_font_lacks_is_a_box(text: str) -> None:
    encoded = text.encode("utf-8", "ignore")[:160].decode("utf-8", "ignore")
    shown = "".join(_lines(Caption(CELLS, 1, 16), encoded))
    for character in shown:
        assert character in CHARACTERS or character == chr(font.BOX)


def test_a_long_caption_turns_its_pages_and_then_rests() -> None:
    caption = Caption(CELLS, 1, 24)
    _lines(caption, "Running the integration tests of the display path again")
    pages = caption.pages()
    assert pages > 2
    seen = {caption.place(t) >> 8 for t in range(0, 60000, 50)}
    assert seen == set(range(pages))
    assert caption.place(500) == caption.place(200000) == 0


def test_a_page_says_that_there_is_more() -> None:
    """Lines leave room for an ellipsis where there are pages, and only the last page has none."""
    caption = Caption(CELLS, 2, 16)
    for words in ("a " * 30, "x" * 60, "Running the integration tests of it"):
        _lines(caption, words)
        box, high = [0, 0, CELLS * 8, 32], 32
        ends = []
        for page in range(caption.pages()):
            pixels = bytearray(CELLS * 4 * high)
            caption.paint(pixels, CELLS * 4, [0, 0, CELLS * 8, high], box, 0, page * 256, 0x54)
            row = min(page * 2 + 1, caption.rows - 1)
            used = caption._lines[row * 3 + 2]
            more = page < caption.pages() - 1
            left = (CELLS * 8 - (used + more) * 8) // 2 + used * 8
            below = 16 if row % 2 else 0
            inked = [
                pixels[y * CELLS * 4 + x // 2]
                for y in range(below, below + 16)
                for x in range(left, min(left + 8, CELLS * 8))
            ]
            ends.append(any(inked))
        assert ends == [True] * (len(ends) - 1) + [False]


def test_pixels_stay_inside_the_clip() -> None:
    caption = Caption(CELLS, 1, 24)
    _lines(caption, "Wrapping ✓ up →")
    stride, high = 120, 60
    whole, part = bytearray(stride * high), bytearray(stride * high)
    box = [10, 20, 10 + CELLS * 12, 44]
    caption.paint(whole, stride, [0, 0, 240, 60], box, 0, 0, 0x54)
    caption.paint(part, stride, [60, 26, 120, 38], box, 0, 0, 0x54)
    assert any(whole)
    for y in range(high):
        for x in range(stride):
            inside = 30 <= x < 60 and 26 <= y < 38
            assert part[y * stride + x] == (whole[y * stride + x] if inside else 0)
