"""Where things go on a panel, from its size and shape alone."""


def _root(n):
    """The whole part of a square root."""
    guess = n
    better = (n + 1) >> 1
    while better < guess:
        guess = better
        better = (guess + n // guess) >> 1
    return guess


class Layout:
    """Places in pixels; `scale` is sixteenths of a pixel for each of a face 240 wide."""

    def __init__(self, width, height, is_round):
        self.width = width
        self.height = height
        self.round = is_round
        small = min(width, height)
        self.tall = 24 if small >= 170 and not is_round else 16
        self.lines = 1 if height < width * 5 // 4 else 3
        self.gap = small // 24
        if is_round:
            self.desk_high = height * 52 // 240
        else:
            self.desk_high = self.lines * self.tall + 2 * self.gap
        self.desk_y = height - self.desk_high
        self.scale = min(width * 16 // 240, self.desk_y * 16 // 186)
        self.x = width // 2
        self.y = self.desk_y - 98 * self.scale // 16
        self.cell_h = height // 4
        self.border = small // 10
        self.bar = self.cell_h * 3 // 4
        self._caption(width, height)

    def _caption(self, width, height):
        self.text_y = self.desk_y + (7 if self.round else self.gap)
        room = width - self.gap
        if self.round:
            low = self.text_y + self.lines * self.tall - height // 2
            inner = width // 2 - 8  # inside the dial
            room = 2 * _root(inner * inner - low * low) - self.gap
        self.cells = room // (self.tall // 2)
        self.text_x = (width - self.cells * self.tall // 2) // 2
        self.text_w = self.cells * self.tall // 2
