# Waveshare Pico-LCD-2 on a Raspberry Pi Pico, Pico W, Pico 2 or Pico 2 W.
# Panel pins: nano-gui, setup examples. Keys: Waveshare wiki, Pico-LCD-2.
NAME = "pico-lcd-2"
TITLE = "Waveshare Pico-LCD-2 on a Pico"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "hat"
FIRMWARE = ("RPI_PICO", "RPI_PICO_W", "RPI_PICO2", "RPI_PICO2_W")
PARTS = "Raspberry Pi Pico with headers; Waveshare Pico-LCD-2"

PANEL = {
    "driver": "st7789",
    "width": 240,
    "height": 320,
    "dx": 0,
    "dy": 0,
    "rotation": 90,  # the maker's demo holds the board this way
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": False,
    "round": False,
}
SPI = {"id": 1, "sck": 10, "mosi": 11, "baudrate": 62_500_000}
PINS = {"cs": 9, "dc": 8, "rst": 12, "bl": 13}
RING = {"pin": 22, "leds": 16, "order": "GRB"}  # free; keys 2 and 3 have GP2 and GP3
BUTTONS = {"a": 15, "b": 17}  # keys 0 and 1
POWER = {}
BUDGET_MA = 120
