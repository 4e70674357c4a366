"""The link's whole table, on the real firmware."""

import base64
import binascii
import random

import pytest


def _session(code, session="a", **more):
    return {"session_id": session, "aoraBotId": code, **more}


def test_hello_says_what_the_board_is(host):
    hello = host.answer("hello", hello=True)
    assert hello["proto"] == 1 and hello["board"] == "pico-generic"
    assert hello["panel"] == [240, 240] and hello["leds"] == 16 and hello["buttons"] == ["a"]
    assert (hello["slots"], hello["line"], hello["ring"]) == (16, 1024, 512)
    assert hello["runtime"] == "micropython" and len(hello["id"]) == 16


def test_an_update_is_acknowledged_then_shown(host):
    host.send(_session("43", tips="Editing app.ts", seq=7))
    assert host.hear(lambda said: "ack" in said) == {"ack": 7}
    shown = host.shown("43")
    assert shown == {"code": "43", "state": "editing", "session_id": "a", "seq": 7}


def test_a_caption_alone_is_shown_with_the_newest_number(host):
    host.send(_session("43", tips="one", seq=1))
    host.shown("43")
    host.send(_session("43", tips="two", seq=2))
    assert host.shown("43")["seq"] == 2


def test_lines_without_a_number_are_not_acknowledged(host):
    host.send(_session("32"))
    host.shown("32")
    assert not [said for said in host.heard if "ack" in said]


def test_ping_and_what_the_board_counts(host):
    host.raw(b'nonsense\n{"half":\n{"session_id":"a"}\n')
    host.send({"ping": 41, "min": 600})
    pong = host.hear(lambda said: "pong" in said)
    assert pong["pong"] == 41 and pong["stats"]["bad"] >= 3
    assert {"heap_free", "bad", "dropped", "evicted", "unsent", "fps"} <= set(pong["stats"])


def test_an_event_that_overflows_is_gone(host):
    host.send(_session("34", "front", seq=1))
    host.send(*[_session("34", f"s{n}", seq=2 + n) for n in range(17)])
    assert host.hear(lambda said: "gone" in said) == {"gone": 2}


def test_an_event_of_a_session_that_turns_headless_is_gone(host):
    host.send(_session("34", "a", seq=1), _session("33", "b", seq=2))
    host.send(_session("32", "b", headless=True, seq=3))
    assert host.hear(lambda said: "gone" in said) == {"gone": 2}


def test_get_and_set(host):
    settings = host.answer("settings", get=True)
    assert settings["brightness"] == 70 and settings["motion"] == "calm"
    host.send({"set": {"brightness": 30, "quiet": "22:00-07:00"}, "seq": 9})
    assert host.hear(lambda said: "ack" in said or "error" in said) == {"ack": 9}
    assert host.answer("settings", get=True)["brightness"] == 30
    host.send({"set": {"brightness": 300, "dwell": 100}, "seq": 10})
    wrong = host.hear(lambda said: "error" in said)
    assert wrong == {"error": "brightness takes a whole number 0-100", "seq": 10}
    assert host.answer("settings", get=True)["dwell"] == 900


def test_settings_outlive_a_reset(plug):
    host = plug()
    host.send({"set": {"name": "desk-2"}, "seq": 1})
    host.hear(lambda said: "ack" in said)
    host.board.power_cycle()
    again = type(host)(host.board)
    assert again.answer("hello", hello=True)["name"] == "desk-2"
    again.close()


def test_a_setting_of_the_panel_starts_the_board_again(host):
    host.send({"set": {"rotation": 90, "shape": "pebble"}, "seq": 1})
    host.hear(lambda said: "hello" in said)
    assert host.answer("settings", get=True)["rotation"] == 90


def test_a_snapshot_sets_sessions_without_events(host):
    host.send(_session("34", "old", seq=1))
    host.shown("34")
    host.send(
        {"snapshot": "begin"},
        _session("34", "old", age_ms=9000),
        _session("43", "new", age_ms=10),
        {"snapshot": "end"},
        {"ping": 1, "min": 0},
    )
    host.hear(lambda said: "pong" in said)
    assert not [said for said in host.heard if "shown" in said]
    host.send({"session_id": "old", "end": True})
    assert host.shown("43")["session_id"] == "new"


def test_a_snapshot_that_falls_silent_is_over(host):
    host.send({"snapshot": "begin"}, _session("44", "a", age_ms=5))
    host.shown("44")


def test_an_event_sent_again_is_shown_once(host):
    host.send(_session("33", "a", seq=5))
    host.shown("33")
    host.shown("02")
    host.send(_session("33", "a", age_ms=3000, seq=5), _session("33", "b", age_ms=12000, seq=6))
    host.send(_session("33", "c", age_ms=3000, seq=7))
    assert host.shown("33")["session_id"] == "c"


