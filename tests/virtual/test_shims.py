"""`machine`, `neopixel` and `rp2` take and refuse what the real ones do."""

import textwrap

import pytest

PRELUDE = """
from machine import *
import machine, neopixel, sys, os, time
def tell(text):
    try:
        print(eval(text))
    except Exception as error:
        print(type(error).__name__, error)
"""

RP2 = {
    "Pin(30)": "ValueError invalid pin",
    "Pin(-1)": "ValueError invalid pin",
    "Pin('GP30')": 'ValueError unknown named pin "GP30"',
    "Pin('GPX')": 'ValueError unknown named pin "GPX"',
    "Pin(None)": "ValueError invalid pin",
    "Pin('GP5') == Pin('GPIO5') == Pin(5)": "True",
    "Pin('LED') == Pin(25)": "True",
    "Pin.board.GP7 == Pin(7)": "True",
    "(Pin.IN, Pin.OUT, Pin.OPEN_DRAIN, Pin.PULL_UP, Pin.PULL_DOWN)": "(0, 1, 2, 1, 2)",
    "Pin(5, Pin.OUT, value=1)()": "1",
    "Pin(5, Pin.OUT, None, 1)": "TypeError ",
    "Pin(5, drive=1)": "TypeError ",
    "Pin(5, mode=Pin.IN, pull=Pin.PULL_UP).value()": "1",
    "Pin(5, Pin.IN).value()": "0",
    "Pin(5, Pin.OPEN_DRAIN, value=0).value()": "0",
    "hasattr(Pin, 'toggle'), hasattr(Pin, 'low')": "(True, True)",
    "SPI(2)": "ValueError SPI(2) doesn't exist",
    "SPI(0, sck=Pin(10))": "ValueError bad SCK pin",
    "SPI(0, sck=18, mosi=18)": "ValueError bad MOSI pin",
    "SPI(1, sck=10, mosi=11, miso=Pin(9))": "ValueError bad MISO pin",
    "SPI(0, firstbit=SPI.LSB)": "NotImplementedError LSB",
    "SPI(0, 1_000_000, 0, 0)": "TypeError ",
    "SPI(0, frequency=1)": "TypeError ",
    "SPI(0, baudrate=62_500_000)": "SPI(0, baudrate=24000000, polarity=0, phase=0, bits=8, ",
    "SPI(1)": "SPI(1, baudrate=1000000, polarity=0, phase=0, bits=8, sck=10, mosi=11, miso=8)",
    "SPI(0).write(5)": "TypeError ",
    "SPI(0).write_readinto(b'12', bytearray(1))": "ValueError buffers must be the same length",
    "SPI(0).write(__import__('array').array('H', [1, 2]))": "None",
    "SPI(0).read(3)": "b'\\x00\\x00\\x00'",
    "PWM(Pin(21), freq=1000, duty_u16=70000).duty_u16()": "65535",
    "PWM(21, 1000).duty_u16()": "0",
    "PWM(Pin(21), freq=5)": "ValueError freq too small",
    "PWM(Pin(21), freq=200_000_000)": "ValueError freq too large",
    "PWM(Pin(21), duty=5)": "TypeError ",
    "hasattr(PWM(Pin(21)), 'duty')": "False",
    "WDT(timeout=8389)": "ValueError timeout exceeds 8388",
    "WDT(1)": "ValueError WDT(1) doesn't exist",
    "machine.freq(125_000_001)": "None",
    "machine.freq(126_100_000)": "ValueError cannot change frequency",
    "machine.freq(125_000_000, 100_000_000)": "ValueError peripheral freq must be 48_000_000",
    "machine.freq()": "125000000",
    "len(machine.unique_id())": "8",
    "machine.reset_cause() == machine.PWRON_RESET": "True",
    "bitstream(Pin(22), 1, (400, 850, 800, 450), b'')": "ValueError encoding",
    "bitstream(Pin(22), 0, (400, 850, 800), b'')": "ValueError ",
    "bitstream(Pin(22), 0, (400, 850, 800, 450))": "TypeError ",
    "I2C(0, scl=Pin(4), sda=Pin(5))": "ValueError bad SCL pin",
    "I2C(0, scl=Pin(5), sda=Pin(4)).scan()": "[]",
    "I2C(1).writeto(0x34, b'12')": "OSError [Errno 19] ENODEV",
    "I2C(2)": "ValueError I2C(2) doesn't exist",
    "neopixel.NeoPixel(Pin(22), 2).ORDER": "(1, 0, 2, 3)",
    "sys.platform": "rp2",
    "os.uname()[4]": "Raspberry Pi Pico with RP2040",
    "__import__('rp2').bootsel_button()": "0",
    "hasattr(__import__('rp2'), 'DMA')": "False",
    "os.getenv": "AttributeError ",
}
ESP32 = {
    "Pin(24)": "ValueError invalid pin",
    "Pin(34, Pin.OUT)": "ValueError pin can only be input",
    "Pin(34, Pin.IN).value()": "1",
    "Pin('GP5')": "ValueError invalid pin",
    "(Pin.IN, Pin.OUT, Pin.OPEN_DRAIN, Pin.PULL_UP, Pin.PULL_DOWN)": "(1, 3, 7, 2, 1)",
    "Pin(5, alt=1)": "TypeError ",
    "Pin(5, Pin.OUT, drive=Pin.DRIVE_3)": "Pin(5)",
    "hasattr(Pin, 'low')": "False",
    "SPI(0)": "ValueError SPI(0) doesn't exist",
    "SPI(1, sck=Pin(4), mosi=Pin(2), baudrate=40_000_000)": "SPI(1, baudrate=40000000, ",
    "SPI(2, sck=34)": "OSError invalid configuration",
    "SPI(1).write(b'')": "ValueError buffer too short",
    "SPI(1, bits=0)": "ValueError invalid bits",
    "PWM(Pin(4)).duty_u16()": "32768",
    "PWM(Pin(4), freq=1000, duty=1023).duty_u16()": "65535",
    "PWM(Pin(4), duty=1024)": "ValueError duty must be from 0 to 1023",
    "PWM(Pin(4), duty_u16=65536)": "ValueError duty_u16 must be from 0 to",
    "PWM(Pin(4), freq=50_000_000)": "ValueError frequency must be from 1Hz to 40MHz",
    "WDT(timeout=0)": "ValueError WDT timeout too short",
    "machine.freq(240_000_000)": "None",
    "machine.freq(133_000_000)": "ValueError frequency must be",
    "len(machine.unique_id())": "6",
    "sys.platform": "esp32",
    "__import__('rp2')": "ImportError ",
}
C3 = {
    "SPI(2)": "ValueError SPI(2) doesn't exist",
    "Pin(22)": "ValueError invalid pin",
    "machine.freq(240_000_000)": "ValueError frequency must be",
    "Pin(9, Pin.IN).value()": "1",
}
RP2350 = {
    "WDT(timeout=16778)": "ValueError timeout exceeds 16777",
    "machine.freq()": "150000000",
    "os.uname()[4]": "Raspberry Pi Pico2 with RP2350",
}


