# LilyGO TTGO T-Display (ESP32).
# Panel pins: CircuitPython, russhughes st7789py. Header: LilyGO pin map.
NAME = "t-display"
TITLE = "LilyGO T-Display"
MCU = "esp32"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC",)
PARTS = "LilyGO T-Display (ESP32, 1.14 inch) with headers"
LABELS = {"5V": "5V", "GND": "G", "ring": "27"}

PANEL = {
    "driver": "st7789",
    "width": 135,
    "height": 240,
    "dx": 52,  # native offsets of the 135x240 glass: russhughes st7789py
    "dy": 40,
    "rotation": 90,  # the maker's demo holds the board this way
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": False,
    "round": False,
}
SPI = {"id": 2, "sck": 18, "mosi": 19, "baudrate": 40_000_000}
PINS = {"cs": 5, "dc": 16, "rst": 23, "bl": 4}
RING = {"pin": 27, "leds": 16, "order": "GRB"}  # beside G and 5V
BUTTONS = {"a": 0, "b": 35}  # 35 has its own pull-up
POWER = {}
BUDGET_MA = 120
