"""SPI: what is written goes to the host, with the levels of the panel's DC and CS."""

from array import array

import _wire
from _config import CONFIG
from _pin import RP2, levels, number

_DC = CONFIG["dc"]
_CS = CONFIG["cs"]
_PANEL = CONFIG["spi"]  # block, sck, mosi that the panel hangs on
_CASET = const(0x2A)
_RAMWR = const(0x2C)
_buses = {}
_command = 0  # the last one


def _addresses(buf):
    """Whether this belongs to a window's address: that does nothing until pixels follow."""
    global _command
    if levels[_DC]:
        return _CASET <= _command < _RAMWR
    _command = buf[-1] if len(buf) else 0
    return _CASET <= _command <= _RAMWR


class _Bus:
    """One SPI block; every `SPI(n)` is the same one."""

    def __init__(self, block):
        self.block = block
        self.baudrate = 0
        self.polarity = self.phase = 0
        self.bits = 8
        self.sck, self.mosi, self.miso = CONFIG["spi_default"][str(block)]


class SPI:
    MSB, LSB = (1, 0) if RP2 else (0, 1)

    def __init__(self, id=0 if RP2 else -1, *args, **kwargs):
        if not isinstance(id, int):
            raise TypeError("can't convert to int")
        if id not in CONFIG["spi_ids"]:
            raise ValueError(f"SPI({id}) doesn't exist")
        if id not in _buses:
            _buses[id] = _Bus(id)
        self._bus = bus = _buses[id]
        self._flags = 0
        if args or kwargs or not bus.baudrate:
            self._start(*args, **kwargs)

    def _start(self, baudrate=-1, *, sck=-1, mosi=-1, miso=-1, **kwargs):
        bus = self._bus
        for job, pin in (("sck", sck), ("mosi", mosi), ("miso", miso)):
            self._connect(job, pin)
        bus.polarity = bus.phase = 0
        bus.bits = 8
        self._set(baudrate if baudrate != -1 else (1_000_000 if RP2 else 500_000), **kwargs)

    def _connect(self, job, pin):
        bus = self._bus
        if isinstance(pin, int) and pin == -1:
            return
        if pin is None:
            if job == "miso" or not RP2:
                setattr(bus, job, None)
            return
        pin = number(pin)
        able = CONFIG["spi_pins"].get(f"{bus.block} {job}")
        if able is not None and pin not in able:
            raise ValueError(f"bad {job.upper()} pin")
        if job != "miso" and pin in CONFIG["input_only"]:
            raise OSError("invalid configuration")
        setattr(bus, job, pin)

    def init(self, baudrate=-1, **kwargs):
        for job in ("sck", "mosi", "miso"):
            if not RP2 and job in kwargs:
                self._connect(job, kwargs.pop(job))
        self._set(baudrate, **kwargs)

    def _set(self, baudrate=-1, *, polarity=-1, phase=-1, bits=-1, firstbit=-1):
        bus = self._bus
        for value in (baudrate, polarity, phase, bits, firstbit):
            if not isinstance(value, int):
                raise TypeError("can't convert to int")
        if RP2 and firstbit == SPI.LSB:
            raise NotImplementedError("LSB")
        if not RP2 and bits != -1 and bits <= 0:
            raise ValueError("invalid bits")
        if baudrate != -1:
            bus.baudrate = actual(baudrate)
        bus.polarity = bus.polarity if polarity == -1 else polarity
        bus.phase = bus.phase if phase == -1 else phase
        bus.bits = bus.bits if bits == -1 else bits
        here = [bus.block, bus.sck, bus.mosi] == _PANEL
        _wire.tell(f"spi {bus.block} {bus.baudrate} {bus.polarity} {bus.phase} {int(here)}")

    def deinit(self):
        pass

    def write(self, buf):
        if isinstance(buf, array):
            buf = bytes(buf)  # whose length is in bytes, not in items
        if not RP2 and not len(buf):
            raise ValueError("buffer too short")
        bus = self._bus
        # The panel is on one block; what goes to pins that lead nowhere is for the host to count.
        here = 1 if bus.sck == _PANEL[1] and bus.mosi == _PANEL[2] else 0
        selected = 0 if _CS is None else levels[_CS]
        _wire.write(levels[_DC] | selected << 1 | here << 2, buf, _addresses(buf))

    def read(self, nbytes, write=0):
        self.write(bytes((write,)) * nbytes)
        return bytes(nbytes)

    def readinto(self, buf, write=0):
        self.write(bytes((write,)) * len(buf))
        for i in range(len(buf)):
            buf[i] = 0

    def write_readinto(self, write_buf, read_buf):
        if len(write_buf) != len(read_buf):
            raise ValueError("buffers must be the same length")
        self.write(write_buf)
        for i in range(len(read_buf)):
            read_buf[i] = 0

    def __repr__(self):
        bus = self._bus
        return (
            f"SPI({bus.block}, baudrate={bus.baudrate}, polarity={bus.polarity}, "
            f"phase={bus.phase}, bits={bus.bits}, sck={bus.sck}, mosi={bus.mosi}, "
            f"miso={bus.miso})"
        )


def actual(baudrate):
    """The rate that the block's dividers come to, at most the one asked for."""
    if baudrate <= 0:
        raise ValueError("baudrate")
    source = peripheral[0]
    if not RP2:
        return source // max(1, -(-source // baudrate))
    for prescale in range(2, 256, 2):
        if source < (prescale + 2) * 256 * baudrate:
            break
    for divider in range(256, 0, -1):
        if divider == 1 or source // (prescale * (divider - 1)) > baudrate:
            break
    return source // (prescale * divider)


# The clock that SPI divides. RP2 boards start at 48 MHz whatever the processor runs at.
peripheral = [48_000_000 if RP2 else 80_000_000]
