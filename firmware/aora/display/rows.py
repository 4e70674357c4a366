"""Polygons row by row: crossings of edges with rows, and what lies between them.

`job` is left, top, right, low, bytes of a row, a pair of pixels or the cost of a rectangle, the
rows from job[6] to job[7] that have marks, where among the points the polygon is, where the chip
has a divider, and the rows from job[10] to job[11] that have crossings. A polygon has 32 points, a
row up to 16 crossings.
"""

from aora._shim import micropython, ptr8, ptr16, ptr32

DIVIDER = 0  # the compiler knows


@micropython.viper
def cross(job: ptr32, points: ptr16, crossings: ptr16, found: ptr8):
    """Notes where each edge crosses the rows' centres: x in Q4 times 2, plus 1 going up."""
    i = job[8]
    end_of_points = i + 64
    x0 = ((int(points[i + 62]) & 0xFFFF) ^ 0x8000) - 0x8000
    y0 = ((int(points[i + 63]) & 0xFFFF) ^ 0x8000) - 0x8000
    while i < end_of_points:
        x1 = ((int(points[i]) & 0xFFFF) ^ 0x8000) - 0x8000
        y1 = ((int(points[i + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
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
            if row < job[1]:
                row = job[1]
            if end > job[3]:
                end = job[3]
            if row < end:
                if row < job[10]:
                    job[10] = row
                if end > job[11]:
                    job[11] = end
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
        i += 2


@micropython.viper
def fill(job: ptr32, pixels: ptr8, crossings: ptr16, found: ptr8):
    """Fills the rows between their crossings, and forgets those.

    All in one function: to call another costs as much as a row.
    """
    both = job[5]
    stride = job[4]
    row = job[10]
    while row < job[11]:
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
                    if left < job[0]:
                        left = job[0]
                    if right > job[2]:
                        right = job[2]
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
    job[10] = 0x4000
    job[11] = 0


@micropython.viper
def mark(job: ptr32, marks: ptr8, crossings: ptr16, found: ptr8):
    """Marks what lies between each odd crossing and the next one, and forgets the crossings.

    After the edges of two shapes, those are the pixels which only one of them has. A mark is
    a bit for two pixels.
    """
    wide = job[4]
    row = job[10]
    while row < job[11]:
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
                if right > job[2]:
                    right = job[2]
                if left < right:
                    if row < job[6]:
                        job[6] = row
                    if row >= job[7]:
                        job[7] = row + 1
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
    job[10] = 0x4000
    job[11] = 0


@micropython.viper
def gather(job: ptr32, marks: ptr8, rects: ptr16) -> int:
    """Gathers the rows' marks into rectangles, and clears them.

    A run of marks joins a rectangle that ends a little above it, or starts one, whichever
    sends less: a rectangle costs as much as job[5] marks. Answers how many there are.
    """
    count = 0
    first = 0  # of those that may go on
    wide = job[4]
    row = job[6]
    while row < job[7]:
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
                least = job[5] + (count >> 2) if count < 160 else 0x7500
                r = first * 5 - 5
                while r < count * 5 - 5:
                    r += 5
                    l2 = int(rects[r])
                    r2 = int(rects[r + 2])
                    if left - r2 >= least or l2 - right >= least:
                        continue  # what lies between is waste
                    if left < l2:
                        l2 = left
                    if right > r2:
                        r2 = right
                    # What it would send in all, less what it has to: never more than worth it.
                    more = row + 1 - int(rects[r + 1])
                    needed = int(rects[r + 4]) + right - left
                    waste = (r2 - l2) * more - needed
                    if waste < least and int(rects[r + 3]) <= row:
                        least = waste
                        best = r
                if best < 0 and count == 160:
                    best = 159 * 5
                if best < 0:
                    r = count * 5
                    rects[r] = left
                    rects[r + 1] = row
                    rects[r + 2] = right
                    rects[r + 3] = row + 1
                    rects[r + 4] = right - left
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
        # Only what ended not long ago can go on: steep edges do not change in every row. The
        # rest changes places with the first.
        i = first * 5
        while i < count * 5:
            if int(rects[i + 3]) + 4 <= row:
                r = first * 5
                first += 1
                while r < first * 5:
                    spare = int(rects[i])
                    rects[i] = int(rects[r])
                    rects[r] = spare
                    r += 1
                    i += 1
            else:
                i += 5
        row += 1
    i = 0
    while i < count * 5:
        rects[i] = int(rects[i]) * 2
        rects[i + 2] = int(rects[i + 2]) * 2
        i += 5
    return count
