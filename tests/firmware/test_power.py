"""Power cuts while a setting is written: old settings or new, and a board that starts."""

from tests.firmware.conftest import Host


def test_power_cut_at_every_write_of_a_change(plug):
    host = plug()
    board = host.board
    host.send({"set": {"brightness": 11}, "seq": 1})
    host.hear(lambda said: "ack" in said)
    found = []
    cut = 0
    while True:
        board.cut_power_after_bytes(cut)
        host.send({"set": {"brightness": 99}})
        try:
            board.wait(lambda: not board.powered, timeout=1.5)
        except TimeoutError:
            break  # all was written before the cut
        host.close()
        board.power_cycle()
        host = Host(board)
        host.greet()
        kept = host.answer("settings", get=True)
        assert kept["brightness"] in (11, 99) and kept["name"] == "aora"
        found.append(kept["brightness"])
        if kept["brightness"] == 99:
            host.send({"set": {"brightness": 11}, "seq": 1})
            host.hear(lambda said: "ack" in said)
        cut += 1 if cut < 4 else 29
    assert found[0] == 11 and len(found) > 10
    assert host.answer("settings", get=True)["brightness"] == 99


def test_a_damaged_file_is_told(plug):
    host = plug()
    host.send({"set": {"brightness": 11}, "seq": 1})
    host.hear(lambda said: "ack" in said)
    path = host.board.flash / "settings.json"
    path.write_bytes(path.read_bytes()[:-12])
    host.board.power_cycle()
    host.close()
    host = Host(host.board)
    host.send({"hello": True})
    assert "damaged" in host.hear(lambda said: "error" in said)["error"]
    assert host.answer("settings", get=True)["brightness"] == 70
    host.close()