@pytest.mark.parametrize(
    ("board", "cases"),
    [
        ("pico-generic", RP2),
        ("t-display", ESP32),
        ("esp32-2424s012", C3),
        ("rp2350-lcd-1.28", RP2350),
    ],
)
def test_the_shims_take_and_refuse_what_the_chip_does(run, board, cases):
    source = PRELUDE + "".join(f"tell({text!r})\n" for text in cases)
    _, printed = run(source, board)
    answers = dict(zip(cases, printed.splitlines(), strict=True))
    wrong = {text: said for text, said in answers.items() if not said.startswith(cases[text])}
    assert not wrong


def test_the_drawing_path_allocates_nothing_and_reaches_the_decoders(run):
    source = """
    import gc, micropython, machine, neopixel, time
    from machine import Pin, PWM, SPI
    machine.freq(125_000_000, 125_000_000)
    spi = SPI(0, baudrate=62_500_000, sck=Pin(18), mosi=Pin(19))
    cs, dc, rst = Pin(17, Pin.OUT, value=1), Pin(16, Pin.OUT), Pin(20, Pin.OUT, value=1)
    button, light = Pin(15, Pin.IN, Pin.PULL_UP), PWM(Pin(21), freq=1000, duty_u16=0)
    ring = neopixel.NeoPixel(Pin(22), 16)
    ring[2] = (10, 20, 30)
    pin, timing, bits = ring.pin, ring.timing, ring.buf
    watchdog = machine.WDT(timeout=5000)
    whole = bytearray(20000)
    part = memoryview(whole)[:8]
    one = bytearray(1)
    def command(number, data=None):
        one[0] = number
        cs(0)
        dc(0)
        spi.write(one)
        dc.value(1)
        if data:
            spi.write(data)
        cs.value(1)
    def draw():
        command(0x2A, b"\\0\\0\\0\\xEF")
        command(0x2B, b"\\0\\0\\0\\xEF")
        command(0x2C, whole)
        command(0x2C, part)
        command(0x00)
        machine.bitstream(pin, 0, timing, bits)
        light.duty_u16(32768)
        watchdog.feed()
        button()
        button.value()
    for number, data in ((0x11, None), (0x3A, b"\\x55"), (0x36, b"\\0"), (0x21, None)):
        command(number, data)
    command(0x29)
    draw()
    gc.collect()
    before = gc.mem_alloc()
    micropython.heap_lock()
    draw()
    micropython.heap_unlock()
    print(gc.mem_alloc() - before)
    """
    board, printed = run(textwrap.dedent(source))
    assert printed == "0\n"
    assert [frame.written for frame in board.panel.frames] == [10004, 10004]
    assert board.panel.image().getpixel((200, 40)) == (0, 0, 0)
    assert board.ring.leds[2] == (10, 20, 30)
    assert board.backlight == pytest.approx(0.5, abs=0.01)
    assert board.faults == []


