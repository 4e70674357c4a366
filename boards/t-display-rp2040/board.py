# LilyGO T-Display RP2040, 4 MB flash.
# Panel pins, buttons, power: CircuitPython, lilygo_t_display_rp2040.
NAME = "t-display-rp2040"
TITLE = "LilyGO T-Display RP2040"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("RPI_PICO",)
PARTS = "LilyGO T-Display RP2040 with headers"
LABELS = {"5V": "5V", "GND": "GND", "ring": "16"}

PANEL = {
    "driver": "st7789",
    "width": 135,
    "height": 240,
    "dx": 52,  # native offsets of the 135x240 glass: russhughes st7789py; 40/53 is the same, lying
    "dy": 40,
    "rotation": 90,  # the maker's demo holds the board this way
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": True,
    "round": False,
}
SPI = {"id": 0, "sck": 2, "mosi": 3, "baudrate": 62_500_000}
PINS = {"cs": 5, "dc": 1, "rst": 0, "bl": 4}
RING = {"pin": 16, "leds": 16, "order": "GRB"}  # free, on the header; GP22 is taken
BUTTONS = {"a": 6, "b": 7}
POWER = {22: 1}  # the panel's supply
BUDGET_MA = 120
