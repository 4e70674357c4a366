"""A caption: its glyphs, its lines of whole words, and its pixels, in fixed memory."""

from array import array

from aora._shim import const, micropython, ptr8, ptr16, ptr32

_MOST = 160  # characters: a record's tips
_LINES = 40
_ELLIPSIS = const(0x2026)
_PAGE_MS = 2800  # a page rests
_ROLL_MS = 240  # and the next one rolls in
_TURNS = 3  # times round, then the first page stays


@micropython.viper
def _find(font: ptr8, code: int, box: int) -> int:
    """A character's glyph: its place among the narrow ones, then the wide ones."""
    narrow = int(font[0]) | (int(font[1]) << 8)
    wide = int(font[2]) | (int(font[3]) << 8)
    if code < 0x7F:
        return code - 32 if code >= 32 else box
    low = 0
    high = narrow
    turn = 0
    while turn < 2:
        while low < high:
            middle = (low + high) >> 1
            found = int(font[4 + middle * 2]) | (int(font[5 + middle * 2]) << 8)
            if found == code:
                return middle
            if found < code:
                low = middle + 1
            else:
                high = middle
        low = narrow
        high = narrow + wide
        turn += 1
    return box


@micropython.viper
def _decode(font: ptr8, text: ptr8, length: int, glyphs: ptr16, box: int) -> int:
    """Bytes of UTF-8 to glyphs; answers how many. What has no width of its own is left out."""
    count = 0
    i = 0
    while i < length and count < 160:
        code = int(text[i])
        i += 1
        more = 0
        if code >= 0xF0:
            code &= 7
            more = 3
        elif code >= 0xE0:
            code &= 15
            more = 2
        elif code >= 0xC0:
            code &= 31
            more = 1
        while more > 0 and i < length:
            code = (code << 6) | (int(text[i]) & 63)
            i += 1
            more -= 1
        joins = code == 0x200B or code == 0x200D or (code >= 0xFE00 and code <= 0xFE0F)
        if not joins:
            glyphs[count] = int(_find(font, code, box))
            count += 1
    return count


@micropython.viper
def _wrap(glyphs: ptr16, count: int, narrow: int, cells: int, lines: ptr16) -> int:
    """Lines of whole words as (first glyph, glyph after the last, cells); a word longer than a
    line is cut between characters. Answers how many lines."""
    rows = 0
    at = 0
    while at < count and rows < 40:
        while at < count and int(glyphs[at]) == 0:
            at += 1
        start = at
        used = 0
        word = start  # where the last word that fits ends
        word_used = 0
        full = 0
        while at < count and full == 0:
            glyph = int(glyphs[at])
            size = 2 if glyph >= narrow else 1
            if glyph == 0:
                word = at
                word_used = used
            if used + size > cells:
                full = 1
            else:
                used += size
                at += 1
        if full == 0:
            word = at
            word_used = used
        elif word == start:
            word = at
            word_used = used
        at = word
        while word > start and int(glyphs[word - 1]) == 0:
            word -= 1
            word_used -= 1
        if word > start:
            lines[rows * 3] = start
            lines[rows * 3 + 1] = word
            lines[rows * 3 + 2] = word_used
            rows += 1
    return rows


@micropython.viper
def _paint(pixels: ptr8, font: ptr8, glyph: int, tall: int, colours: int, at: ptr32):
    """One glyph, `tall` 16 or 24 pixels high, its corner at at[0], at[1]; rows at[2]..at[3] and
    columns at[4]..at[5] of a picture of at[6] bytes a row."""
    narrow = int(font[0]) | (int(font[1]) << 8)
    wide = int(font[2]) | (int(font[3]) << 8)
    across = 1
    base = 4 + 2 * (narrow + wide) + glyph * 16
    if glyph >= narrow:
        across = 2
        base += (glyph - narrow) * 16
    start = int(at[4]) - int(at[0])
    if start < 0:
        start = 0
    end = int(at[5]) - int(at[0])
    if end > across * tall >> 1:
        end = across * tall >> 1
    row = int(at[2])
    if row < int(at[1]):
        row = int(at[1])
    while row < int(at[3]) and row < int(at[1]) + tall:
        # The rows of dots that this row of pixels lies on: at 24, three pixels to two dots.
        top = row - int(at[1])
        low = top
        if tall == 24:
            low = top * 2 // 3
            top = low + 1 if top * 2 - low * 3 == 2 else low
        if across == 1:
            high = int(font[base + top]) << 8
            deep = int(font[base + low]) << 8
        else:
            high = (int(font[base + top * 2]) << 8) | int(font[base + top * 2 + 1])
            deep = (int(font[base + low * 2]) << 8) | int(font[base + low * 2 + 1])
        x = start if high | deep else end
        while x < end:
            left = x
            right = x
            if tall == 24:
                left = x * 2 // 3
                right = left + 1 if x * 2 - left * 3 == 2 else left
            ink = ((high << left) & 0x8000) + ((high << right) & 0x8000)
            ink += ((deep << left) & 0x8000) + ((deep << right) & 0x8000)
            if ink:
                colour = colours >> 4 if ink > 0x10000 else colours & 15
                column = int(at[0]) + x
                place = row * int(at[6]) + (column >> 1)
                if column & 1:
                    pixels[place] = (int(pixels[place]) & 0xF0) | colour
                else:
                    pixels[place] = (int(pixels[place]) & 0x0F) | (colour << 4)
            x += 1
        row += 1


