"""A picture of 4-bit pixels, two in a byte, the left one in the high half (GS4_HMSB).

Polygons are filled where they wind around a pixel's centre, inside a clip; a checksum a tile
(4 pixels by 8 rows) tells which parts really changed since they were last sent.
"""

from array import array

import framebuf

from aora._shim import micropython, ptr8, ptr16, ptr32
from aora.display import memory

TILE_W = 4
TILE_H = 8
_CROSSINGS = 12  # kept of a row; no shape has more
_MAX_RECTS = 24


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
                    if known < 12:
                        at = x >> 12
                        if at < 0:
                            at = 0
                        crossings[row * 12 + known] = (at << 1) | up
                        found[row] = known + 1
                    x += slope
                    row += 1
        x0 = x1
        y0 = y1
        i += 1


@micropython.viper
def _span(pixels: ptr8, at: int, left: int, right: int, colour: int):
    """Fills pixels left..right of the row that starts at byte `at`."""
    if left & 1:
        place = at + (left >> 1)
        pixels[place] = (int(pixels[place]) & 0xF0) | colour
        left += 1
    place = at + (left >> 1)
    end = at + (right >> 1)
    both = (colour << 4) | colour
    while place + 4 <= end:
        pixels[place] = both
        pixels[place + 1] = both
        pixels[place + 2] = both
        pixels[place + 3] = both
        place += 4
    while place < end:
        pixels[place] = both
        place += 1
    if right & 1 and right > left:
        pixels[end] = (int(pixels[end]) & 0x0F) | (colour << 4)


@micropython.viper
def _fill(pixels: ptr8, stride: int, crossings: ptr16, found: ptr8, clip: ptr16, colour: int):
    """Fills the rows between their crossings and forgets them."""
    left_clip = int(clip[0])
    right_clip = int(clip[2])
    row = int(clip[1])
    low = int(clip[3])
    while row < low:
        known = int(found[row])
        if known:
            found[row] = 0
            base = row * 12
            i = 1
            while i < known:
                value = int(crossings[base + i])
                j = i
                while j > 0 and int(crossings[base + j - 1]) > value:
                    crossings[base + j] = int(crossings[base + j - 1])
                    j -= 1
                crossings[base + j] = value
                i += 1
            winding = 0
            i = 0
            start = 0
            while i < known:
                value = int(crossings[base + i])
                x = ((value >> 1) + 7) >> 4
                if winding == 0:
                    start = x
                winding += 1 if value & 1 else 0 - 1
                if winding == 0:
                    left = start if start > left_clip else left_clip
                    right = x if x < right_clip else right_clip
                    if left < right:
                        _span(pixels, row * stride, left, right, colour)
                i += 1
        row += 1


@micropython.viper
def _changed(pixels: ptr16, words: int, sums: ptr32, flags: ptr8, across: int, area: ptr32):
    """Sums up each tile of an area (in tiles); flags those whose sum is a new one."""
    ty = int(area[1])
    while ty < int(area[3]):
        tx = int(area[0])
        while tx < int(area[2]):
            place = ty * 8 * words + tx
            total = 0
            i = 0
            while i < 8:
                total = ((total * 33) & 0x3FFFFFFF) ^ (total >> 19) ^ (int(pixels[place]) * 5)
                place += words
                i += 1
            at = ty * across + tx
            if int(sums[at]) != total:
                sums[at] = total
                flags[at] = 1
            tx += 1
        ty += 1


@micropython.viper
def _forget(sums: ptr32, tiles: int):
    """No tile has a sum of -1."""
    i = 0
    while i < tiles:
        sums[i] = 0 - 1
        i += 1


