# Waveshare ESP32-S3-LCD-1.28.
# Pins: CircuitPython, waveshare_esp32_s3_lcd_1_28.
NAME = "esp32-s3-lcd-1.28"
TITLE = "Waveshare ESP32-S3-LCD-1.28"
MCU = "esp32s3"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC_S3",)
PARTS = "Waveshare ESP32-S3-LCD-1.28"
LABELS = {"5V": "5V", "GND": "GND", "ring": "15"}

PANEL = {
    "driver": "gc9a01",
    "width": 240,
    "height": 240,
    "dx": 0,
    "dy": 0,
    "rotation": 0,
    "mirror": True,  # round glass is driven from its far side: MADCTL 0x48 in the makers' code
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": True,
    "round": True,
}
SPI = {"id": 1, "sck": 10, "mosi": 11, "baudrate": 40_000_000}
PINS = {"cs": 9, "dc": 8, "rst": 12, "bl": 40}
RING = {"pin": 15, "leds": 24, "order": "GRB"}  # free, on the header
BUTTONS = {"a": 0}  # BOOT
POWER = {}
BUDGET_MA = 120
