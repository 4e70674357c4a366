"""A picture of 4-bit pixels, two in a byte, the left one in the high half (GS4_HMSB).

Polygons are filled where they wind around a pixel's centre, inside a clip. What has to be sent
is told from the outlines: a shape that changed differs where only its old or its new one is.
"""

from array import array

import framebuf

from aora._shim import micropython, ptr8, ptr16, ptr32
from aora.display import memory

try:
    from aora.display import thumb as rows
except (ImportError, SyntaxError):  # not on Arm
    from aora.display import rows

_SPARE = 8  # words of a job that are for what does not fit into registers
_MAX_DAMAGE = 24
_MAX_RECTS = 160


@micropython.viper
def _mark_box(job: ptr32, marks: ptr8, clip: ptr32):
    wide = job[4]
    row = clip[1]
    low = clip[3]
    left = clip[0] >> 1
    right = (clip[2] - 1) >> 1
    if right < left or row >= low:
        return
    if row < job[6]:
        job[6] = row
    if low > job[7]:
        job[7] = low
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
        self.width = width
        self.height = height
        self.stride = width // 2
        wide = (self.stride + 7) // 8
        self.pixels = memory.take(self.stride * height)
        self._frame = framebuf.FrameBuffer(self.pixels, width, height, framebuf.GS4_HMSB)
        self._clear = self._frame.fill_rect
        self._crossings = memory.scratch(height * 32)
        self._found = memory.take(height)
        self._marks = memory.take(wide * height)
        # What rows.py works on: marks everywhere, none of them yet; pixels inside the clip.
        rest = [0, rows.DIVIDER, 0x4000, 0] + [0] * _SPARE
        self._all = array("i", [0, 0, width, height, wide, window, height, 0] + rest)
        self.clip = array("i", [0, 0, width, height, self.stride, 0, 0, 0] + rest)
        self._reach = array("h", [0, 0, width, height])
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

    def edges(self, points, at):
        """Adds the edges of the polygon points[at..], from before or from now, to what mark()
        compares."""
        self._all[8] = at
        rows.cross(self._all, points, self._crossings, self._found)

    def mark(self):
        """The pixels that lie in only one of the polygons of edges() are to be sent."""
        rows.mark(self._all, self._marks, self._crossings, self._found)

    def differ(self, box, at):
        """All pixels of box[at..at+3] are to be sent."""
        self._cut(box, at)
        _mark_box(self._all, self._marks, self.clip)

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

    def polygon(self, points, at, colour):
        """Fills the polygon points[at..], in Q4, inside the clip."""
        clip = self.clip
        clip[5] = colour * 17
        clip[8] = at
        rows.cross(clip, points, self._crossings, self._found)
        rows.fill(clip, self.pixels, self._crossings, self._found)

    def changes(self):
        """Forgets damage and marks; answers how many rectangles (left, top, right, low) of
        `rects` are to be sent."""
        self.damages = 0
        every = self._all
        count: int = rows.gather(every, self._marks, self.rects)  # pyright: ignore
        every[6] = self.height
        every[7] = 0
        return count
