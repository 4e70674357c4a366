"""All boards of a bridge: finds them, gives each link its time, and ties them to the hub."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from host_bridge.hub import Hub, clock_ms
from host_bridge.links.link import Link
from host_bridge.links.serial import Found, candidates, opener

LOOK_S = 1.0  # between two glances at whether any port came or went
LOOK_AGAIN = 30 if sys.platform == "linux" else 3  # glances after which all are listed anyway


class Boards:
    """Owns the links."""

    def __init__(self, hub: Hub) -> None:
        self.links: dict[str, Link] = {}
        self._hub = hub
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._finder: asyncio.Task[None] | None = None
        self._leader: Link | None = None
        self._present: set[str] = set()

    def add(self, address: str, key: str = "", vid: int | None = None, named: bool = True) -> Link:
        """A link to a port; `named`: the user asked for this very one."""
        link = Link(address, opener(vid), self, clock_ms, patient=named, wake=self._schedule)
        self.links[key or address] = link
        self._hub.links.append(link)
        self._schedule(link)
        return link

    def _schedule(self, link: Link) -> None:
        """The loop wakes for this link when it has something to do, and not before."""
        key = str(id(link))
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()
        wait = link.wait_ms(clock_ms())
        if wait is not None:
            loop = asyncio.get_running_loop()
            self._timers[key] = loop.call_later(wait / 1000, self._poll, link)

    def _poll(self, link: Link) -> None:
        link.poll()
        self._schedule(link)

    # Finding.

    def take(self, found: list[Found]) -> None:
        """These ports may be boards. One that has been away is tried afresh."""
        for port in found:
            link = self.links.get(port.key)
            if link is None:
                self.add(port.address, port.key, port.vid, named=False)
            elif port.key not in self._present:
                link.appeared(port.address)
        self._present = {port.key for port in found}

    def keep_looking(self) -> None:
        """Notices boards that are plugged in later."""
        self._finder = asyncio.ensure_future(self._find())

    async def _find(self) -> None:
        seen, glances = _devices(), 0
        while True:
            await asyncio.sleep(LOOK_S)
            glances += 1
            now = _devices()
            if now != seen or glances % LOOK_AGAIN == 0:
                self.take(await asyncio.to_thread(candidates))
            seen = now

    # What links tell.

    def snapshot_for(self, slots: int) -> list[dict[str, Any]]:
        return self._hub.snapshot_for(slots)

    def link_changed(self, link: Link) -> None:
        if link.state == "live" and (self._leader is None or self._leader.state != "live"):
            self._lead(link)
        self._hub.device_changed(link.describe())

    def board_says(self, link: Link, kind: str, value: Any) -> None:
        if kind == "shown":
            self._hub.shown(link.id, value)
        elif kind == "settings":
            if self._leader in (None, link):
                self._lead(link)
            self._hub.device_changed(link.describe())
        elif kind == "button":
            self._hub.device_changed({**link.describe(), "button": value})
            self._hub.seen()
        elif kind == "error":
            self._hub.device_changed({**link.describe(), "error": value})

    def _lead(self, link: Link) -> None:
        """The preview follows the settings of the first board."""
        self._leader = link
        if link.settings:
            self._hub.preview.configure(link.settings, link.slots)

    def close(self) -> None:
        """Lets go of every port."""
        if self._finder is not None:
            self._finder.cancel()
        for link in self.links.values():
            link.close()
        for timer in self._timers.values():
            timer.cancel()


def _devices() -> int:
    """A number that changes when a device file comes or goes, where there are such files."""
    return os.stat("/dev").st_mtime_ns if sys.platform != "win32" else 0
