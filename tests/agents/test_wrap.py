"""What `aora wrap` tells of a command, its name and never its arguments, and how both end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

from tests.bridge.running import AORA, Running

SECRET = "hunter2-correct-horse"
posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX system's signals and pipes")


@pytest.fixture
def bridge(tmp_path):
    bridge = Running(tmp_path, "--no-device")
    yield bridge
    bridge.stop()


@pytest.fixture
def start(bridge):
    """`aora wrap` of a command, half a minute at most; what is not asked for goes nowhere."""
    limits = []

    def start(*command: str, **more: Any) -> subprocess.Popen[Any]:
        nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        words = [AORA, "wrap", "--session", "w", "--", *command]
        process = subprocess.Popen(words, env=bridge.env, **{**nowhere, **more})
        limits.append(threading.Timer(30, process.kill))
        limits[-1].start()
        return process

    yield start
    for limit in limits:
        limit.cancel()


def told(bridge: Running) -> tuple[str, str]:
    """Code and caption that the command has on the face."""
    row = next(row for row in bridge.client.get("/sessions").json() if row["session_id"] == "w")
    return row["code"], row["tips"]


@pytest.mark.parametrize(
    ("config", "tips"),
    [
        ("", ["python", "python", "python: exit 3"]),
        ('captions = "full"', ["python", "python", "python: exit 3"]),
        ('captions = "off"', [None, None, None]),
    ],
)
def test_no_argument_of_a_wrapped_command_is_told(tmp_path, config, tips):
    (tmp_path / "config.toml").write_text(config)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.symlink_to(sys.executable)
    bridge = Running(tmp_path, "--no-device")
    try:
        script = "print('1/2', flush=True); import time; time.sleep(1); raise SystemExit(3)"
        done = bridge.aora("wrap", "--", str(python), "-c", script, f"--password={SECRET}")
        assert done.returncode == 3
        why, sessions = bridge.client.get("/why").text, bridge.client.get("/sessions").text
    finally:
        bridge.stop()
    log = bridge.aora("log").stdout
    said = [json.loads(line) for line in log.splitlines() if "aoraBotId" in line]
    assert [line["aoraBotId"] for line in said] == ["32", "47", "34"]
    assert [line.get("tips") for line in said] == tips
    for text in (log, why, sessions):
        assert SECRET not in text and "print" not in text and str(tmp_path) not in text


def test_a_command_without_a_plain_name_has_no_caption(tmp_path):
    bridge = Running(tmp_path, "--no-device")
    try:
        bridge.aora("wrap", "--", f"/no where/{SECRET} x", "--now")
    finally:
        bridge.stop()
    said = bridge.aora("log").stdout
    assert '"tips":"exit 127"' in said and SECRET not in said


@posix
@pytest.mark.parametrize(("stream", "redirect"), [("stdout", ""), ("stderr", ">&2")])
def test_a_command_whose_reader_goes_ends_as_it_would_alone(bridge, start, stream, redirect):
    """By SIGPIPE, be it the output's or the errors' reader; and its end is told."""
    done = start("sh", "-c", f"exec yes {redirect}", **{stream: subprocess.PIPE})
    with getattr(done, stream) as pipe:
        assert pipe.readline() == b"y\n"
    assert done.wait() == 128 + signal.SIGPIPE
    assert told(bridge) == ("34", "sh: exit 141")


@posix
@pytest.mark.parametrize("closed", [[1], [2], [1, 2]])
def test_a_closed_output_takes_nothing_and_holds_nothing(bridge, start, closed):
    done = start("sh", "-c", "echo out; echo err >&2", preexec_fn=lambda: [*map(os.close, closed)])
    assert done.wait() == 0
    assert told(bridge)[0] == "33"


@posix
def test_a_command_whose_terminal_goes_ends_as_it_would_alone(bridge, start):
    outer, inner = os.openpty()
    done = start("yes", stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    os.read(outer, 100)
    os.close(outer)
    assert done.wait() == 128 + signal.SIGHUP
    assert told(bridge) == ("34", "yes: exit 129")


CATCHES = """
import signal, sys, time
caught = []
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, lambda number, frame: caught.append(number))
print("ready", flush=True)
while not caught:
    time.sleep(0.01)
