# ESP32-2424S012, round, ESP32-C3; the touch layer is not used.
# Panel pins: CircuitPython; touch has I2C 4 5. Only 20 and 21 are free.
NAME = "esp32-2424s012"
TITLE = "ESP32-2424S012"
MCU = "esp32c3"
RUNTIME = "micropython"
FORM = "built-in"
FIRMWARE = ("ESP32_GENERIC_C3",)
PARTS = "ESP32-2424S012 round board; 1.25 mm 4-pin plug where a ring is wanted"
LABELS = {"5V": "5V", "GND": "GND", "ring": "RX"}

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
SPI = {"id": 1, "sck": 6, "mosi": 7, "baudrate": 40_000_000}
PINS = {"cs": 10, "dc": 2, "rst": None, "bl": 3}  # no reset line
RING = {
    "pin": 20,
    "leds": 24,
    "order": "GRB",
}  # 21 is the start-up log's output, which would light the ring
BUTTONS = {"a": 9}  # BOOT
POWER = {}
BUDGET_MA = 120
