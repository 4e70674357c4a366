# Waveshare ESP32-S3-LCD-1.47.
# Panel pins: Waveshare wiki; espp, ws-s3-lcd-1.47.
NAME = "esp32-s3-lcd-1.47"
TITLE = "Waveshare ESP32-S3-LCD-1.47"
MCU = "esp32s3"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC_S3",)
PARTS = "Waveshare ESP32-S3-LCD-1.47"
LABELS = {"5V": "5V", "GND": "GND", "ring": "4"}

PANEL = {
    "driver": "st7789",
    "width": 172,
    "height": 320,
    "dx": 34,  # 172 of 240 columns, in the middle
    "dy": 0,
    "rotation": 0,
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": False,
    "round": False,
}
SPI = {"id": 1, "sck": 40, "mosi": 45, "baudrate": 40_000_000}
PINS = {"cs": 42, "dc": 41, "rst": 39, "bl": 48}
RING = {"pin": 4, "leds": 16, "order": "GRB"}  # free, on the header; the LED on the board has 38
BUTTONS = {"a": 0}  # BOOT
POWER = {}
BUDGET_MA = 120
