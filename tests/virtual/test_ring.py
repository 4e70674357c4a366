"""WS2812 bits as colours."""

from host_bridge.virtual.ring import RingDecoder


def test_the_order_of_the_channels_and_what_a_short_write_leaves():
    ring = RingDecoder(3, "GRB")
    ring.feed(bytes((1, 2, 3, 4, 5, 6, 7, 8, 9)), 10)
    assert ring.leds == [(2, 1, 3), (5, 4, 6), (8, 7, 9)]
    ring.feed(bytes((9, 9, 9)), 20)
    assert ring.leds == [(9, 9, 9), (5, 4, 6), (8, 7, 9)]
    assert [write.t_us for write in ring.writes] == [10, 20]
    assert ring.write_count == 2
    ring.power_on()
    assert ring.leds == [(0, 0, 0)] * 3


def test_white_adds_to_all_three():
    ring = RingDecoder(1, "GRBW")
    ring.feed(bytes((10, 20, 30, 240)), 0)
    assert ring.leds == [(255, 250, 255)]


def test_bits_that_no_led_reads_change_nothing():
    ring = RingDecoder(1)
    ring.feed(b"\1\2\3", 0, (800, 1700, 1600, 900))
    assert ring.leds == [(0, 0, 0)]
    ring.feed(b"\1\2\3", 0, (400, 850, 800, 450))
    assert ring.leds == [(2, 1, 3)]
    ring.feed(b"\1\2\3\4\5\6", 0)
    assert ring.leds == [(2, 1, 3)]
    assert [fault.split(":")[0] for fault in ring.faults] == [
        "bits of (800, 1700, 1600, 900) ns",
        "6 bytes for 1 LEDs",
    ]


def test_a_listener_hears_each_write_until_it_stops():
    ring, heard = RingDecoder(1), []
    stop = ring.listen(lambda write: heard.append(write.data))
    ring.feed(b"\1\2\3", 0)
    stop()
    ring.feed(b"\4\5\6", 0)
    assert heard == [b"\1\2\3"]
