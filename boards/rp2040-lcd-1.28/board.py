# Waveshare RP2040-LCD-1.28, 2 MB flash.
# Panel pins: pico-sdk boards/waveshare_rp2040_lcd_1.28.h, CircuitPython.
NAME = "rp2040-lcd-1.28"
TITLE = "Waveshare RP2040-LCD-1.28"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("RPI_PICO",)
PARTS = "Waveshare RP2040-LCD-1.28; 1.27 mm plug for its headers where a ring is wanted"
LABELS = {"5V": "VSYS", "GND": "GND", "ring": "22"}

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
PINS = {"cs": 9, "dc": 8, "rst": 12, "bl": 25}
RING = {"pin": 22, "leds": 24, "order": "GRB"}  # on header H2, with VSYS and GND
BUTTONS = {"a": "bootsel"}
POWER = {}
BUDGET_MA = 120
