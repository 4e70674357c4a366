# Adafruit Feather ESP32-S3 TFT.
# Pins, power: CircuitPython, adafruit_feather_esp32s3_tft.
NAME = "feather-s3-tft"
TITLE = "Adafruit Feather ESP32-S3 TFT"
MCU = "esp32s3"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC_S3",)
PARTS = "Adafruit Feather ESP32-S3 TFT with headers"
LABELS = {"5V": "USB", "GND": "GND", "ring": "5"}

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
SPI = {"id": 1, "sck": 36, "mosi": 35, "baudrate": 40_000_000}
PINS = {"cs": 7, "dc": 39, "rst": 40, "bl": 45}
RING = {"pin": 5, "leds": 16, "order": "GRB"}  # D5; the LED on the board has 33
BUTTONS = {"a": 0}  # BOOT; D1 and D2 are pressed when high
POWER = {21: 1}  # the panel's supply
BUDGET_MA = 120