time.sleep(0.5)
print(caught, flush=True)
sys.exit(9)
"""


def default_interrupt() -> None:
    """A test may run in the background of a script, where SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def foreground() -> None:
    """The terminal that is standard input becomes the new session's own."""
    import fcntl
    import termios

    default_interrupt()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_until(fd: int, text: bytes) -> None:
    data = b""
    while text not in data:
        more = os.read(fd, 1000)
        assert more, data
        data += more


@posix
@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_for_wrap_is_the_command_s(bridge, start, number, terminal):
    """One that is killed by it is told as broken; one that catches it ends as it wants to."""
    for command, tips, status in (
        (("sh", "-c", "echo ready; exec sleep 60"), "sh", 128 + number),
        ((sys.executable, "-c", CATCHES), os.path.basename(sys.executable), 9),
    ):
        reader, writer = os.openpty() if terminal else os.pipe()
        options = {"preexec_fn": default_interrupt, "start_new_session": True}
        done = start(*command, stdout=writer, **options)
        os.close(writer)
        read_until(reader, b"ready")
        done.send_signal(number)
        if status == 9:
            read_until(reader, f"[{int(number)}]".encode())
        assert done.wait() == status
        assert told(bridge) == ("34", f"{tips}: exit {status}")
        os.close(reader)


@posix
def test_keys_reach_a_command_in_the_foreground_once(bridge, start):
    outer, inner = os.openpty()
    options = {"preexec_fn": foreground, "start_new_session": True, "stdout": subprocess.PIPE}
    done = start(sys.executable, "-c", CATCHES, stdin=inner, **options)
    assert done.stdout
    with done.stdout as out:
        assert out.readline() == b"ready\n"
        os.write(outer, b"\x03")
        assert out.read() == b"[2]\n"
    assert done.wait() == 9
    os.close(inner)
    os.close(outer)


@posix
def test_a_signal_that_is_ignored_stays_ignored(bridge, start):
    """As under nohup."""
    options = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    done = start("sh", "-c", "echo ready; read go", stdin=-1, stdout=-1, **options)
    assert done.stdout and done.stdout.readline() == b"ready\n"
    done.send_signal(signal.SIGHUP)
    done.communicate(b"go\n")
    assert (done.returncode, told(bridge)[1]) == (0, "sh")


@posix
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("other", ["cat", "yes"], ids=["silent", "busy"])
def test_others_that_hold_the_output_open_are_not_waited_for(bridge, start, other, stream):
    """Yet nothing that the command itself wrote is lost."""
    writes = "head -c 300000 /dev/zero | tr '\\0' x"
    script = f"exec 3<&0; {{ {other} <&3 & {writes}; }}{' >&2' * (stream == 'stderr')}"
    done = start("sh", "-c", script, stdin=subprocess.PIPE, **{stream: subprocess.PIPE})
    with getattr(done, stream) as pipe:
        assert pipe.read().count(b"x") == 300000
    assert done.wait() == 0
    assert told(bridge)[1] == "sh"
    assert done.stdin
    done.stdin.close()


@posix
def test_a_reader_that_takes_nothing_does_not_hold_what_is_told_to_end(bridge, start):
    done = start("sh", "-c", "echo ready; exec yes", stdout=subprocess.PIPE)
    assert done.stdout and done.stdout.readline() == b"ready\n"
    done.send_signal(signal.SIGTERM)
    assert done.wait() == 128 + signal.SIGTERM
    assert told(bridge) == ("34", "sh: exit 143")
    done.stdout.close()
