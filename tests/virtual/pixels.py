"""One pixel of a picture, typed."""

from PIL.Image import Image


def pixel(picture: Image, x: int, y: int) -> tuple[int, ...]:
    found = picture.getpixel((x, y))
    assert isinstance(found, tuple)
    return found
