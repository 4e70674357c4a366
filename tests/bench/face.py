"""What a frame costs on the bus, for every state: rows for `make bench`."""

from __future__ import annotations

from statistics import median

from aora.face import expressions, motion
from aora.protocol import STATES
from host_bridge.studio import Studio

STEP_MS = 20
SECONDS = 8
SETTLED_MS = 1000
SEED = 31  # of the default name
BYTES_A_SECOND = 62_500_000 / 8
WINDOW_BYTES = 11  # three commands and two times four arguments


class Frames:
    """Frames of one state in which a pixel changed: (bytes sent, bytes that had to be)."""

    def __init__(self) -> None:
        self.moving: list[tuple[int, int]] = []
        self.breathing: list[tuple[int, int]] = []
        self.windows: list[int] = []  # set up in each moving one
        self.allocated = 0


def _poses(state: int, since: int, start: int, count: int) -> list[list[int]]:
    """The poses of the frames: pure, so they are the ones that the board drew."""
    pose, spare = motion.new_pose(), motion.new_pose()
    poses = []
    for i in range(count):
        now = start + i * STEP_MS
        t = now - since
        motion.pose_at(state, t, state, t, now, SEED, motion.CALM, pose, spare)
        poses.append(list(pose))
    return poses


def _only_breathes(before: list[int], after: list[int]) -> bool:
    moved = [i for i in range(expressions.FIELDS) if before[i] != after[i]]
    return set(moved) <= {expressions.FACE_Y, expressions.MOUTH_Y}


def watch(studio: Studio, name: str) -> Frames:
    """Runs a state for some seconds after it has settled."""
    frames = Frames()
    since = studio.now
    studio.show(name)
    studio.run(SETTLED_MS, STEP_MS)
    count = SECONDS * 1000 // STEP_MS
    poses = _poses(STATES.index(name), since, studio.now, count)
    for i in range(count):
        sent = studio.board.panel.frame_count
        frames.allocated += studio.run(STEP_MS, STEP_MS)
        if studio.board.panel.frame_count == sent:
            continue
        frame = studio.board.panel.frames[-1]
        if not frame.changed or i == 0:
            continue
        cost = (frame.bytes, frame.changed * 2)
        if _only_breathes(poses[i - 1], poses[i]):
            frames.breathing.append(cost)
        else:
            frames.moving.append(cost)
            frames.windows.append(len(frame.rects))
    return frames


def _row(name: str, value: float, unit: str, better: str, target: float | None) -> dict:
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "better": better,
        "target": target,
    }


def rows(board: str = "pico-generic") -> list[dict]:
    """One row a state and figure, then those of all states together."""
    rows, moving, breathing = [], [], []
    with Studio(board) as studio:
        studio.show("idle")
        studio.run(1000)
        for name in STATES:
            frames = watch(studio, name)
            moving += frames.moving
            breathing += frames.breathing
            if frames.moving:
                sent = median(sent for sent, _ in frames.moving)
                ratio = median(sent / changed for sent, changed in frames.moving)
                rows.append(_row(f"face.{name}.bytes", sent, "B/frame", "lower", None))
                windows = median(frames.windows) * WINDOW_BYTES
                rows.append(_row(f"face.{name}.windows", windows, "B/frame", "lower", None))
                rows.append(_row(f"face.{name}.ratio", ratio, "sent/changed", "lower", 3))
                rows.append(_row(f"face.{name}.fps", BYTES_A_SECOND / sent, "1/s", "higher", 50))
            rows.append(_row(f"face.{name}.allocated", frames.allocated, "B", "lower", 0))
    for kind, seen, target in (("moving", moving, 3), ("breathing", breathing, None)):
        ratio = median(sent / changed for sent, changed in seen)
        rows.append(_row(f"face.{kind}.ratio", ratio, "sent/changed", "lower", target))
        sent = median(sent for sent, _ in seen)
        rows.append(_row(f"face.{kind}.bytes", sent, "B/frame", "lower", None))
    return rows


if __name__ == "__main__":
    for row in rows():
        print(f"{row['name']:32} {row['value']:12} {row['unit']}")
