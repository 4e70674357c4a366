# LilyGO T-Display-S3. Its panel is 8-bit parallel: CircuitPython drives it, MicroPython does not.
# Pins: CircuitPython, lilygo_tdisplay_s3.
NAME = "t-display-s3"
TITLE = "LilyGO T-Display-S3"
MCU = "esp32s3"
RUNTIME = "circuitpython"
FORM = "built-in"
FIRMWARE = ("lilygo_tdisplay_s3",)
PARTS = "LilyGO T-Display-S3 with headers"
LABELS = {"5V": "5V", "GND": "G", "ring": "1"}

PANEL = {
    "driver": "st7789",
    "width": 170,
    "height": 320,
    "dx": 35,  # 170 of 240 columns, in the middle
    "dy": 0,
    "rotation": 90,  # the maker's demo holds the board this way
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": False,
    "round": False,
}
SPI = {}
PINS = {"cs": 6, "dc": 7, "rst": 5, "bl": 38}
RING = {"pin": 1, "leds": 16, "order": "GRB"}  # free, on the header
BUTTONS = {"a": 0, "b": 14}
POWER = {15: 1}  # the panel's supply
BUDGET_MA = 120
PARALLEL = {"data": (39, 40, 41, 42, 45, 46, 47, 48), "wr": 8, "rd": 9}