def test_a_panel_behind_a_power_chip_stays_dark_until_the_chip_is_told(run):
    source = """
    from machine import I2C, Pin, SPI
    spi = SPI(1, sck=13, mosi=15)
    cs, dc = Pin(5, Pin.OUT, value=0), Pin(23, Pin.OUT, value=0)
    Pin(18, Pin.OUT, value=1)
    power = I2C(0, scl=Pin(22), sda=Pin(21))
    print(power.scan())
    power.writeto_mem(0x34, 0x28, b"\\xAC")
    %s
    spi.write(b"\\x11\\x29")
    """
    board, printed = run(textwrap.dedent(source % ""), "m5stick-c-plus")
    assert (printed, board.panel.on, board.backlight) == ("[52]\n", False, 0)
    told = "power.writeto(0x34, bytes((0x12, 0x4D)))"
    board, _ = run(textwrap.dedent(source % told), "m5stick-c-plus")
    assert (board.panel.on, board.backlight) == (True, 1)


def test_wiring_faults_are_told(run):
    source = """
    import machine, neopixel
    from machine import Pin, SPI
    machine.freq(250_000_000, 250_000_000)
    SPI(0, baudrate=125_000_000, sck=Pin(18), mosi=Pin(19))
    SPI(0, baudrate=10_000_000, polarity=1, sck=Pin(18), mosi=Pin(19))
    SPI(1, sck=10, mosi=11).write(b"x")
    neopixel.NeoPixel(Pin(3), 1).write()
    """
    board, printed = run(textwrap.dedent(source))
    assert printed == ""
    assert board.faults == [
        "SPI at 125,000,000 Hz: the panel takes 62,500,000",
        "SPI with polarity 1 and phase 0: the panel reads rubbish",
        "SPI on pins that the panel does not hang on",
        "LED bits on GPIO 3: no ring there",
    ]


def test_what_is_sent_to_a_panel_in_reset_or_unselected_is_lost(run):
    source = """
    from machine import Pin, SPI
    spi = SPI(0, sck=18, mosi=19)
    cs, dc = Pin(17, Pin.OUT, value=1), Pin(16, Pin.OUT, value=0)
    on = b"\\x11\\x29"
    spi.write(on)
    cs(0)
    rst = Pin(20, Pin.OUT, value=0)
    spi.write(on)
    rst(1)
    %s
    """
    assert not run(textwrap.dedent(source % ""))[0].panel.on
    assert run(textwrap.dedent(source % "spi.write(on)"))[0].panel.on


def test_buttons_are_seen(boot):
    source = """
    import rp2
    from machine import Pin
    pin = Pin(15, Pin.IN, Pin.PULL_UP)
    print("ready")
    while True:
        if not pin.value():
            print("down")
            while not pin():
                pass
            print("up")
    """
    board = boot(textwrap.dedent(source))
    board.wait(lambda: "ready" in board.output)
    for times in (1, 2):
        board.press("a", ms=100)
        board.wait(lambda n=times: board.output.count("up") == n)
    assert board.output.replace("\r\n", " ").split() == ["ready"] + ["down", "up"] * 2


def test_the_heap_is_what_was_asked_for(run):
    _, printed = run("import gc\ngc.collect()\nprint(gc.mem_free())", heap="200k")
    assert 195 * 1024 <= int(printed) <= 215 * 1024
    _, printed = run("try:\n bytearray(210000)\nexcept MemoryError:\n print('no')", heap="200k")
    assert printed == "no\n"
