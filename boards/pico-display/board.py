# Pimoroni Pico Display on a Raspberry Pi Pico, Pico W, Pico 2 or Pico 2 W.
# Pins: pimoroni-pico, pimoroni_common.hpp and libraries/pico_display.
NAME = "pico-display"
TITLE = "Pimoroni Pico Display on a Pico"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "hat"
FIRMWARE = ("RPI_PICO", "RPI_PICO_W", "RPI_PICO2", "RPI_PICO2_W")
PARTS = "Raspberry Pi Pico with headers; Pimoroni Pico Display Pack"

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
SPI = {"id": 0, "sck": 18, "mosi": 19, "baudrate": 62_500_000}
PINS = {"cs": 17, "dc": 16, "rst": None, "bl": 20}  # no reset line
RING = {"pin": 22, "leds": 16, "order": "GRB"}  # free; the pack's own LED has 6 7 8
BUTTONS = {"a": 12, "b": 13}  # X and Y have 14 15
POWER = {}
BUDGET_MA = 120
