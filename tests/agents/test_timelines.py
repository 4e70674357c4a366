"""What agents send over a whole turn, through the HTTP door, to the face.

`NAME.ndjson` is what hooks post and when, `NAME.expect.ndjson` what the boards are told,
`NAME.face.ndjson` each change of the face.
"""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from host_bridge import http
from host_bridge.hub import Hub
from tests.agents.timeline import FOLDER, Player, faces, play

NAMES = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.face.ndjson"))


def lines(name: str, kind: str) -> list[str]:
    return (FOLDER / f"{name}.{kind}.ndjson").read_text("utf-8").splitlines()


class Door:
    """Posts each payload to the bridge's own HTTP application."""

    def __init__(self) -> None:
        self.player: Player | None = None
        api = http.Api(Hub(), self._hook)
        app = http.application(api, token="", origins=[], anywhere=False)
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:27182"
        )
        self.loop = asyncio.new_event_loop()

    def _hook(self, agent, payload, headers) -> None:
        assert self.player is not None
        self.player.sessions.hook(agent, payload, headers)

    def __call__(self, player: Player, step) -> None:
        self.player = player
        headers = {"X-Aora-Pid": str(step.get("pid", ""))}
        post = self.client.post(f"/hook/{step['agent']}", json=step["payload"], headers=headers)
        answer = self.loop.run_until_complete(post)
        assert (answer.status_code, answer.content) == (204, b"")


@pytest.fixture(scope="module")
def door():
    door = Door()
    yield door
    door.loop.run_until_complete(door.client.aclose())
    door.loop.close()


@pytest.mark.parametrize("name", NAMES)
def test_what_the_boards_are_told_and_show(name, door):
    player = play(name, door)
    assert player.messages == [json.loads(line) for line in lines(name, "expect")]
    assert faces(player.messages) == lines(name, "face")


def test_every_timeline_has_its_answers():
    given = {p.stem for p in FOLDER.glob("*.ndjson") if p.name.count(".") == 1}
    assert given == set(NAMES)
