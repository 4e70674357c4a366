# Raspberry Pi Pico, Pico W, Pico 2 or Pico 2 W with a bare round GC9A01 module, wired by hand.
# Pins: our choice, what the wiring picture draws; RP2040 datasheet 1.4.3 for what each can do.
NAME = "pico-generic-round"
TITLE = "Raspberry Pi Pico + GC9A01 240x240 round module"
MCU = "rp2040"
RUNTIME = "micropython"
FORM = "pico"
FIRMWARE = ("RPI_PICO", "RPI_PICO_W", "RPI_PICO2", "RPI_PICO2_W")
PARTS = "Raspberry Pi Pico with headers; 1.28 inch GC9A01 240x240 round module; button"

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
SPI = {"id": 0, "sck": 18, "mosi": 19, "baudrate": 62_500_000}
PINS = {"cs": 17, "dc": 16, "rst": 20, "bl": 21}
RING = {
    "pin": 22,
    "leds": 24,
    "order": "GRB",
}  # 24 LEDs go around a 1.28 inch round panel, 16 do not
BUTTONS = {"a": 15}  # beside a GND pin, at the corner away from the panel
POWER = {}
BUDGET_MA = 120