def test_doubt_makes_eyes_hollow_until_the_next_word(host):
    host.send({"set": {"motion": "still"}}, _session("43", "a", seq=1))
    host.shown("43")
    sure = host.picture()
    host.send({"doubt": "a"})
    host.board.wait(lambda: host.board.panel.rgb() != sure)
    host.send(_session("43", "a", seq=2))
    host.board.wait(lambda: host.board.panel.rgb() == sure)


def test_blobs_are_kept_once_they_are_whole(host):
    data = random.Random(1).randbytes(1500)
    crc = f"{binascii.crc32(data):08x}"
    for seq, at in enumerate(range(0, len(data), 500)):
        piece = base64.b64encode(data[at : at + 500]).decode()
        host.send(
            {"blob": "face-1", "at": at, "of": len(data), "data": piece, "crc": crc, "seq": seq}
        )
        assert host.hear(lambda said: "ack" in said or "error" in said) == {"ack": seq}
    assert (host.board.flash / "blobs" / "face-1").read_bytes() == data


@pytest.mark.parametrize(
    ("change", "sentence"),
    (
        ({"crc": "00000000"}, "checksum"),
        ({"at": 7}, "expected at 0"),
        ({"data": "%%%"}, "base64"),
        ({"blob": "../x"}, "id of"),
        ({"of": 99999999}, "of up to"),
    ),
)
def test_wrong_blobs_are_refused(host, change, sentence):
    data = base64.b64encode(b"hello").decode()
    good = {"blob": "x", "at": 0, "of": 5, "data": data, "crc": f"{binascii.crc32(b'hello'):08x}"}
    host.send(good | change)
    assert sentence in host.hear(lambda said: "error" in said)["error"]
    blobs = host.board.flash / "blobs"
    assert not blobs.exists() or not list(blobs.glob("x"))


def test_a_button_is_told_and_shows_the_next_session(host):
    host.send(_session("35", "a", seq=1), _session("43", "b", tips="second", seq=2))
    host.shown("35")
    before = host.board.panel.rgb()
    host.board.press("a")
    assert host.hear(lambda said: "button" in said) == {"button": {"id": "a", "press": "short"}}
    host.board.wait(lambda: host.board.panel.rgb() != before)
    assert not [said for said in host.heard if "shown" in said]


def test_a_long_press_turns_quiet_on_and_off(host):
    host.send(_session("43", "a", seq=1))
    host.shown("43")
    host.board.wait(lambda: host.board.backlight > 0.2)
    host.board.press("a", ms=900)
    assert host.hear(lambda said: "button" in said)["button"]["press"] == "long"
    host.board.wait(lambda: host.board.backlight == 0)
    host.send(_session("35", "b", seq=2))
    host.shown("35")
    host.board.wait(lambda: 0 < host.board.backlight < 0.05)
    host.board.wait(lambda: 0 < max(map(max, host.board.ring.leds)) < 12)
    host.send({"session_id": "b", "end": True})
    host.board.wait(lambda: host.board.backlight == 0)
    host.board.press("a", ms=900)
    host.board.wait(lambda: host.board.backlight > 0.2)


def test_an_event_repeated_on_the_face_is_told_by_its_new_number(host):
    host.send(_session("34", "a", seq=1))
    assert host.shown("34")["seq"] == 1
    host.send(_session("34", "a", seq=2))
    assert host.shown("34")["seq"] == 2


def test_an_event_too_old_for_the_face_is_gone(host):
    host.send(_session("33", "b", age_ms=12000, seq=6))
    assert host.hear(lambda said: "gone" in said) == {"gone": 6}


def test_a_refused_setting_does_not_start_the_board_again(host):
    host.send(_session("34", "a", seq=1))
    host.shown("34")
    boots = host.board.boots
    host.send({"set": {"shape": ["blob"]}, "seq": 7})
    assert host.hear(lambda said: "error" in said)["seq"] == 7
    host.send({"ping": 8, "min": 0})
    host.hear(lambda said: said.get("pong") == 8)
    assert host.board.boots == boots


def test_a_session_that_turns_headless_is_not_peeked_at(host):
    host.send({"set": {"motion": "still"}}, _session("35", "a", seq=1), _session("43", "b", seq=2))
    host.shown("35")
    host.board.press("a")
    host.hear(lambda said: "button" in said)
    peeked = host.picture()
    host.send(_session("44", "b", tips="private", headless=True, seq=3))
    host.hear(lambda said: said.get("ack") == 3)
    assert host.picture() == peeked
