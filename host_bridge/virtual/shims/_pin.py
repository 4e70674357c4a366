"""Pins: their levels are kept here; the host hears of those that nothing else reports."""

import _wire
from _config import CONFIG

_READ = object()  # the default of `value()`: None is a value, and false
_IN, _OUT, _OPEN = range(3)
_FLOATING = 2  # what the host writes for a pin that nothing drives
BOOTSEL = 255

# Names and numbers as the ports have them; modes in the order of _IN, _OUT, _OPEN.
_RP2 = {
    "IN": 0,
    "OUT": 1,
    "OPEN_DRAIN": 2,
    "ALT": 3,
    "PULL_UP": 1,
    "PULL_DOWN": 2,
    "IRQ_FALLING": 4,
    "IRQ_RISING": 8,
    "ALT_SPI": 1,
    "ALT_UART": 2,
    "ALT_I2C": 3,
    "ALT_PWM": 4,
    "ALT_SIO": 5,
    "ALT_PIO0": 6,
    "ALT_PIO1": 7,
}
_ESP32 = {
    "IN": 1,
    "OUT": 3,
    "OPEN_DRAIN": 7,
    "PULL_DOWN": 1,
    "PULL_UP": 2,
    "IRQ_RISING": 1,
    "IRQ_FALLING": 2,
    "WAKE_LOW": 4,
    "WAKE_HIGH": 5,
    "DRIVE_0": 0,
    "DRIVE_1": 1,
    "DRIVE_2": 2,
    "DRIVE_3": 3,
}
RP2 = CONFIG["mcu"].startswith("rp2")

levels = bytearray(64)
modes = bytearray(64)
_pulls = bytearray(64)
_busy = bytearray(64)  # pins whose changes are told by the bus that they belong to
for _pin in CONFIG["busy"]:
    _busy[_pin] = 1

_inputs = open(CONFIG["inputs"], "rb")
_seek = _inputs.seek
_fill = _inputs.readinto
_one = bytearray(1)


def driven(at):
    """What the host drives this pin to: 0, 1, or _FLOATING."""
    _seek(at)
    _fill(_one)
    return _one[0]


def number(pin):
    """The GPIO of a pin, a number or a name; ValueError as the port words it."""
    if isinstance(pin, Pin):
        return pin._id
    if isinstance(pin, str):
        digits = pin.replace("GPIO", "").replace("GP", "")
        if RP2 and digits != pin and digits.isdigit() and int(digits) in CONFIG["pins"]:
            return int(digits)
        if pin in CONFIG["names"]:
            return CONFIG["names"][pin]
        raise ValueError(f'unknown named pin "{pin}"' if RP2 else "invalid pin")
    if isinstance(pin, int) and pin in CONFIG["pins"]:
        return pin
    raise ValueError("invalid pin")


def _show(at):
    if not _busy[at]:
        _wire.send(_wire.PIN, at, levels[at] if modes[at] == _OUT else _FLOATING)


def _sense(at):
    if modes[at] == _OUT or (modes[at] == _OPEN and not levels[at]):
        return levels[at]
    level = driven(at)
    if level != _FLOATING:
        return level
    if at in CONFIG["pulled_up"]:
        return 1
    return 1 if _pulls[at] & Pin.PULL_UP else 0


class _Names:
    """`Pin.board` and `Pin.cpu`."""

    def __getattr__(self, name):
        try:
            return Pin(name)
        except ValueError:
            raise AttributeError(name)


class Pin:
    board = cpu = _Names()

    def __init__(self, id, *args, **kwargs):
        self._id = number(id)
        if args or kwargs:
            self.init(*args, **kwargs)

    def _init(self, mode, pull, value):
        at = self._id
        if value is not _READ:
            levels[at] = 1 if value else 0
        if mode is not None:
            modes[at] = self._mode(mode)
            if modes[at] == _OPEN and value is _READ:
                levels[at] = 1
        if pull != -1:
            _pulls[at] = 0 if pull is None else pull
        _show(at)

    def _mode(self, mode):
        for index, name in enumerate(("IN", "OUT", "OPEN_DRAIN")):
            if mode == getattr(Pin, name):
                if index != _IN and self._id in CONFIG["input_only"]:
                    raise ValueError("pin can only be input")
                return index
        if not isinstance(mode, int):
            raise TypeError("can't convert to int")
        return _IN

    def __call__(self, value=_READ):
        at = self._id
        if value is _READ:
            return _sense(at)
        level = 1 if value else 0
        if levels[at] != level:
            levels[at] = level
            _show(at)

    def value(self, value=_READ):
        at = self._id
        if value is _READ:
            return _sense(at)
        level = 1 if value else 0
        if levels[at] != level:
            levels[at] = level
            _show(at)

    def on(self):
        self(1)

    def off(self):
        self(0)

    def toggle(self):
        self(levels[self._id] ^ 1)

    def __eq__(self, other):
        return isinstance(other, Pin) and other._id == self._id

    def __hash__(self):
        return self._id

    def __repr__(self):
        mode = ("IN", "OUT", "OPEN_DRAIN")[modes[self._id]]
        return f"Pin(GPIO{self._id}, mode={mode})" if RP2 else f"Pin({self._id})"


def _init_rp2(self, mode=None, pull=None, *, value=None, alt=5):
    if mode == Pin.ALT and not 0 < alt < 10:
        raise ValueError(f"invalid pin af: {alt}")
    self._init(mode, pull, _READ if value is None else value)


def _init_esp32(self, mode=None, pull=-1, *, value=_READ, drive=2, hold=False):
    self._init(mode, pull, value)


for _name, _value in (_RP2 if RP2 else _ESP32).items():
    setattr(Pin, _name, _value)
Pin.init = _init_rp2 if RP2 else _init_esp32
if RP2:
    Pin.high = Pin.on
    Pin.low = Pin.off
