"""Tells the bridge of one event of an agent: `aora-report AGENT [--say REPLY] [--wait] [JSON]`.

Every hook starts this once, so it is run as `python -I -S report.py`, imports nothing but
what is built in and `_socket`, and is short: it is compiled anew each time. It prints REPLY
or nothing, always exits 0, and is gone after LIMIT_S whatever its input and the bridge do.
"""

import _socket
import _thread
import sys
import time

LIMIT_S = 0.25
MOST = 4 << 20
BLANK = b"\xef\xbb\xbf \t\r\n"
HEAD = """POST /hook/%s HTTP/1.1\r
Host: %s\r
Authorization: Bearer %s\r
X-Aora-Pid: %d\r
X-Aora-Tty: %s\r
Content-Type: application/json\r
Content-Length: %d\r
Connection: close\r
\r
"""

system = __import__("nt" if sys.platform == "win32" else "posix")


def expire() -> None:
    time.sleep(LIMIT_S)
    system._exit(0)


def is_whole(data: bytes) -> bool:
    """An object with no brace and no string open: its end is the input's, closed or not."""
    parts = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
    outside = b"".join(parts[::2])
    balanced = outside.count(b"{") == outside.count(b"}")
    return data[:1] == b"{" and len(parts) & 1 == 1 and balanced


def read_payload() -> bytes:
    data, chunk = b"", not system.isatty(0)
    while chunk:
        chunk = system.read(0, 65536)
        data = (data + chunk).lstrip(BLANK)
        if chunk.rstrip(BLANK).endswith(b"}") and is_whole(data):
            return data
        if len(data) > MOST:
            data = b"too much"  # read on all the same: the agent must not write to nobody
    return b""


def terminal(pid: int) -> str:
    """The agent's terminal, where a child may look at its parent's input."""
    try:
        name = system.readlink(f"/proc/{pid}/fd/0")
    except (OSError, AttributeError):
        return ""
    return name if name.startswith("/dev/") else ""


def setting(name: str, default: str) -> str:
    if system.__name__ == "nt":
        return system.environ.get(name) or default
    return system.environ.get(name.encode(), b"").decode() or default


def send(agent: str, payload: bytes, wait: bool) -> None:
    where = setting("AORA_URL", "http://127.0.0.1:27182").split("/")[2]
    host, _, port = where.rpartition(":")
    pid = system.getppid()
    words = agent, where, setting("AORA_TOKEN", ""), pid, terminal(pid), len(payload)
    link = _socket.socket(_socket.AF_INET6 if host[0] == "[" else _socket.AF_INET)
    link.connect((host.strip("[]"), int(port)))
    data = (HEAD % words).encode() + payload
    while data:
        data = data[link.send(data) :]
    if wait:
        link.recv(1)
    link.close()


def run(words: list) -> None:
    if "--say" in words:
        at = words.index("--say")
        system.write(1, words.pop(at + 1).encode())
        del words[at]
    wait = "--wait" in words
    if wait:
        words.remove("--wait")
    payload = words[1].encode("utf-8", "surrogateescape") if words[1:] else read_payload()
    if payload:
        send(words[0], payload, wait)


def main() -> None:
    _thread.start_new_thread(expire, ())
    try:
        run(sys.argv[1:])
    finally:
        system._exit(0)


if __name__ == "__main__":
    main()
