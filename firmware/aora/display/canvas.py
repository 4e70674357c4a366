"""A picture of 4-bit pixels, two in a byte, the left one in the high half (GS4_HMSB).

Polygons are filled where they wind around a pixel's centre, inside a clip; a checksum a tile
(4 pixels by 8 rows) tells which parts really changed since they were last sent.
"""

from array import array

import framebuf

from aora._shim import micropython, ptr8, ptr16, ptr32

TILE_W = 4
TILE_H = 8
_CROSSINGS = 12  # kept of a row; no shape has more
_MAX_RECTS = 24


@micropython.viper
def _cross(points: ptr32, count: int, crossings: ptr16, found: ptr8, top: int, low: int):
    """Notes where each edge crosses the rows' centres: x in Q4 times 2, plus 1 going up."""
    i = 0
    x0 = int(points[count * 2 - 2])
    y0 = int(points[count * 2 - 1])
    while i < count:
        x1 = int(points[i * 2])
        y1 = int(points[i * 2 + 1])
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
def _fill(pixels: ptr8, stride: int, crossings: ptr16, found: ptr8, clip: ptr32, colour: int):
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
