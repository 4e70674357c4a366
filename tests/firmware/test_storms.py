"""What a host or a cable may do to a board, and the face is right all the same."""

import random
import threading
import time

import pytest

from tests.firmware.conftest import PATIENCE_S


def _noise(chance):
    """Something that is no message: what programs and broken cables send."""
    return chance.choice(
        (
            b"AT\r\nAT+CGMI\r\nATZ\r\n",
            bytes(b for b in chance.randbytes(200) if b not in (3, 10)) + b"\n",
            b'{"session_id":"half","aoraBotId":"3\n',
            b'{"session_id":"long","tips":"' + b"x" * 10_000 + b'"}\n',
            b"\r\n\r\n",
            b"\x00\x00\n",
        )
    )


@pytest.mark.parametrize("seconds", (3, pytest.param(10, marks=pytest.mark.soak)))
def test_every_event_between_garbage_is_shown(host, seconds):
    chance = random.Random(seconds)
    end = time.monotonic() + seconds
    seq = 0
    while time.monotonic() < end:
        for _ in range(chance.randrange(1, 6)):
            host.raw(_noise(chance))
        seq += 1
        code = ("33", "34", "38")[seq % 3]
        host.send({"session_id": f"s{seq}", "aoraBotId": code, "seq": seq})
        assert host.shown(code, f"s{seq}")["seq"] == seq
        host.send({"session_id": f"s{seq}", "end": True})
    host.send({"ping": 1, "min": 0})
    assert host.hear(lambda said: "pong" in said)["stats"]["bad"] > seq


@pytest.mark.parametrize("cut", (1, 7, 63, 64, 65, 128))
def test_lines_may_arrive_in_any_pieces(host, cut):
    text = b"".join(
        b'{"session_id":"a","aoraBotId":"%d","tips":"%s","seq":%d}\r\n' % (40 + n % 5, b"t" * n, n)
        for n in range(1, 120, 7)
    )
    for start in range(0, len(text), cut):
        host.raw(text[start : start + cut])
    for n in range(1, 120, 7):
        assert host.hear(lambda said: "ack" in said)["ack"] == n


@pytest.mark.parametrize("length", (63, 64, 65, 128, 512, 1023))
def test_lines_of_any_length_are_taken(host, length):
    frame = b'{"session_id":"a","aoraBotId":"32","seq":5,"x":"%s"}\n'
    host.raw(frame % (b"x" * (length - len(frame) + 2)))
    assert host.hear(lambda said: "ack" in said)["ack"] == 5


def test_a_burst_is_taken_whole(host):
    host.send(
        *[
            {"session_id": f"s{n % 9}", "aoraBotId": "43", "tips": "t" * 60, "seq": n}
            for n in range(200)
        ]
    )
    for n in range(200):
        assert host.hear(lambda said: "ack" in said)["ack"] == n


@pytest.mark.parametrize("seconds", (6, pytest.param(60, marks=pytest.mark.soak)))
def test_a_host_that_does_not_read(plug, seconds):
    """The face follows, nothing grows, and what was not sent is counted."""
    host = plug()
    host.send({"ping": 1, "min": 0})
    free = host.hear(lambda said: "pong" in said)["stats"]["heap_free"]
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        n += 1
        code = 40 + n % 5
        host.send({"session_id": f"s{n % 5}", "aoraBotId": str(code), "tips": f"n {n}", "seq": n})
        host.send({"ping": n, "min": 0})
        time.sleep(0.005)
    before = host.board.panel.rgb()
    host.send({"session_id": "end", "aoraBotId": "35", "seq": 999_999})
    host.board.wait(lambda: host.board.panel.rgb() != before)
    host.drain()
    host.send({"ping": 999_999_999, "min": 0})
    stats = host.hear(lambda said: said.get("pong") == 999_999_999)["stats"]
    assert stats["unsent"] > 50 and stats["heap_free"] >= free - 2000
    host.send({"session_id": "again", "aoraBotId": "34", "seq": 1_000_000})
    host.shown("34", "again")


def test_breaking_in_and_starting_again(host):
    host.raw(b"\x03")
    host.board.wait(lambda: host.board.repl)
    boots = host.board.boots
    host.raw(b"\x04")
    host.board.wait(lambda: host.board.boots > boots and not host.board.repl)
    host.greet()
    host.send({"session_id": "a", "aoraBotId": "32"})
    host.shown("32")


def _busy(host, n, stop):
    """Keeps a board writing settings and showing events until told to stop."""
    while not stop.is_set():
        try:
            host.send({"session_id": f"s{n}", "aoraBotId": "34", "seq": n})
            host.send({"set": {"brightness": 20 + n % 80}})
        except OSError:
            return


@pytest.mark.parametrize("times", (20, pytest.param(1000, marks=pytest.mark.soak)))
def test_reset_in_the_middle_of_anything(plug, times):
    """Whatever it was doing, it boots to a face."""
    chance = random.Random(times)
    host = plug()
    board = host.board
    for n in range(times):
        stop = threading.Event()
        boots = board.boots
        thread = threading.Thread(target=_busy, args=(host, n, stop))
        thread.start()
        time.sleep(chance.random() * 0.2)
        (board.reset if n % 2 else board.power_cycle)()
        stop.set()
        thread.join(PATIENCE_S)
        host.close()
        board.wait(lambda boots=boots: board.boots > boots)
        host = type(host)(board)
        host.greet()
        board.wait(lambda: board.panel.on and any(board.panel.rgb()))
    host.close()
