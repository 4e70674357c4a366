"""A bridge as a user starts it, on a port and in a home of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

AORA = str(Path(sys.executable).with_name("aora"))


def until(found: Callable[[], Any], seconds: float = 20) -> Any:
    """The first answer that is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := found():
            return answer
        time.sleep(0.05)
    raise TimeoutError


class Running:
    """`aora run` with its home, its url and a client."""

    def __init__(
        self,
        home: Path,
        *options: str,
        env: dict[str, str] | None = None,
        stdin: Any = subprocess.PIPE,
    ) -> None:
        self.home = home
        self.env = {**os.environ, "AORA_HOME": str(home), **(env or {})}
        self.process = subprocess.Popen(
            [AORA, "run", "--port", "0", *options],
            env=self.env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self._wait_for_url()
        self.client = httpx.Client(base_url=self.url, timeout=10)

    def _wait_for_url(self) -> str:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            assert self.process.poll() is None, self.process.communicate()
            where = self.home / "state" / "bridge.json"
            text = where.read_text().strip() if where.is_file() else ""
            if text and json.loads(text)["pid"] == self.process.pid:
                return json.loads(text)["url"]
            time.sleep(0.02)
        raise TimeoutError("the bridge does not start")

    @property
    def address(self) -> tuple[str, int]:
        url = httpx.URL(self.url)
        return url.host, url.port or 80

    def post(self, *messages: Any, **more: Any) -> httpx.Response:
        body = "\n".join(m if isinstance(m, str) else json.dumps(m) for m in messages)
        return self.client.post("/state", content=body.encode("utf-8", "surrogatepass"), **more)

    def face(self) -> dict[str, Any]:
        return self.client.get("/why").json()["face"]

    def device(self) -> dict[str, Any]:
        """Everything that is known of the first board, once there is one."""
        return until(self._devices)[0]

    def _devices(self) -> list[dict[str, Any]]:
        with httpx.stream("GET", f"{self.url}/events", timeout=10) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    return json.loads(line[6:])["devices"]
        raise EOFError("no snapshot")

    def raw(self, data: bytes) -> bytes:
        """What comes back for these bytes on a connection of their own."""
        with closing(socket.create_connection(self.address, 15)) as link:
            link.sendall(data)
            answer = b""
            while chunk := link.recv(65536):
                answer += chunk
            return answer

    def aora(self, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Another `aora` command of the same user."""
        return subprocess.run(
            [AORA, *words], env=self.env, capture_output=True, text=True, timeout=30, **more
        )

    def rss_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def stop(self, number: int = signal.SIGTERM) -> tuple[str, str]:
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=10)
        finally:
            self.process.kill()
