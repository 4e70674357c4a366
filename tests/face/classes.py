"""How five classes of state are told apart from across the room: the fixed rule.

The picture in grey is averaged into 4 x 4 cells: what is left of it when it is small and
blurred. `top` and `low` are the means of the middle two cells of the first and of the last
row, 0 to 255. Colour and the place of the eyes play no part.
"""

from __future__ import annotations

from PIL import Image

from aora.protocol import BROKEN, DONE, NEEDS_YOU, NOTHING, REFUSED, WORKING

TOP_IS_LIT = 93
LOW_IS_LIT = 79
ALL_IS_LIT = 156


def cells(picture: Image.Image) -> list[int]:
    """The sixteen cells, row by row."""
    return list(picture.convert("L").resize((4, 4), Image.Resampling.BOX).tobytes())


def told(picture: Image.Image) -> int:
    """The class that the picture shows; refused counts as broken."""
    grey = cells(picture)
    top = (grey[1] + grey[2]) / 2
    low = (grey[13] + grey[14]) / 2
    if top < TOP_IS_LIT:
        return WORKING if low >= LOW_IS_LIT else NOTHING
    if low < LOW_IS_LIT:
        return DONE
    return NEEDS_YOU if low >= ALL_IS_LIT else BROKEN


def expected(kind: int) -> int:
    """The class told of five, of a class of the protocol."""
    return BROKEN if kind == REFUSED else kind
