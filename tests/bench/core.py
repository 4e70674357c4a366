"""What a message costs in the core, on MicroPython's unix build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def rows() -> list[dict[str, Any]]:
    paths = [ROOT / "firmware", ROOT / "tests" / "core", ROOT / "tests" / "bench"]
    done = subprocess.run(
        [Path(sys.prefix) / "bin" / "micropython", ROOT / "tests" / "bench" / "mp_core.py"],
        env={**os.environ, "MICROPYPATH": ":".join(map(str, paths))},
        capture_output=True,
        text=True,
        check=True,
    )
    cost = json.loads(done.stdout)
    one, four, sixteen = cost["sessions"]
    return [
        _row("message.allocated", cost["fixed_bytes"], "bytes", 0),
        _row("message.time", cost["fixed_ns"] / 1000, "us", None),
        _row("message.time.reference", cost["plain_ns"] / 1000, "us", None),
        _row("message.ratio", cost["fixed_ns"] / cost["plain_ns"], "ratio", 1.0),
        _row("message.sessions.4to1", four / one, "ratio", None),
        _row("message.sessions.16to1", sixteen / one, "ratio", 1.5),
    ]


def _row(name: str, value: float, unit: str, target: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "better": "lower",
        "target": target,
    }
