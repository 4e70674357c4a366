"""From power to the loop: a face on the panel, the rest behind it; and what follows a crash."""

import binascii
import gc
import io
import sys
import time

import machine

from aora import ticks
from aora._shim import const
from aora.display import panel

_CRASH_S = const(8)


def _now():
    return time.ticks_ms() & ticks.MASK  # pyright: ignore[reportOperatorIssue]


def _first_face(board):
    """(settings, screen): an idle face is lit, before most of the firmware is loaded."""
    panel.reset(board)
    import aora.display.canvas
    import aora.display.stage  # noqa: F401  # both while the panel recovers
    from aora.settings import Settings

    settings = Settings(board)
    panel.wake(board)
    from aora.display.screen import Screen

    screen = Screen(board, settings)
    screen.begin(_now())
    while screen.push():
        pass
    screen.brightness(settings.brightness)
    return settings, screen


def _assemble(board, settings, screen):
    gc.collect()
    gc.threshold(32768)  # loading leaves much behind: picked up early, the rest stays whole
    from aora.app import App
    from aora.buttons import buttons_of
    from aora.line import Line
    from aora.link.usb import Usb
    from aora.ring import Ring
    from aora.watchdog import Watchdog

    ring = Ring(board, settings) if settings.leds else None
    if ring:
        ring.off()
    link = Usb(Line())
    uid = str(binascii.hexlify(machine.unique_id()), "ascii")
    buttons = buttons_of(board)
    light = settings.brightness
    app = App(board, settings, screen, ring, link, buttons, uid, _now(), light)
    gc.threshold(-1)  # from here on the loop picks up, when nothing goes on
    return app, link, Watchdog(board.MCU)


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
        settings, screen = _first_face(board)
        app, link, watchdog = _assemble(board, settings, screen)
        app.talk.hello()
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
