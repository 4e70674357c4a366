"""A picture of 4-bit pixels, two in a byte, the left one in the high half (GS4_HMSB).

Polygons are filled where they wind around a pixel's centre, inside a clip. What has to be sent
is told from the outlines: a shape that changed differs where only its old or its new one is.
"""

from array import array

import framebuf

from aora._shim import micropython, ptr8, ptr16
from aora.display import memory

_CROSSINGS = 16  # kept of a row; no two shapes have more
_MAX_DAMAGE = 24
_MAX_RECTS = 160


@micropython.viper
def _cross(points: ptr16, count: int, crossings: ptr16, found: ptr8, top: int, low: int):
    """Notes where each edge crosses the rows' centres: x in Q4 times 2, plus 1 going up."""
    i = 0
    x0 = ((int(points[count * 2 - 2]) & 0xFFFF) ^ 0x8000) - 0x8000
    y0 = ((int(points[count * 2 - 1]) & 0xFFFF) ^ 0x8000) - 0x8000
    while i < count:
        x1 = ((int(points[i * 2]) & 0xFFFF) ^ 0x8000) - 0x8000
        y1 = ((int(points[i * 2 + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
        if y0 != y1:
            up = 0
            xa = x0
            ya = y0
            xb = x1
            yb = y1
            if y0 > y1:
                up = 1
                xa = x1
                ya = y1
                xb = x0
                yb = y0
            row = (ya + 7) >> 4
            end = (yb + 7) >> 4
            if row < top:
                row = top
            if end > low:
                end = low
            if row < end:
                slope = ((xb - xa) << 12) // (yb - ya)
                x = (xa << 12) + slope * (row * 16 + 8 - ya)
                slope = slope << 4
                while row < end:
                    known = int(found[row])
                    if known < 16:
                        at = x >> 12
                        if at < 0:
                            at = 0
                        crossings[row * 16 + known] = (at << 1) | up
                        found[row] = known + 1
                    x += slope
                    row += 1
        x0 = x1
        y0 = y1
        i += 1


@micropython.viper
def _fill(pixels: ptr8, both: int, stride: int, crossings: ptr16, found: ptr8, clip: ptr16):
    """Fills the rows between their crossings with a pair of pixels, and forgets them.

    All in one function: to call another costs as much as a row.
    """
    row = int(clip[1])
    while row < int(clip[3]):
        known = int(found[row])
        if known:
            found[row] = 0
            base = row * 16
            i = base + 1
            while i < base + known:
                value = int(crossings[i])
                j = i
                while j > base and int(crossings[j - 1]) > value:
                    crossings[j] = int(crossings[j - 1])
                    j -= 1
                crossings[j] = value
                i += 1
            winding = 0
            start = 0
            i = base
            while i < base + known:
                value = int(crossings[i])
                right = ((value >> 1) + 7) >> 4
                left = start
                if winding == 0:
                    start = right
                winding += 1 if value & 1 else 0 - 1
                if winding == 0:
                    if left < int(clip[0]):
                        left = int(clip[0])
                    if right > int(clip[2]):
                        right = int(clip[2])
                    if left < right:
                        place = row * stride + (left >> 1)
                        end = row * stride + (right >> 1)
                        if left & 1:
                            pixels[place] = (int(pixels[place]) & 0xF0) | (both & 0x0F)
                            place += 1
                        while place + 8 <= end:
                            pixels[place] = both
                            pixels[place + 1] = both
                            pixels[place + 2] = both
                            pixels[place + 3] = both
                            pixels[place + 4] = both
                            pixels[place + 5] = both
                            pixels[place + 6] = both
                            pixels[place + 7] = both
                            place += 8
                        while place < end:
                            pixels[place] = both
                            place += 1
                        if right & 1:
                            pixels[end] = (int(pixels[end]) & 0x0F) | (both & 0xF0)
                i += 1
        row += 1


@micropython.viper
def _mark(marks: ptr8, wide: int, crossings: ptr16, found: ptr8, bounds: ptr16, span: ptr16):
    """Marks what lies between each odd crossing and the next one, and forgets the crossings.

    After the edges of two shapes, those are the pixels which only one of them has. A mark is
    a bit for two pixels, in rows of `wide` bytes; span[0]..span[1] are the rows that have any.
    """
    row = int(bounds[1])
    while row < int(bounds[3]):
        known = int(found[row])
        if known:
            found[row] = 0
            base = row * 16
            i = base + 1
            while i < base + known:
                value = int(crossings[i])
                j = i
                while j > base and int(crossings[j - 1]) > value:
                    crossings[j] = int(crossings[j - 1])
                    j -= 1
                crossings[j] = value
                i += 1
            i = base
            while i + 1 < base + known:
                left = ((int(crossings[i]) >> 1) + 7) >> 4
                right = ((int(crossings[i + 1]) >> 1) + 7) >> 4
                if right > int(bounds[2]):
                    right = int(bounds[2])
                if left < right:
                    if row < int(span[0]):
                        span[0] = row
                    if row >= int(span[1]):
                        span[1] = row + 1
                    left = left >> 1
                    right = (right - 1) >> 1
                    at = row * wide + (left >> 3)
                    end = row * wide + (right >> 3)
                    mask = 0xFF << (left & 7)
                    while at < end:
                        marks[at] = int(marks[at]) | mask
                        mask = 0xFF
                        at += 1
                    marks[at] = int(marks[at]) | (mask & (0xFF >> (7 - (right & 7))))
                i += 2
        row += 1


@micropython.viper
def _mark_box(marks: ptr8, wide: int, clip: ptr16, span: ptr16):
    row = int(clip[1])
    low = int(clip[3])
    left = int(clip[0]) >> 1
    right = (int(clip[2]) - 1) >> 1
    if right < left or row >= low:
        return
    if row < int(span[0]):
        span[0] = row
    if low > int(span[1]):
        span[1] = low
    while row < low:
        at = row * wide + (left >> 3)
        end = row * wide + (right >> 3)
        mask = 0xFF << (left & 7)
        while at < end:
            marks[at] = int(marks[at]) | mask
            mask = 0xFF
            at += 1
        marks[at] = int(marks[at]) | (mask & (0xFF >> (7 - (right & 7))))
        row += 1


@micropython.viper
def _gather(marks: ptr8, wide: int, span: ptr16, rects: ptr16, active: ptr8, spare: int) -> int:
    """Gathers the marks of rows span[0]..span[1] into rectangles, and clears them.

    A run of marks joins a rectangle that ends in the row above, or starts one, whichever
    sends less: a rectangle costs as much as `spare` marks. Answers how many there are.
    """
    count = 0
    actives = 0
    row = int(span[0])
    while row < int(span[1]):
        bit = 0
        bits = wide * 8
        base = row * wide
        while bit < bits:
            byte = int(marks[base + (bit >> 3)])
            if byte == 0:
                bit = (bit | 7) + 1
            elif byte & (1 << (bit & 7)) == 0:
                bit += 1
            else:
                left = bit
                right = bit
                gap = 0
                while bit < bits and gap < 2:
                    byte = int(marks[base + (bit >> 3)])
                    if byte == 255 and bit & 7 == 0:
                        bit += 8
                        right = bit
                        gap = 0
                    elif byte & (1 << (bit & 7)):
                        bit += 1
                        right = bit
                        gap = 0
                    else:
                        bit += 1
                        gap += 1
                best = 0 - 1
                least = spare + (count >> 2) if count < 160 else 30000
                i = 0
                while i < actives:
                    r = int(active[i]) * 5
                    l2 = int(rects[r])
                    r2 = int(rects[r + 2])
                    if left < l2:
                        l2 = left
                    if right > r2:
                        r2 = right
                    # What it would send in all, less what it has to: never more than worth it.
                    more = row + 1 - int(rects[r + 1])
                    needed = int(rects[r + 4]) + right - left
                    waste = (r2 - l2) * more - needed
                    if waste < least and int(rects[r + 3]) == row:
                        least = waste
                        best = r
                    i += 1
                if best < 0 and count == 160:
                    best = 159 * 5
                if best < 0:
                    r = count * 5
                    rects[r] = left
                    rects[r + 1] = row
                    rects[r + 2] = right
                    rects[r + 3] = row + 1
                    rects[r + 4] = right - left
                    active[actives] = count
                    actives += 1
                    count += 1
                else:
                    if int(rects[best]) > left:
                        rects[best] = left
                    if int(rects[best + 2]) < right:
                        rects[best + 2] = right
                    rects[best + 3] = row + 1
                    rects[best + 4] = int(rects[best + 4]) + right - left
        i = 0
        while i < wide:
            marks[base + i] = 0
            i += 1
        # Only what ends here can go on in the next row.
        i = 0
        kept = 0
        while i < actives:
            if int(rects[int(active[i]) * 5 + 3]) == row + 1:
                active[kept] = int(active[i])
                kept += 1
            i += 1
        actives = kept
        row += 1
    i = 0
    while i < count * 5:
        rects[i] = int(rects[i]) * 2
        rects[i + 2] = int(rects[i + 2]) * 2
        i += 5
    return count


@micropython.viper
def _add(rects: ptr16, count: int, box: ptr16, at: int, bounds: ptr16) -> int:
    """Adds a box, cut to the bounds, to the rectangles; near ones become one."""
    left = ((int(box[at]) & 0xFFFF) ^ 0x8000) - 0x8000
    top = ((int(box[at + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
    right = ((int(box[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
    low = ((int(box[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
    if left < int(bounds[0]):
        left = int(bounds[0])
    if top < int(bounds[1]):
        top = int(bounds[1])
    if right > int(bounds[2]):
        right = int(bounds[2])
    if low > int(bounds[3]):
        low = int(bounds[3])
    if left >= right or top >= low:
        return count
    i = 0
    while i < count:
        r = i * 4
        l2 = int(rects[r])
        t2 = int(rects[r + 1])
        r2 = int(rects[r + 2])
        b2 = int(rects[r + 3])
        area = (right - left) * (low - top) + (r2 - l2) * (b2 - t2)
        l2 = left if left < l2 else l2
        t2 = top if top < t2 else t2
        r2 = right if right > r2 else r2
        b2 = low if low > b2 else b2
        if (r2 - l2) * (b2 - t2) <= area + 400:
            # The union may touch others: take it out and add it as a new one.
            left = l2
            top = t2
            right = r2
            low = b2
            count -= 1
            rects[r] = int(rects[count * 4])
            rects[r + 1] = int(rects[count * 4 + 1])
            rects[r + 2] = int(rects[count * 4 + 2])
            rects[r + 3] = int(rects[count * 4 + 3])
            i = 0
        else:
            i += 1
    if count == 24:
        count = 23
        if int(rects[92]) < left:
            left = int(rects[92])
        if int(rects[93]) < top:
            top = int(rects[93])
        if int(rects[94]) > right:
            right = int(rects[94])
        if int(rects[95]) > low:
            low = int(rects[95])
    r = count * 4
    rects[r] = left
    rects[r + 1] = top
    rects[r + 2] = right
    rects[r + 3] = low
    return count + 1


class Canvas:
    """`width` x `height` pixels, an even width; `window` is how many marks, four bytes each,
    it is worth sending to save a window."""

    def __init__(self, width, height, window):
        self._window = window
        self.width = width
        self.height = height
        self.stride = width // 2
        self._wide = (self.stride + 7) // 8
        self.pixels = memory.take(self.stride * height)
        self._frame = framebuf.FrameBuffer(self.pixels, width, height, framebuf.GS4_HMSB)
        self._clear = self._frame.fill_rect
        self._crossings = memory.scratch(height * _CROSSINGS * 2)
        self._found = memory.take(height)
        self._marks = memory.take(self._wide * height)
        self._active = memory.take(_MAX_RECTS)
        self._span = array("h", [height, 0])  # the rows that have marks
        self._reach = array("h", [0, 0, width, height])
        self.clip = array("h", [0, 0, width, height])
        self.damage = array("h", bytes(8 * _MAX_DAMAGE))
        self.damages = 0
        self.rects = array("h", bytes(10 * _MAX_RECTS))

    def touch(self, box, at):
        """The pixels of box[at..at+3] are to be drawn anew."""
        self.damages = _add(self.damage, self.damages, box, at, self._reach)

    def touch_all(self):
        """All is to be drawn anew and sent."""
        self.damages = _add(self.damage, 0, self._reach, 0, self._reach)
        self.differ(self._reach, 0)

    def edges(self, points, count):
        """Adds a polygon's edges, from before or from now, to what mark() compares."""
        _cross(points, count, self._crossings, self._found, 0, self.height)

    def mark(self):
        """The pixels that lie in only one of the polygons of edges() are to be sent."""
        _mark(self._marks, self._wide, self._crossings, self._found, self._reach, self._span)

    def differ(self, box, at):
        """All pixels of box[at..at+3] are to be sent."""
        self._cut(box, at)
        _mark_box(self._marks, self._wide, self.clip, self._span)

    def open(self, index, ground):
        """Clips to a damaged rectangle and empties it."""
        self._cut(self.damage, index * 4)
        clip = self.clip
        self._clear(clip[0], clip[1], clip[2] - clip[0], clip[3] - clip[1], ground)

    def _cut(self, box, at):
        clip = self.clip
        clip[0] = box[at] if box[at] > 0 else 0
        clip[1] = box[at + 1] if box[at + 1] > 0 else 0
        clip[2] = box[at + 2] if box[at + 2] < self.width else self.width
        clip[3] = box[at + 3] if box[at + 3] < self.height else self.height

    def polygon(self, points, count, colour):
        """Fills a polygon of points in Q4 inside the clip."""
        clip = self.clip
        _cross(points, count, self._crossings, self._found, clip[1], clip[3])
        _fill(self.pixels, colour * 17, self.stride, self._crossings, self._found, clip)

    def changes(self):
        """Forgets damage and marks; answers how many rectangles (left, top, right, low) of
        `rects` are to be sent."""
        self.damages = 0
        span = self._span
        count = _gather(self._marks, self._wide, span, self.rects, self._active, self._window)
        span[0] = self.height
        span[1] = 0
        return count
