# M5Stack M5StickC Plus. The AXP192 feeds panel and backlight: there is no backlight pin.
# Pins: M5Stack documentation; AXP192 registers: CircuitPython, m5stack_stick_c_plus.
NAME = "m5stick-c-plus"
TITLE = "M5StickC Plus"
MCU = "esp32"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC",)
PARTS = "M5Stack M5StickC Plus; Grove cable where a ring is wanted"
LABELS = {"5V": "5V", "GND": "G", "ring": "G32"}

PANEL = {
    "driver": "st7789",
    "width": 135,
    "height": 240,
    "dx": 52,  # native offsets of the 135x240 glass: russhughes st7789py
    "dy": 40,
    "rotation": 0,
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": False,
    "round": False,
}
SPI = {"id": 1, "sck": 13, "mosi": 15, "baudrate": 40_000_000}
PINS = {"cs": 5, "dc": 23, "rst": 18, "bl": None}
RING = {"pin": 32, "leds": 16, "order": "GRB"}  # on the Grove plug
BUTTONS = {"a": 37, "b": 39}  # 37 and 39 have their own pull-ups
POWER = {}
BUDGET_MA = 120
PMIC = {
    "id": 0,
    "sda": 21,
    "scl": 22,
    "address": 0x34,
    # Panel 3.0 V and backlight 2.8 V; then 5 V out, both of them, and the chip's own supply on.
    "registers": ((0x28, 0xAC), (0x12, 0x4D)),
}