@micropython.viper
def _runs(flags: ptr8, across: int, down: int, rects: ptr32, most: int) -> int:
    """Gathers flagged tiles into rectangles (in tiles) and clears them; answers how many.

    A run joins the rectangle above it with the same sides; runs a tile apart are one.
    """
    count = 0
    ty = 0
    while ty < down:
        tx = 0
        while tx < across:
            if int(flags[ty * across + tx]):
                start = tx
                end = tx
                while tx < across and tx - end < 3:
                    if int(flags[ty * across + tx]):
                        flags[ty * across + tx] = 0
                        end = tx + 1
                    tx += 1
                i = 0
                joined = 0
                while i < count and joined == 0:
                    r = i * 4
                    if int(rects[r + 3]) == ty:
                        left = int(rects[r])
                        right = int(rects[r + 2])
                        new_left = left if left < start else start
                        new_right = right if right > end else end
                        tall = ty - int(rects[r + 1])
                        waste = (new_right - new_left) * (tall + 1)
                        waste -= (right - left) * tall + (end - start)
                        if waste <= 3 or (waste <= 8 and count > 8) or count >= most:
                            rects[r] = new_left
                            rects[r + 2] = new_right
                            rects[r + 3] = ty + 1
                            joined = 1
                    i += 1
                if joined == 0:
                    if count >= most:
                        r = (count - 1) * 4
                        if int(rects[r]) > start:
                            rects[r] = start
                        if int(rects[r + 2]) < end:
                            rects[r + 2] = end
                        rects[r + 3] = ty + 1
                    else:
                        r = count * 4
                        rects[r] = start
                        rects[r + 1] = ty
                        rects[r + 2] = end
                        rects[r + 3] = ty + 1
                        count += 1
            else:
                tx += 1
        ty += 1
    return count


@micropython.viper
def _add(rects: ptr32, count: int, box: ptr16, at: int, bounds: ptr16) -> int:
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
    """`width` x `height` pixels (an even width), with room for whole tiles."""

    def __init__(self, width, height):
        self.width = width
        self.height = height
        self.across = (width + TILE_W - 1) // TILE_W
        self.down = (height + TILE_H - 1) // TILE_H
        self.stride = self.across * TILE_W // 2
        rows = self.down * TILE_H
        self.pixels = memory.take(self.stride * rows)
        self._frame = framebuf.FrameBuffer(
            self.pixels, self.across * TILE_W, rows, framebuf.GS4_HMSB
        )
        self._clear = self._frame.fill_rect
        tiles = self.across * self.down
        self._crossings = memory.take(rows * _CROSSINGS * 2)
        self._found = memory.take(rows)
        self._sums = memory.take(tiles * 4)
        self._flags = memory.take(tiles)
        self._area = array("i", [0] * 4)
        self._reach = array("h", [0, 0, width, height])
        self.clip = array("h", [0, 0, width, height])
        self.damage = array("i", [0] * (4 * _MAX_RECTS))
        self.damages = 0
        self.rects = array("i", [0] * (4 * _MAX_RECTS))

    def forget(self):
        """Nothing is known to be on the panel: the next changes() is all of what is touched."""
        _forget(self._sums, self.across * self.down)

    def touch(self, box, at):
        """The pixels of box[at..at+3] are to be drawn anew."""
        self.damages = _add(self.damage, self.damages, box, at, self._reach)

    def touch_all(self):
        self.damages = _add(self.damage, 0, self._reach, 0, self._reach)

    def open(self, index, ground):
        """Clips to a damaged rectangle and empties it."""
        clip = self.clip
        at = index * 4
        clip[0] = self.damage[at]
        clip[1] = self.damage[at + 1]
        clip[2] = self.damage[at + 2]
        clip[3] = self.damage[at + 3]
        self._clear(clip[0], clip[1], clip[2] - clip[0], clip[3] - clip[1], ground)

    def polygon(self, points, count, colour):
        """Fills a polygon of points in Q4 inside the clip."""
        clip = self.clip
        _cross(points, count, self._crossings, self._found, clip[1], clip[3])
        _fill(self.pixels, self.stride, self._crossings, self._found, clip, colour)

    def changes(self):
        """Forgets the damage; answers how many rectangles (left, top, right, low in pixels)
        of `rects` differ from what was there at the last call."""
        area = self._area
        i = 0
        while i < self.damages:
            at = i * 4
            area[0] = self.damage[at] // TILE_W
            area[1] = self.damage[at + 1] // TILE_H
            area[2] = (self.damage[at + 2] + TILE_W - 1) // TILE_W
            area[3] = (self.damage[at + 3] + TILE_H - 1) // TILE_H
            _changed(self.pixels, self.stride // 2, self._sums, self._flags, self.across, area)
            i += 1
        self.damages = 0
        count = _runs(self._flags, self.across, self.down, self.rects, _MAX_RECTS)
        _to_pixels(self.rects, count, self.width, self.height)
        return count


@micropython.viper
def _to_pixels(rects: ptr32, count: int, width: int, height: int):
    i = 0
    while i < count * 4:
        rects[i] = int(rects[i]) * 4
        rects[i + 1] = int(rects[i + 1]) * 8
        right = int(rects[i + 2]) * 4
        low = int(rects[i + 3]) * 8
        rects[i + 2] = right if right < width else width
        rects[i + 3] = low if low < height else height
        i += 4
