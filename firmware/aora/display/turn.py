"""How a panel is turned: what MADCTL says, and where the glass lies among its addresses."""

_MY = 0x80
_MX = 0x40
_MV = 0x20
_BGR = 0x08
_TURNS = bytes((0, _MX | _MV, _MX | _MY, _MY | _MV))


def turned(panel, settings, gram):
    """(MADCTL, width, height, first column, first row) of a board's panel as set.

    `gram` is the width and height of the controller's memory.
    """
    turn = _TURNS[settings.rotation // 90 % 4]
    if settings.mirror:
        turn ^= _MY if turn & _MV else _MX
    wide, high = panel["width"], panel["height"]
    column = gram[0] - wide - settings.dx if turn & _MX else settings.dx
    row = gram[1] - high - settings.dy if turn & _MY else settings.dy
    madctl = turn | (_BGR if settings.bgr else 0)
    if turn & _MV:
        return madctl, high, wide, row, column
    return madctl, wide, high, column, row


def controller(driver):
    """The module that knows the controller, by a board's name for it."""
    if driver == "gc9a01":
        from aora.display import gc9a01

        return gc9a01
    from aora.display import st7789

    return st7789
