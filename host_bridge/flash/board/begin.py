# pyright: reportMissingImports=false
# Before anything else: a watchdog that the interrupted program started would reset the board in
# the middle of copying. An RP2's is stopped in its register, an ESP32's is given ten minutes.
import sys


def _rest():
    import machine

    if sys.platform == "rp2":
        base = 0x40058000 if "RP2040" in sys.implementation._machine else 0x400D8000
        machine.mem32[base + 0x3000] = 1 << 30
    elif sys.platform == "esp32":
        machine.WDT(timeout=600_000)


try:  # noqa: SIM105
    _rest()
except Exception:
    pass  # no such register, no such part: nothing to rest
