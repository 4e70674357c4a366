"""From power to the loop: dark LEDs, panel, link, then light; and what happens after a crash."""

import binascii
import gc
import io
import sys
import time

import machine

from aora import ticks
from aora._shim import const
from aora.app import App
from aora.buttons import buttons_of
from aora.display.screen import Screen
from aora.line import Line
from aora.link.usb import Usb
from aora.ring import Ring
from aora.settings import Settings
from aora.watchdog import Watchdog

_CRASH_S = const(8)


def _now():
    return time.ticks_ms() & ticks.MASK  # pyright: ignore[reportOperatorIssue]


def _assemble(board):
    settings = Settings(board)
    ring = Ring(board, settings) if settings.leds else None
    if ring:
        ring.off()
    screen = Screen(board, settings)
    link = Usb(Line())
    uid = str(binascii.hexlify(machine.unique_id()), "ascii")
    app = App(board, settings, screen, ring, link, buttons_of(board), uid, _now())
    return app, link, screen


def _loop(app, link, watchdog):
    """Steps until a setting wants a new start."""
    step = app.step
    feed = watchdog.feed
    while not (app.restart and not link.out.pending()):
        step(_now())
        feed()


def _reason(error):
    text = io.BytesIO()
    sys.print_exception(error, text)  # pyright: ignore
    return str(text.getvalue(), "utf-8")  # pyright: ignore[reportAttributeAccessIssue]


def run(board):
    """Runs the face of this board (its aora_board module) until somebody breaks in."""
    screen = watchdog = None
    try:
        app, link, screen = _assemble(board)
        app.talk.hello()
        gc.threshold(-1)  # from here on the loop picks up, when nothing goes on
        watchdog = Watchdog(board.MCU)
        _loop(app, link, watchdog)
    except Exception as error:
        reason = _reason(error)
        print(reason)
        if screen:
            screen.crash(reason)
        _linger(watchdog)
    finally:
        if watchdog:
            watchdog.stop()
    machine.soft_reset()


def _linger(watchdog):
    """Leaves time to read the reason, and to break in, before the board starts again."""
    for _ in range(_CRASH_S):
        if watchdog:
            watchdog.feed()
        time.sleep(1)
