# Raspberry Pi Pico, Pico W, Pico 2 or Pico 2 W with a bare ST7789 module, wired by hand.
# Pins: our choice, what the wiring picture draws; RP2040 datasheet 1.4.3 for what each can do.
NAME = "pico-generic"
TITLE = "Raspberry Pi Pico + ST7789 240x240 module"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "pico"
FIRMWARE = ("RPI_PICO", "RPI_PICO_W", "RPI_PICO2", "RPI_PICO2_W")
PARTS = "Raspberry Pi Pico with headers; 1.3 inch ST7789 240x240 IPS module with CS; button"

PANEL = {
    "driver": "st7789",
    "width": 240,
    "height": 240,
    "dx": 0,
    "dy": 0,
    "rotation": 0,
    "mirror": False,
    "invert": True,  # IPS glass shows inverse colours until INVON
    "bgr": False,
    "round": False,
}
SPI = {"id": 0, "sck": 18, "mosi": 19, "baudrate": 62_500_000}
PINS = {"cs": 17, "dc": 16, "rst": 20, "bl": 21}
RING = {"pin": 22, "leds": 16, "order": "GRB"}
BUTTONS = {"a": 15}  # beside a GND pin, at the corner away from the panel
POWER = {}
BUDGET_MA = 120
