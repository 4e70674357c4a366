"""From a shape's parameters to the points of its outline: integers, nothing allocated.

A shape is FIELDS ints in one flat array. Lengths are Q4 (sixteenths of a pixel), slopes are
in 64ths. Each renderer fills the points; only text and nothing have none. Viper reads 16 bits
without their sign: ((n & 0xFFFF) ^ 0x8000) - 0x8000 gives it back, on every runtime.
"""

from array import array

from aora._shim import micropython, ptr8, ptr16

KIND = 0
COLOUR = 1
X = 2
Y = 3
W = 4
H = 5
R = 6  # box: corner, percent of the half sides; stroke, line: thickness
TILT = 7  # slope of the whole shape
TOP = 8  # box: lids, as far from the centre as the line they cut along
TOP_SLOPE = 9
LOW = 10
LOW_BEND = 11  # how far the low lid's middle stands above its ends
TAPER = 12  # box: how much narrower the top is than the middle, in 64ths
FORM = 13  # stroke: which centre line
FIELDS = 14

NOTHING = 0
BOX = 1
LINE = 2  # from (X, Y), W to the right and H down
STROKE = 3  # along a curve of width W and height H
TEXT = 4  # a caption's row in the rectangle X, Y, W, H; R is its state
QUAD = 5  # a cell: centre X, Y; half axes (W, H) and (R, TILT)
FRAME = 6  # W x H around a hole as far in as TOP, LOW and, at both sides, TAPER; corners R

SMILE = 0
ZIGZAG = 1
WAVE = 2

OPEN = 16000  # a lid that is not there
POINTS = 32
PLACES = 2 * POINTS  # what an outline takes of a buffer

# Sine of 0..90 degrees in 16 steps, and of the corner's 8 points, times 256.
SINE = bytes((0, 25, 50, 74, 98, 121, 142, 162, 181, 198, 213, 226, 237, 245, 251, 254, 255))
_CORNER = bytes((0, 57, 111, 160, 200, 230, 249, 255))
# Centre lines at 13 places from -6 to 6: 1 is the highest, 255 the lowest.
_FORMS = bytes(
    (1, 79, 142, 191, 227, 248, 255, 248, 227, 191, 142, 79, 1)
    + (1, 128, 255, 128, 1, 128, 255, 128, 1, 128, 255, 128, 1)
    + (128, 191, 236, 253, 236, 191, 128, 65, 20, 3, 20, 65, 128)
)


