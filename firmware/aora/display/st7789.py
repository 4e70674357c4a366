"""ST7789: how it wakes, as data.

Each step is a command, the number of its parameters, the parameters, and a pause in ms; the
last one's lasts until the picture may appear.
"""

GRAM = (240, 320)

WAKE = bytes(
    (0x11, 0, 5)  # SLPOUT; RAM may be written after 5 ms
    + (0x3A, 1, 0x55, 0)  # 16 bits a pixel
    + (0x13, 0, 0)  # NORON
)
