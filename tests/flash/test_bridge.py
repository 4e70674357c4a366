"""A running bridge gives the port up for a flash and has it again after."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from host_bridge.flash import bridge
from host_bridge.virtual import VirtualBoard

from .test_person import HEAP, aora


@pytest.fixture
def running(tmp_path, monkeypatch):
    """(board, bridge's URL): a real bridge with a real firmware on a virtual board."""
    with VirtualBoard(home=tmp_path / "board", heap=HEAP) as board:
        words = ["run", "--port", "0", "--device", board.port]
        run = [sys.executable, "-m", "host_bridge.cli", *words]
        environ = {**os.environ, "AORA_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            run, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ
        )
        try:
            monkeypatch.setenv("AORA_URL", _url(process))
            _live(board.port)
            yield board
        finally:
            process.terminate()
            process.wait(10)


def _url(process):
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return found[0]
    raise AssertionError("the bridge ended")


def _live(port):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if any(d["link"] == "live" and d["port"] == port for d in bridge.devices()):
            return
        time.sleep(0.05)
    raise AssertionError(bridge.devices())


def test_the_port_is_given_up_for_a_flash_and_taken_back(running):
    done = aora("flash", "pico-generic", "--port", running.port, "--yes")
    assert done.returncode == 0, done.stderr
    assert "The bridge gives the port up" in done.stdout and "Hello from" in done.stdout
    _live(running.port)


def test_settings_go_to_the_board_of_the_bridge(running):
    done = aora("set", "brightness=31")
    assert done.returncode == 0, done.stderr
    assert "pico-generic " in done.stdout and "brightness=31" in done.stdout
    _live(running.port)
    assert " 31 " in aora("get", "brightness", "--device", bridge.devices()[0]["id"]).stdout
    _live(running.port)
    name = "desk-face"
    assert aora("set", f"name={name}", "--device", bridge.devices()[0]["id"]).returncode == 0
    _live(running.port)
    assert " 31 " in aora("get", "brightness", "--device", name).stdout
    _live(running.port)
    missing = aora("get", "--device", "nobody")
    assert missing.returncode == 1 and "no board nobody found" in missing.stderr


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_at_the_questions_leaves_a_face_and_its_bridge(running, name):
    words = ["flash", "pico-generic", "--port", running.port]
    run = [sys.executable, "-m", "host_bridge.cli", *words]
    with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        heard = b""
        while b"Which corner" not in heard:
            heard += os.read(asking.stdout.fileno(), 4096) or pytest.fail(heard.decode())
        deadline = time.monotonic() + 20
        while asking.poll() is None and time.monotonic() < deadline:
            asking.send_signal(getattr(signal, name))  # one just before the read would wait
            time.sleep(0.1)
        assert asking.poll() == 128 + getattr(signal, name)
    _live(running.port)


def test_the_port_is_ours_for_as_long_as_it_takes(running, monkeypatch):
    monkeypatch.setattr(bridge, "RELEASE_S", 1)
    with bridge.released(running.port) as had:
        assert had
        time.sleep(2.5)
        assert [d["link"] for d in bridge.devices() if d["port"] == running.port] == ["found"]
    _live(running.port)
