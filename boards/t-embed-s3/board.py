# LilyGO T-Embed (ESP32-S3).
# Pins: CircuitPython, lilygo_tembed_esp32s3; GPIO 46 feeds panel and plugs: LilyGO examples.
NAME = "t-embed-s3"
TITLE = "LilyGO T-Embed"
MCU = "esp32s3"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC_S3",)
PARTS = "LilyGO T-Embed"
LABELS = {"5V": "5V", "GND": "GND", "ring": "16"}

PANEL = {
    "driver": "st7789",
    "width": 170,
    "height": 320,
    "dx": 35,  # 170 of 240 columns, in the middle
    "dy": 0,
    "rotation": 270,  # the knob is on the right
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": True,
    "round": False,
}
SPI = {"id": 1, "sck": 12, "mosi": 11, "baudrate": 40_000_000}
PINS = {"cs": 10, "dc": 13, "rst": 9, "bl": 15}
RING = {
    "pin": 16,
    "leds": 16,
    "order": "GRB",
}  # free, on the header; the LEDs on the board are APA102
BUTTONS = {"a": 0}  # the knob
POWER = {46: 1}  # panel and plugs
BUDGET_MA = 120
