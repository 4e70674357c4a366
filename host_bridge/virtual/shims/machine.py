"""`machine` as the board's port has it, for what the firmware may use.

Missing on purpose, as on a chip without them: ADC, UART, Timer, RTC, pin interrupts. What
is here accepts and refuses what the real one does.
"""

import sys
import time

import _pin
import _pwm
import _spi
import _wire
from _config import CONFIG
from _i2c import I2C, SoftI2C
from _pin import RP2, Pin
from _pwm import PWM
from _spi import SPI

_CLOCKS = {"rp2040": 125_000_000, "rp2350": 150_000_000}
_WATCHDOG_MAX = {"rp2040": 8388, "rp2350": 16777}
_WATCHDOG_OFF = {"rp2040": 0x4005B000, "rp2350": 0x400DB000}  # clears bits of its control
_WATCHDOG_ENABLE = const(1 << 30)
PWRON_RESET = 1
WDT_RESET = 3
if not RP2:
    HARD_RESET = 2
    DEEPSLEEP_RESET = 4
    SOFT_RESET = 5

soft_reset = sys.exit


def freq(hz=None, peripheral=None):
    if hz is None:
        return _pwm.clock[0]
    if RP2:
        _check_pll(hz)
        if peripheral not in (None, 48_000_000, hz):
            raise ValueError("peripheral freq must be 48_000_000 or the same as the MCU freq")
        if peripheral is not None:
            _spi.peripheral[0] = peripheral
    elif peripheral is not None:
        raise TypeError("function expected at most 1 arguments, got 2")
    elif hz // 1_000_000 not in CONFIG["clocks"]:
        raise ValueError("frequency must be 20MHz, 40MHz, 80Mhz, 160MHz or 240MHz")
    _pwm.clock[0] = hz - hz % (1000 if RP2 else 1_000_000)
    _wire.tell(f"freq {_pwm.clock[0]} {_spi.peripheral[0]}")


def _check_pll(hz):
    """Whether the system PLL, fed with 12 MHz, can make this."""
    khz = hz // 1000
    for feedback in range(320, 15, -1):
        vco = feedback * 12_000
        if not 750_000 <= vco <= 1_600_000 or vco % khz:
            continue
        for first in range(7, 0, -1):
            for second in range(first, 0, -1):
                if first * second * khz == vco:
                    return
    raise ValueError("cannot change frequency")


def unique_id():
    return bytes.fromhex(CONFIG["uid"])


def reset_cause():
    return CONFIG["cause"]


def _gone(word):
    """Tells the host, which ends this process; what waits in `finally` never runs."""
    _wire.tell(word)
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass


def reset():
    _gone("reset")


def bootloader(timeout=None):
    _gone("bootloader")


def idle():
    time.sleep_ms(0)


def lightsleep(ms=0):
    time.sleep_ms(ms)


def deepsleep(ms=0):
    time.sleep_ms(ms)
    reset()


def disable_irq():
    return 0


def enable_irq(state):
    pass


def bitstream(pin, encoding, timing, data):
    at = _pin.number(pin)
    if encoding != 0:
        raise ValueError("encoding")
    if len(timing) != 4:
        raise ValueError(f"requested length 4 but object has length {len(timing)}")
    zero = timing[0] | timing[1] << 16
    one = timing[2] | timing[3] << 16
    if _pin.modes[at] == 1:
        _wire.send(_wire.BITS, at, 0, zero, one, data)


class WDT:
    """The host resets the board when this is not fed. It hears of a quarter of the feeds."""

    def __init__(self, id=0, timeout=5000):
        if id != 0:
            raise ValueError(f"WDT({id}) doesn't exist" if RP2 else "")
        longest = _WATCHDOG_MAX.get(CONFIG["mcu"])
        if longest and not 0 <= timeout <= longest:
            raise ValueError(f"timeout exceeds {longest}")
        if timeout <= 0 and not RP2:
            raise ValueError("WDT timeout too short")
        self._quarter = timeout >> 2
        self._timeout = timeout
        self._told = time.ticks_ms()
        _wire.send(_wire.WATCHDOG, 0, 0, timeout)

    def feed(self):
        now = time.ticks_ms()
        if time.ticks_diff(now, self._told) >= self._quarter:
            self._told = now
            _wire.send(_wire.WATCHDOG, 0, 0, self._timeout)


class _Registers:
    """Memory by address: nothing is there but what switches an RP2's watchdog off."""

    def __setitem__(self, address, value):
        if address != _WATCHDOG_OFF.get(CONFIG["mcu"]):
            raise NotImplementedError(f"no register at {address:#x} here")
        if value & _WATCHDOG_ENABLE:
            _wire.send(_wire.WATCHDOG)


mem32 = _Registers()
_pwm.clock[0] = _CLOCKS.get(CONFIG["mcu"], 160_000_000)