@micropython.viper
def _box(shapes: ptr16, at: int, points: ptr16, to: int):
    cx = ((int(shapes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
    cy = ((int(shapes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
    half_w = (((int(shapes[at + 4]) & 0xFFFF) ^ 0x8000) - 0x8000) >> 1
    half_h = (((int(shapes[at + 5]) & 0xFFFF) ^ 0x8000) - 0x8000) >> 1
    round_x = half_w * (((int(shapes[at + 6]) & 0xFFFF) ^ 0x8000) - 0x8000) // 100
    round_y = half_h * (((int(shapes[at + 6]) & 0xFFFF) ^ 0x8000) - 0x8000) // 100
    flat_x = half_w - round_x
    flat_y = half_h - round_y
    tilt = ((int(shapes[at + 7]) & 0xFFFF) ^ 0x8000) - 0x8000
    top = ((int(shapes[at + 8]) & 0xFFFF) ^ 0x8000) - 0x8000
    top_slope = ((int(shapes[at + 9]) & 0xFFFF) ^ 0x8000) - 0x8000
    low = ((int(shapes[at + 10]) & 0xFFFF) ^ 0x8000) - 0x8000
    bend = ((int(shapes[at + 11]) & 0xFFFF) ^ 0x8000) - 0x8000
    taper = ((int(shapes[at + 12]) & 0xFFFF) ^ 0x8000) - 0x8000
    corner = ptr8(_CORNER)  # pyright: ignore[reportCallIssue]
    i = 0
    while i < 32:
        step = i & 7
        quarter = i >> 3
        if quarter & 1:
            step = 7 - step
        dx = flat_x + ((round_x * int(corner[step]) + 128) >> 8)
        dy = flat_y + ((round_y * int(corner[7 - step]) + 128) >> 8)
        if quarter == 0 or quarter == 3:
            dy = 0 - dy
        if quarter > 1:
            dx = 0 - dx
        if taper and half_h:
            dx += dx * taper * dy // (half_h * 64)
        lid = top + ((dx * top_slope) >> 6)
        if dy < lid:
            dy = lid
        lid = low
        if bend and half_w:
            away = (dx * 64) // half_w
            lid -= bend * (4096 - away * away) >> 12
        if dy > lid:
            dy = lid
        points[to] = cx + dx
        points[to + 1] = cy + dy + ((dx * tilt) >> 6)
        to += 2
        i += 1


@micropython.viper
def _length(dx: int, dy: int) -> int:
    """Length of a vector, 2 % too long at most."""
    if dx < 0:
        dx = 0 - dx
    if dy < 0:
        dy = 0 - dy
    if dx < dy:
        spare = dx
        dx = dy
        dy = spare
    if dx == 0:
        return 0
    guess = dx + (dy * dy) // (2 * dx + dy)
    return (guess + (dx * dx + dy * dy) // guess) >> 1


@micropython.viper
def _cap(points: ptr16, at: int, x: int, y: int, ux: int, uy: int):
    """Half a disc's five points, from the left of the direction (ux, uy) round to its right."""
    a = 181
    points[at] = x + uy
    points[at + 1] = y - ux
    points[at + 2] = x + ((uy + ux) * a >> 8)
    points[at + 3] = y + ((uy - ux) * a >> 8)
    points[at + 4] = x + ux
    points[at + 5] = y + uy
    points[at + 6] = x + ((ux - uy) * a >> 8)
    points[at + 7] = y + ((uy + ux) * a >> 8)
    points[at + 8] = x - uy
    points[at + 9] = y + ux


@micropython.viper
def _line(shapes: ptr16, at: int, points: ptr16, to: int):
    x0 = ((int(shapes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
    y0 = ((int(shapes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
    dx = ((int(shapes[at + 4]) & 0xFFFF) ^ 0x8000) - 0x8000
    dy = ((int(shapes[at + 5]) & 0xFFFF) ^ 0x8000) - 0x8000
    half = (((int(shapes[at + 6]) & 0xFFFF) ^ 0x8000) - 0x8000) >> 1
    x1 = x0 + dx
    y1 = y0 + dy
    length = int(_length(dx, dy))
    if length == 0:
        dx = 1
        length = 1
    ux = dx * half // length
    uy = dy * half // length
    _cap(points, to, x1, y1, ux, uy)
    _cap(points, to + 10, x0, y0, 0 - ux, 0 - uy)
    i = to + 20
    while i < to + 64:
        points[i] = points[to + 18]
        points[i + 1] = points[to + 19]
        i += 2


@micropython.viper
def _stroke(shapes: ptr16, at: int, points: ptr16, to: int):
    """13 places along the centre line, offset to both sides, and three more around each end."""
    cx = ((int(shapes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
    cy = ((int(shapes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
    width = ((int(shapes[at + 4]) & 0xFFFF) ^ 0x8000) - 0x8000
    height = ((int(shapes[at + 5]) & 0xFFFF) ^ 0x8000) - 0x8000
    half = (((int(shapes[at + 6]) & 0xFFFF) ^ 0x8000) - 0x8000) >> 1
    tilt = ((int(shapes[at + 7]) & 0xFFFF) ^ 0x8000) - 0x8000
    form = ((int(shapes[at + 13]) & 0xFFFF) ^ 0x8000) - 0x8000
    forms = ptr8(_FORMS)  # pyright: ignore[reportCallIssue]
    i = 0
    while i < 13:
        before = i - 1 if i > 0 else 0
        after = i + 1 if i < 12 else 12
        row = form * 13
        dx = width * (after - before) // 12
        dy = (int(forms[row + after]) - int(forms[row + before])) * height // 256
        x = width * (i - 6) // 12
        dy += dx * tilt >> 6
        y = ((int(forms[row + i]) - 128) * height // 256) + (x * tilt >> 6)
        x += cx
        y += cy
        if form == 1:
            dx = 1
            dy = 0
            reach = half * 5 // 4
        else:
            reach = half
        length = int(_length(dx, dy))
        if length == 0:
            dx = 1
            length = 1
        ux = dx * reach // length
        uy = dy * reach // length
        if i == 0:
            _cap(points, to + 54, x, y, 0 - ux, 0 - uy)
        elif i == 12:
            _cap(points, to + 22, x, y, ux, uy)
        else:
            points[to + i * 2 - 2] = x + uy
            points[to + i * 2 - 1] = y - ux
            points[to + 54 - i * 2] = x - uy
            points[to + 55 - i * 2] = y + ux
        i += 1


@micropython.viper
def _quad(shapes: ptr16, at: int, points: ptr16, to: int):
    i = 0
    while i < 32:
        corner = i if i < 4 else 3
        a = 0 - 1 if corner == 0 or corner == 3 else 1
        b = 0 - 1 if corner < 2 else 1
        points[to + i * 2] = (
            (((int(shapes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000)
            + a * (((int(shapes[at + 4]) & 0xFFFF) ^ 0x8000) - 0x8000)
            + b * (((int(shapes[at + 6]) & 0xFFFF) ^ 0x8000) - 0x8000)
        )
        points[to + i * 2 + 1] = (
            (((int(shapes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000)
            + a * (((int(shapes[at + 5]) & 0xFFFF) ^ 0x8000) - 0x8000)
            + b * (((int(shapes[at + 7]) & 0xFFFF) ^ 0x8000) - 0x8000)
        )
        i += 1


@micropython.viper
def _frame(shapes: ptr16, at: int, points: ptr16, to: int):
    """Clockwise around the frame, and against it around the hole: nothing winds around that."""
    half_w = int(shapes[at + 4]) >> 1
    half_h = int(shapes[at + 5]) >> 1
    cx = int(shapes[at + 2])
    cy = int(shapes[at + 3])
    top = int(shapes[at + 8])
    low = int(shapes[at + 10])
    i = 0
    while i < 5:
        points[to + i * 2] = cx + half_w if i == 1 or i == 2 else cx - half_w
        points[to + i * 2 + 1] = cy + half_h if i == 2 or i == 3 else cy - half_h
        i += 1
    cy += (top - low) >> 1
    half_h -= (top + low) >> 1
    half_w -= int(shapes[at + 12])
    round_x = half_w * int(shapes[at + 6]) // 100
    round_y = half_h * int(shapes[at + 6]) // 100
    corner = ptr8(SINE)  # pyright: ignore[reportCallIssue]
    i = 0
    while i < 27:
        turn = i if i < 26 else 0
        quarter = turn * 2 // 13
        step = (turn * 128 // 13) & 63
        if quarter & 1:
            step = 63 - step
        dx = half_w - round_x + ((round_x * int(corner[step >> 2]) + 128) >> 8)
        dy = half_h - round_y + ((round_y * int(corner[(64 - step) >> 2]) + 128) >> 8)
        points[to + i * 2 + 10] = cx - dx if quarter < 2 else cx + dx
        points[to + i * 2 + 11] = cy - dy if quarter == 0 or quarter == 3 else cy + dy
        i += 1


_MAKERS = (None, _box, _line, _stroke, None, _quad, _frame)


def outline(shapes, at, points, to):
    """Puts the outline of the shape at `shapes[at]` into points[to..]: x, y of each.

    Answers False for a shape without one: nothing, or text.
    """
    maker = _MAKERS[shapes[at]]
    if maker is None:
        return False
    maker(shapes, at, points, to)
    return True


@micropython.viper
def move(points: ptr16, to: int, way: ptr16):
    """Moves an outline by `way`, sixteenths of a pixel to the right and down."""
    dx = int(way[0])
    dy = int(way[1])
    end = to + 64
    while to < end:
        # Sixteen bits are kept: whether they have a sign makes no difference.
        points[to] = ((int(points[to]) + dx & 0xFFFF) ^ 0x8000) - 0x8000
        points[to + 1] = ((int(points[to + 1]) + dy & 0xFFFF) ^ 0x8000) - 0x8000
        to += 2


@micropython.viper
def bounds(points: ptr16, to: int, boxes: ptr16, at: int, both: ptr16):
    """Puts the pixels that an outline may touch into boxes[at..at+3]: left, top, right, low.

    Right and low are the first ones outside. `both` holds these and what was there before.
    """
    left = 32767
    top = 32767
    right = 0 - 32768
    low = 0 - 32768
    end = to + 64
    while to < end:
        x = ((int(points[to]) & 0xFFFF) ^ 0x8000) - 0x8000
        y = ((int(points[to + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
        if x < left:
            left = x
        if x > right:
            right = x
        if y < top:
            top = y
        if y > low:
            low = y
        to += 2
    left = left >> 4
    top = top >> 4
    right = (right + 15) >> 4
    low = (low + 15) >> 4
    left2 = ((int(boxes[at]) & 0xFFFF) ^ 0x8000) - 0x8000
    top2 = ((int(boxes[at + 1]) & 0xFFFF) ^ 0x8000) - 0x8000
    right2 = ((int(boxes[at + 2]) & 0xFFFF) ^ 0x8000) - 0x8000
    low2 = ((int(boxes[at + 3]) & 0xFFFF) ^ 0x8000) - 0x8000
    boxes[at] = left
    boxes[at + 1] = top
    boxes[at + 2] = right
    boxes[at + 3] = low
    if left2 == right2:
        left2 = left
        top2 = top
        right2 = right
        low2 = low
    both[0] = left if left < left2 else left2
    both[1] = top if top < top2 else top2
    both[2] = right if right > right2 else right2
    both[3] = low if low > low2 else low2


def points_buffer():
    """A buffer that outline() can fill."""
    return array("h", bytes(POINTS * 4))


@micropython.viper
def put(
    shapes: ptr16,
    slot: int,
    kind: int,
    colour: int,
    x: int,
    y: int,
    w: int,
    h: int,
    r: int,
    tilt: int,
):
    """A shape in pixels of the face: 0, 0 is between the eyes. The first slot says where.

    A line goes from (x, y) to (w, h).
    """
    scale = int(shapes[4])
    at = slot * 14
    shapes[at] = kind
    shapes[at + 1] = colour
    shapes[at + 2] = int(shapes[2]) + x * scale
    shapes[at + 3] = int(shapes[3]) + y * scale
    shapes[at + 4] = w * scale
    shapes[at + 5] = h * scale
    if kind == 2:
        shapes[at + 4] = (w - x) * scale
        shapes[at + 5] = (h - y) * scale
    shapes[at + 6] = r if kind == 1 else r * scale
    shapes[at + 7] = tilt
    shapes[at + 8] = 0 - 16000
    shapes[at + 9] = 0
    shapes[at + 10] = 16000
    shapes[at + 11] = 0
    shapes[at + 12] = 0
    shapes[at + 13] = 0


@micropython.viper
def put_flat(shapes: ptr16, slot: int, colour: int, left: int, top: int, w: int, h: int, r: int):
    """A box in pixels of the panel."""
    at = slot * 14
    shapes[at] = 1
    shapes[at + 1] = colour
    shapes[at + 2] = left * 16 + w * 8
    shapes[at + 3] = top * 16 + h * 8
    shapes[at + 4] = w * 16
    shapes[at + 5] = h * 16
    shapes[at + 6] = r
    shapes[at + 7] = 0
    shapes[at + 8] = 0 - 16000
    shapes[at + 9] = 0
    shapes[at + 10] = 16000
    shapes[at + 11] = 0
    shapes[at + 12] = 0


@micropython.viper
def lids(shapes: ptr16, slot: int, top: int, top_slope: int, low: int, bend: int):
    """Cuts a box's top and low ends, in pixels of the face from its centre."""
    scale = int(shapes[4])
    at = slot * 14
    shapes[at + 8] = top * scale
    shapes[at + 9] = top_slope
    shapes[at + 10] = low * scale
    shapes[at + 11] = bend * scale
