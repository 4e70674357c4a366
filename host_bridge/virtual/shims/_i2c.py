"""I2C, as far as a power chip needs it: what is written to a register goes to the host."""

import _wire
from _config import CONFIG
from _pin import RP2, number

_ENODEV = const(19)
_PMIC = CONFIG["pmic"]  # address, scl, sda of the board's power chip; empty without one
_DEFAULT = {0: (5, 4), 1: (7, 6)} if RP2 else {0: (18, 19), 1: (25, 26)}


def _able(block, job, pin):
    """RP2: SCL on odd pins, SDA on even ones, the blocks in turn."""
    return not RP2 or (pin & 1 == (job == "SCL") and pin >> 1 & 1 == block)


class SoftI2C:
    def __init__(self, scl, sda, *, freq=400_000, timeout=50_000):
        self._pins = number(scl), number(sda)

    def _reach(self, address):
        if not _PMIC or address != _PMIC[0] or list(self._pins) != _PMIC[1:]:
            raise OSError(_ENODEV)

    def scan(self):
        return [_PMIC[0]] if _PMIC and list(self._pins) == _PMIC[1:] else []

    def writeto_mem(self, addr, memaddr, buf, *, addrsize=8):
        self._reach(addr)
        for i in range(len(buf)):
            _wire.tell(f"i2c {memaddr + i} {buf[i]}")

    def writeto(self, addr, buf, stop=True):
        self._reach(addr)
        for i in range(1, len(buf)):
            _wire.tell(f"i2c {buf[0] + i - 1} {buf[i]}")
        return len(buf)

    def readfrom_mem(self, addr, memaddr, nbytes, *, addrsize=8):
        self._reach(addr)
        return bytes(nbytes)


class I2C(SoftI2C):
    def __init__(self, id=-1, *, scl=None, sda=None, freq=400_000, timeout=50_000):
        if id not in _DEFAULT:
            raise ValueError(f"I2C({id}) doesn't exist")
        pins = _DEFAULT[id]
        scl = pins[0] if scl is None else number(scl)
        sda = pins[1] if sda is None else number(sda)
        for job, pin in (("SCL", scl), ("SDA", sda)):
            if not _able(id, job, pin):
                raise ValueError(f"bad {job} pin")
        super().__init__(scl, sda)
