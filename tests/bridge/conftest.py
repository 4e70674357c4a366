"""Bridges for tests: started as a user starts them, stopped whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bridge.running import Running


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """start(*options, env={}) answers a running bridge; all are stopped at the end."""
    running: list[Running] = []

    def begin(*options: str, env: dict[str, str] | None = None) -> Running:
        running.append(Running(tmp_path / "home", *options, env=env))
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
