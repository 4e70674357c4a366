# Waveshare RP2040-Touch-LCD-1.28, 4 MB flash; the touch layer is not used.
# Panel pins: Waveshare wiki; touch has I2C 6 7, interrupt 21, reset 22.
NAME = "rp2040-touch-lcd-1.28"
TITLE = "Waveshare RP2040-Touch-LCD-1.28"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("RPI_PICO",)
PARTS = "Waveshare RP2040-Touch-LCD-1.28"
LABELS = {"5V": "VSYS", "GND": "GND", "ring": "28"}

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
SPI = {"id": 1, "sck": 10, "mosi": 11, "baudrate": 62_500_000}
PINS = {"cs": 9, "dc": 8, "rst": 13, "bl": 25}
RING = {
    "pin": 28,
    "leds": 24,
    "order": "GRB",
}  # on header H1, with VSYS and GND: 16 17 18 26 27 28 are there
BUTTONS = {"a": "bootsel"}
POWER = {}
BUDGET_MA = 120
