"""From a fresh interpreter to a board: peripherals, flash, then its boot.py and main.py."""

import gc
import sys

import _wire
import vfs
from _config import CONFIG

_PRIVATE = ("_wire", "_config", "_pin", "_spi", "_i2c", "_pwm", "_flash", "_stdio", "_boot")


def prepare():
    """Loads what a board has built in, then leaves nothing but the flash to import from."""
    _wire.connect(CONFIG["events"])
    import machine
    import neopixel

    if CONFIG["mcu"].startswith("rp2"):
        import rp2
    import _flash
    import _stdio

    flash = _flash.Flash(CONFIG["flash"], CONFIG["flash_size"])
    _stdio.install()
    sys.path[:] = ["", ".frozen", "/lib"]
    vfs.umount("/")
    vfs.mount(flash, "/")
    for name in _PRIVATE:
        sys.modules.pop(name, None)
    gc.collect()
    _wire.tell(f"ready {gc.mem_alloc()}")


def run(name, space):
    """Runs a script of the flash if there is one; its exception is printed, as on a board."""
    import os
    import sys

    if name not in os.listdir("/"):
        return
    try:
        execfile(name, space)
    except SystemExit:
        sys.modules["machine"]._gone("exit")
    except BaseException as error:
        sys.print_exception(error, sys.stdout)


def go(space):
    """Starts the board; `space` is what its scripts and its REPL have for globals."""
    prepare()
    space.clear()
    space["__name__"] = "__main__"
    run("boot.py", space)
    if CONFIG["main"]:
        run("main.py", space)
    _wire.tell("repl")
