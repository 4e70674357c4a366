"""What of a payload may be read by a passer-by: a verb, a file's base name, a command's word.

Everything here returns text that is safe to show and to log, or nothing.
"""

from __future__ import annotations

import re

NAME_MOST = 40
WORD_MOST = 24

_COMMAND = re.compile(
    r"(?:(?:[A-Za-z]:|~)?/|(?=\w|\.))(?:[\w.+-]+/)*([A-Za-z0-9][A-Za-z0-9._+-]*)\Z"
    r"|(?:[A-Za-z]:|\.{1,2})\\(?:[\w.+-]+\\)*([A-Za-z0-9][A-Za-z0-9._+-]*)\Z"
)
_TOKEN = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[a-z]|npm|hf|pypi|ya29|AKIA|ASIA|AIza"
    r"|eyJ)[-_A-Za-z0-9.]{12,}"
    r"|(?=(?:[A-Za-z]*\d){3})(?=\d*[A-Za-z])[A-Za-z0-9]{20,}"
)
_EXTENSION = re.compile(r"\.\w{1,8}\Z")
_HOMES = ("home", "users")


def looks_secret(word: str) -> bool:
    """True for what may be a key, a token or an address."""
    return "@" in word or _TOKEN.search(word) is not None


def file_name(path: object) -> str:
    """Base name of a path of any system; nothing for a home folder or a doubtful name."""
    if not isinstance(path, str):
        return ""
    parts = [part for part in re.split(r"[/\\]+", path[:4096]) if part]
    if not parts or _is_home(path[:4096]):
        return ""
    name = re.split(r"[?#]", parts[-1])[0].strip()
    if name in ("~", ".", "..") or looks_secret(name) or not name.isprintable():
        return ""
    if " " in name and not _EXTENSION.search(name):  # as likely a sentence as a name
        return ""
    return name if len(name) <= NAME_MOST else name[: NAME_MOST - 1] + "…"


def _is_home(path: str) -> bool:
    parts = [part for part in re.split(r"[/\\]+", path) if part]
    return len(parts) > 1 and parts[-2].lower() in _HOMES


def command_word(word: str) -> str:
    """A command's own name, without its folder; nothing unless it is a plain word."""
    found = _COMMAND.match(word)
    name = (found[1] or found[2]) if found else ""
    plain = len(name) <= WORD_MOST and not looks_secret(name)
    return name if plain and not _is_home(word) else ""


def inside(path: object, folder: object) -> str:
    """The path below the agent's folder, each part as harmless as a base name; else ""."""
    if not isinstance(path, str) or not isinstance(folder, str) or not folder.strip("/\\"):
        return ""
    head = folder.rstrip("/\\")
    if not path.startswith(head) or path[len(head) : len(head) + 1] not in ("/", "\\"):
        return ""
    parts = re.split(r"[/\\]+", path[len(head) + 1 :])
    if ".." in parts or not all(file_name("x/" + part) == part for part in parts):
        return ""
    return "/".join(parts)
