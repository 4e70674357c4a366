import math

import pytest

from aora.face import motion, palette
from aora.face import outline as ol
from aora.face.accents import ACCENTS
from aora.face.layout import Layout
from aora.face.scene import BEHIND, BLOB, DOUBT, EYES, GONE, QUIET, SEATS, SIGN, Scene
from aora.protocol import CLASS_OF, CODE_OF, STATES, WORKING
from host_bridge.studio import Studio

HUDS = (
    {"kind": "progress", "value": 0.4},
    {"kind": "timer", "remainingMs": 30000, "totalMs": 60000},
    {"kind": "context", "used": 75, "total": 100},
    {"kind": "voice", "level": 0.6},
    {"kind": "waveform", "levels": [0.1, 0.9, 0.4]},
    {"kind": "kpi", "value": 70, "target": 100},
    {"kind": "count", "value": 3, "total": 9},
)


@pytest.mark.parametrize("board", ["pico-generic", "pico-generic-round", "esp32-s3-lcd-1.47"])
def test_frames_allocate_nothing(board: str) -> None:
    """The studio locks the heap: a frame that allocates does not get done."""
    with Studio(board, motion="lively") as studio:
        for state in STATES:
            studio.show(state, tips="Running the whole test suite — twice ✓", look=SEATS)
            assert studio.run(1500, 50) == 0
        for hud in HUDS:
            studio.show("progress", "x" * 160, hud, look=DOUBT | SIGN | SEATS)
            assert studio.run(4000, 200) == 0
        studio.show("idle", look=GONE | QUIET)
        assert studio.run(400, 100) == 0
        assert not studio.board.panel.outside
        assert not studio.board.panel.faults


def test_a_frame_is_a_function_of_time() -> None:
    """However often frames were drawn before, this moment looks the same."""
    pictures = []
    for step in (20, 90, 450):
        with Studio("pico-generic") as studio:
            for state in ("idle", "editing", "listening", "celebrate", "reading"):
                studio.show(state, "Reading protocol.md")
                studio.run(900, step)
            studio.order(frames=[studio.now + 60, 20, 1])
            pictures.append(studio.image().tobytes())
    assert pictures[0] == pictures[1] == pictures[2]


@pytest.mark.parametrize("tick", [0, 12345678, (1 << 29) - 700])
def test_a_pose_depends_on_its_arguments_alone(tick: int) -> None:
    pose, spare, again = motion.new_pose(), motion.new_pose(), motion.new_pose()
    for state in range(len(STATES)):
        for t in (0, 70, 140, 900):
            now = tick + t & (1 << 29) - 1
            given = (state, t, 3, 5000 + t, now, 9, motion.CALM)
            motion.pose_at(*given, pose, spare)
            motion.pose_at(*given, again, spare)
            assert pose == again


def test_work_morphs_into_work_within_150_ms_without_a_blink() -> None:
    from aora.face import expressions as ex

    working = [i for i, s in enumerate(STATES) if CLASS_OF[CODE_OF[i]] == WORKING]
    pose, spare, end = motion.new_pose(), motion.new_pose(), motion.new_pose()
    for one in working:
        for other in working:
            motion.pose_at(other, 150, one, 5150, 20150, 5, motion.CALM, pose, spare)
            motion.pose_at(other, 150, other, 150, 20150, 5, motion.CALM, end, spare)
            assert pose == end
            eyes = [ex.ROWS[s * ex.FIELDS + ex.EYES] - ex.ZERO for s in (one, other)]
            if eyes != [ex.ROUND, ex.ROUND]:
                continue
            for t in range(0, 150, 10):
                motion.pose_at(other, t, one, 5000 + t, 20000 + t, 5, motion.STILL, pose, spare)
                lids = [ex.ROWS[s * ex.FIELDS + ex.LID] - ex.ZERO for s in (one, other)]
                assert pose[ex.LID] <= max(lids)