def _load():
    """The font file beside this module."""
    with open(__file__.rsplit("/", 1)[0] + "/font.bin", "rb") as file:
        return file.read()


class Caption:
    """The text under the face: `lines` of it at a time, each `cells` places wide."""

    def __init__(self, cells, lines, tall):
        self.cells = cells
        self.shown = lines
        self.tall = tall
        self.rows = 0
        self.revision = 0
        self._font = font = _load()
        self._narrow = font[0] | font[1] << 8
        self._box = self._narrow - 1
        self._more = _find(font, _ELLIPSIS, self._box)
        self._glyphs = array("H", [0] * _MOST)
        self._lines = array("H", [0] * (_LINES * 3))
        self._at = array("i", [0] * 7)

    def set(self, text, length):
        """Takes `length` bytes of UTF-8."""
        count = _decode(self._font, text, length, self._glyphs, self._box)
        cells = self.cells
        self.rows = _wrap(self._glyphs, count, self._narrow, cells, self._lines)
        if self.rows > self.shown:  # pages end in an ellipsis then
            self.rows = _wrap(self._glyphs, count, self._narrow, cells - 1, self._lines)
        self.revision = self.revision + 1 & 0xFFF

    def pages(self):
        """How many pages the text has."""
        return (self.rows + self.shown - 1) // self.shown

    def place(self, t):
        """How far the text has rolled after t ms, in 256ths of a page."""
        pages = self.pages()
        turn = t // _PAGE_MS
        if pages < 2 or turn >= pages * _TURNS:
            return 0
        page = turn % pages
        left = _PAGE_MS - (t - turn * _PAGE_MS)
        if left >= _ROLL_MS:
            return page * 256
        gone = 256 - left * 256 // _ROLL_MS
        return page * 256 + (gone * gone * (768 - 2 * gone) >> 16)

    def paint(self, pixels, stride, clip, box, at, place, colours):
        """Paints the text into the rectangle box[at..at+3] of a picture, inside its clip.

        `place` as place() says; `colours` two colours: 16 times the text's, plus that of
        its soft edges.
        """
        spot = self._at
        left = box[at]
        top = box[at + 1]
        wide = box[at + 2] - left
        spot[2] = clip[1] if clip[1] > top else top
        spot[3] = clip[3] if clip[3] < box[at + 3] else box[at + 3]
        spot[4] = clip[0]
        spot[5] = clip[2]
        spot[6] = stride
        pages = self.pages()
        page_high = self.shown * self.tall
        rolled = (place & 255) * page_high >> 8
        page = place >> 8
        self._page(pixels, page, left, top - rolled, wide, colours)
        if rolled:
            self._page(pixels, (page + 1) % pages, left, top - rolled + page_high, wide, colours)

    def _page(self, pixels, page, left, top, wide, colours):
        row = page * self.shown
        end = row + self.shown
        if self.rows < self.shown:
            top += (self.shown - self.rows) * self.tall // 2
        while row < end and row < self.rows:
            self._row(pixels, row, left, top, wide, colours)
            top += self.tall
            row += 1

    def _row(self, pixels, row, left, top, wide, colours):
        spot = self._at
        if top >= spot[3] or top + self.tall <= spot[2]:
            return
        lines = self._lines
        cell = self.tall >> 1
        more = row + 1 < self.rows and (row + 1) % self.shown == 0
        spot[0] = left + (wide - (lines[row * 3 + 2] + more) * cell) // 2
        spot[1] = top
        i = lines[row * 3]
        end = lines[row * 3 + 1]
        while i < end:
            glyph = self._glyphs[i]
            step = cell * 2 if glyph >= self._narrow else cell
            if glyph and spot[0] + step > spot[4] and spot[0] < spot[5]:
                _paint(pixels, self._font, glyph, self.tall, colours, spot)
            spot[0] += step
            i += 1
        if more and spot[0] + cell > spot[4] and spot[0] < spot[5]:
            _paint(pixels, self._font, self._more, self.tall, colours, spot)
