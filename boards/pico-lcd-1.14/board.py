# Waveshare Pico-LCD-1.14 on a Raspberry Pi Pico, Pico W, Pico 2 or Pico 2 W.
# Panel pins: russhughes st7789py, tft_configs. Keys: Waveshare wiki, Pico-LCD-1.14.
NAME = "pico-lcd-1.14"
TITLE = "Waveshare Pico-LCD-1.14 on a Pico"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "hat"
FIRMWARE = ("RPI_PICO", "RPI_PICO_W", "RPI_PICO2", "RPI_PICO2_W")
PARTS = "Raspberry Pi Pico with headers; Waveshare Pico-LCD-1.14"

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
SPI = {"id": 1, "sck": 10, "mosi": 11, "baudrate": 62_500_000}
PINS = {"cs": 9, "dc": 8, "rst": 12, "bl": 13}
RING = {"pin": 22, "leds": 16, "order": "GRB"}  # free; the joystick has 2 18 16 20 3
BUTTONS = {"a": 15, "b": 17}  # keys A and B
POWER = {}
BUDGET_MA = 120
