"""Why the face shows what it shows, in data and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from host_bridge.preview import Preview, is_event, is_held


def explain(preview: Preview, sources: Mapping[str, str], now_ms: int) -> dict[str, Any]:
    """The face, why it is there, and what waits behind it."""

    def with_source(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, "source": sources.get(row["session_id"], "")} for row in rows]

    face = preview.face()
    sessions = with_source(preview.sessions(now_ms))
    behind = [row for row in sessions if row["session_id"] != face["session_id"]]
    behind.sort(key=lambda row: (row["headless"], -row["priority"], row["age_ms"]))
    return {
        "face": {
            **face,
            "since_ms": max(0, now_ms - preview.face_since()),
            "source": sources.get(face["session_id"] or "", ""),
        },
        "reason": _reason(preview, face, sessions),
        "session": next((r for r in sessions if r["session_id"] == face["session_id"]), None),
        "queued": with_source(preview.waiting(now_ms)),
        "behind": behind,
    }


def _reason(preview: Preview, face: dict[str, Any], sessions: list[dict[str, Any]]) -> str:
    if face["session_id"] is None:
        return "nobody is heard of" if not sessions else "no session may be shown"
    code, winner = int(face["code"]), preview.winner()
    if is_event(code) and preview.dwelling():
        return "an event has its moment"
    if any(face[key] != winner[key] for key in ("session_id", "code")):
        return "stays until its least time is over"
    if is_held(code):
        return "holds until the session says something else"
    visible = [row for row in sessions if not row["headless"]]
    newest = max(reversed(visible), key=lambda row: row["priority"])
    if newest["session_id"] != face["session_id"]:
        return "keeps its place among equals"
    return "highest priority, then newest"


def text(answer: dict[str, Any]) -> str:
    """The explanation for a person."""
    face = answer["face"]
    who = face["session_id"] or "nobody"
    lines = [f"{face['code']} {face['state']}  {who}  for {age(face['since_ms'])}"]
    if face["tips"]:
        lines.append(f'  says "{face["tips"]}"')
    if face["source"]:
        lines.append(f"  from {face['source']}")
    session = answer["session"]
    if session is not None:
        lines.append(f"  heard {age(session['age_ms'])} ago, priority {session['priority']}")
    lines.append(f"  because: {answer['reason']}")
    lines += _table("waiting for its moment", answer["queued"])
    lines += _table("behind it", answer["behind"])
    return "\n".join(lines)


def _table(title: str, rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    cells = [
        (
            f"{row['code']} {row['state']}",
            row["session_id"],
            f"priority {row['priority']}" + (", headless" if row["headless"] else ""),
            f"{age(row['age_ms'])} ago",
            row["source"],
        )
        for row in rows
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(5)]
    return [f"{title}:"] + [
        "  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def age(ms: int) -> str:
    """A time span a person reads at a glance."""
    if ms < 1000:
        return f"{ms} ms"
    seconds = ms // 1000
    if seconds < 60:
        return f"{ms / 1000:.1f} s"
    return f"{seconds // 60} min {seconds % 60} s"
