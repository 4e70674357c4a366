"""PWM: frequency and duty go to the host; the two ports check differently."""

import _wire
from _config import CONFIG
from _pin import RP2, number

_UNSET = -1


def _integer(value):
    if not isinstance(value, int):
        raise TypeError("can't convert to int")
    return value


class PWM:
    def __init__(self, pin, *args, **kwargs):
        self._pin = number(pin)
        if self._pin in CONFIG["input_only"]:
            raise ValueError("invalid pin")
        self._freq = 0
        self._duty = _UNSET
        self._ns = _UNSET
        self._invert = False
        self.init(*args, **kwargs)

    def init(self, freq=-1, *, duty_u16=-1, duty_ns=-1, duty=-1, invert=-1, lightsleep=False):
        for value in (freq, duty_u16, duty_ns, duty, invert):
            _integer(value)
        if RP2 and (duty != -1 or lightsleep):
            raise TypeError("extra keyword arguments given")
        if invert != -1:
            self._invert = bool(invert)
        if not RP2 and freq == -1 and not self._freq:
            freq = 5000
        if not RP2 and self._duty == _UNSET and duty_u16 == duty_ns == duty == -1:
            duty_u16 = 32768
        if freq != -1:
            self._set_freq(freq)
        if duty != -1:
            self.duty(duty)
        if duty_u16 != -1:
            self.duty_u16(duty_u16)
        if duty_ns != -1:
            self.duty_ns(duty_ns)
        self._show()

    def _set_freq(self, freq):
        if RP2:
            if freq <= 0 or clock[0] // (65534 * freq) >= 255:
                raise ValueError("freq too small")
            if freq > clock[0]:
                raise ValueError("freq too large")
        elif not 0 < freq <= 40_000_000:
            raise ValueError("frequency must be from 1Hz to 40MHz")
        self._freq = freq
        if self._ns != _UNSET:
            self.duty_ns(self._ns)

    def _show(self):
        if self._freq and self._duty != _UNSET:
            duty = 65535 - self._duty if self._invert else self._duty
            _wire.send(_wire.PWM, self._pin, 0, duty, self._freq)

    def deinit(self):
        _wire.send(_wire.PIN, self._pin, 0)
        if not RP2:
            self._freq = 0
            self._duty = _UNSET

    def _active(self):
        if not RP2 and not self._freq:
            raise RuntimeError("PWM is inactive")

    def freq(self, value=None):
        self._active()
        if value is None:
            return self._freq
        self._set_freq(_integer(value))
        self._show()

    def duty_u16(self, value=None):
        self._active()
        if value is None:
            return self._duty if self._freq and self._duty != _UNSET else 0
        _integer(value)
        if not RP2 and not 0 <= value <= 65535:
            raise ValueError("duty_u16 must be from 0 to 65536")
        self._duty = value if value < 65535 else 65535
        self._ns = _UNSET
        self._show()

    def duty_ns(self, value=None):
        self._active()
        if value is None:
            return 0 if not self._freq else self.duty_u16() * 1_000_000_000 // (self._freq * 65535)
        period = 1_000_000_000 // (self._freq or 1)
        if not RP2 and not 0 <= _integer(value) <= period:
            raise ValueError(f"duty_ns must be from 0 to {period} ns")
        self.duty_u16(min(65535, value * 65535 // period))
        self._ns = value

    def _duty10(self, value=None):
        if value is None:
            return self.duty_u16() >> 6
        if not 0 <= _integer(value) <= 1023:
            raise ValueError("duty must be from 0 to 1023")
        self.duty_u16(65535 if value == 1023 else value << 6)

    def __repr__(self):
        if RP2:
            return f"<PWM slice={self._pin >> 1 & 7} channel={self._pin & 1} invert=0>"
        return f"PWM(Pin({self._pin}), freq={self._freq}, duty_u16={self._duty})"


if not RP2:
    PWM.duty = PWM._duty10

clock = [0]  # the processor's, set by `machine`
