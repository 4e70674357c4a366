"""Runs every bench and writes bench.json: python -m tests.bench.run [--only NAME] [--out FILE]."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

BENCHES = ("core", "face", "bridge", "report")


def missed(row: dict[str, Any]) -> bool:
    """Whether a row with a target is on the wrong side of it."""
    if row["target"] is None:
        return False
    if row["better"] == "lower":
        return row["value"] > row["target"]
    return row["value"] < row["target"]


def table(rows: list[dict[str, Any]]) -> Table:
    shown = Table("what", "value", "unit", "target", box=None)
    for row in rows:
        target = "" if row["target"] is None else str(row["target"])
        style = "red" if missed(row) else None
        shown.add_row(row["name"], f"{row['value']:g}", row["unit"], target, style=style)
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=BENCHES, help="run this bench alone")
    parser.add_argument("--out", type=Path, default=Path("bench.json"))
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in options.only or BENCHES:
        rows += importlib.import_module(f"tests.bench.{name}").rows()
    options.out.write_text(json.dumps(rows, indent=1) + "\n")
    Console().print(table(rows))


if __name__ == "__main__":
    main()
