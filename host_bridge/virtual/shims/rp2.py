"""`rp2`: the BOOTSEL button. No DMA and no PIO: there is no bus for them to drive."""

import _pin


def bootsel_button():
    return 1 if _pin.driven(_pin.BOOTSEL) == 0 else 0