def test_blinks_are_four_to_seven_seconds_apart() -> None:
    from aora.face import expressions as ex

    pose, spare = motion.new_pose(), motion.new_pose()
    idle = STATES.index("idle")
    shut = []
    for now in range(0, 120000, 20):
        motion.pose_at(idle, now + 9000, idle, now + 9000, now, 3, motion.CALM, pose, spare)
        if pose[ex.LID] > 80 and (not shut or now - shut[-1] > 500):
            shut.append(now)
    gaps = [b - a for a, b in zip(shut, shut[1:], strict=False)]
    assert len(gaps) > 15
    assert min(gaps) >= 4000 and max(gaps) <= 7000


def test_sending_is_close_to_what_changed() -> None:
    """Over a working state in motion, the bus carries little more than the pixels that change."""
    from tests.bench.face import watch

    with Studio("pico-generic") as studio:
        studio.show("idle")
        studio.run(500)
        sent = changed = 0
        for name in ("thinking", "composing", "running", "recalling"):
            for out, had in watch(studio, name).moving:
                sent += out
                changed += had
    assert sent <= 3 * changed


@pytest.mark.parametrize("board", ["pico-generic", "pico-lcd-1.14", "esp32-s3-lcd-1.47"])
def test_what_is_on_the_glass_is_what_the_frame_is(board: str) -> None:
    """Sending parts leaves the same picture as sending all of it."""
    with Studio(board, motion="lively") as studio:
        studio.show("idle")
        studio.run(300)
        for state in STATES:
            studio.show(state, "Indexing 1,204 files")
            studio.run(700, 35)
            parts = studio.image().tobytes()
            studio.repaint()
            assert studio.image().tobytes() == parts, state


@pytest.mark.parametrize("state", [s for s in STATES if s != "receiving"])  # which falls in
def test_what_a_state_has_beside_its_face_is_whole_on_round_glass(state: str) -> None:
    scene = Scene(Layout(240, 240, True), BLOB)
    pose, spare = motion.new_pose(), motion.new_pose()
    for t in range(1000, 9000, 60):
        motion.pose_at(STATES.index(state), t, 3, 5000 + t, t, 9, motion.CALM, pose, spare)
        scene.compose(pose, 0)
        for slot in (EYES + 4, EYES + 9, *range(BEHIND, BEHIND + ACCENTS)):  # the brows, too
            kind, colour, x, y, w, h, r = scene.shapes[slot * ol.FIELDS :][:7]
            if kind == ol.NOTHING or y >= scene.layout.desk_y * 16 or colour == palette.INK:
                continue  # not there, it comes from behind the desk, or the eyes fill the glass
            if kind == ol.LINE:
                ends, wide = [(x, y), (x + w, y + h)], r / 2
            else:
                ends, wide = [(x, y)], max(w, h) / 2
            for end_x, end_y in ends:
                away = math.hypot(end_x - 120 * 16, end_y - 120 * 16) + wide
                assert away <= 120 * 16, (t, slot - BEHIND)


@pytest.mark.parametrize("size", [(240, 240), (240, 135), (320, 240), (172, 320)])
def test_what_a_state_has_beside_its_face_is_not_above_the_panel(size: tuple[int, int]) -> None:
    scene = Scene(Layout(*size, False), BLOB)
    pose, spare = motion.new_pose(), motion.new_pose()
    cut = set()
    for state in STATES:
        for t in range(1000, 9000, 60):
            motion.pose_at(STATES.index(state), t, 3, 5000 + t, t, 9, motion.CALM, pose, spare)
            scene.compose(pose, 0)
            for slot in range(BEHIND, BEHIND + ACCENTS):
                kind, _, _, y, _, h, r = scene.shapes[slot * ol.FIELDS :][:7]
                top = min(y, y + h) - r / 2 if kind == ol.LINE else y - h / 2
                if kind in (ol.LINE, ol.BOX) and top < 0:
                    cut.add(state)
    assert cut <= {"receiving"}  # whose letter falls in
