"""Bridges for tests: started as a user starts them, stopped whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bridge.running import Running


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """start(*options, env={}, stdin=file) answers a running bridge; all are stopped at the end."""
    running: list[Running] = []

    def begin(*options: str, **more: Any) -> Running:
        running.append(Running(tmp_path / "home", *options, **more))
        return running[-1]

    yield begin
    for bridge in running:
        bridge.stop()


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One bridge without a board for a file's tests; each uses sessions of its own."""
    running = Running(tmp_path_factory.mktemp("home"), "--no-device")
    yield running
    running.stop()
