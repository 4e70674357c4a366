"""Tables come to a board as what they are, without the way there."""

from array import array

from host_bridge.flash import build
from host_bridge.flash.bake import TABLES, bake


def _sources() -> dict[str, str]:
    return {n: p.read_text() for n, p in build.sources().items() if n.endswith(".py")}


def _plain(value):
    if isinstance(value, array):
        return value.tobytes()
    return tuple(_plain(item) for item in value) if isinstance(value, (list, tuple)) else value


def test_baked_tables_are_the_same() -> None:
    sources = _sources()
    baked = bake(sources)
    for name, tables in TABLES.items():
        before, after = {"__name__": name}, {"__name__": name}
        exec(sources[name], before)
        exec(baked[name], after)
        for table in tables:
            assert after[table] == _plain(before[table])


def test_the_way_there_is_gone() -> None:
    baked = bake(_sources())
    assert "_TABLE" not in baked["aora/face/expressions.py"]
    assert "_ROWS" not in baked["aora/protocol.py"]
    assert "def state_for_emotion" in baked["aora/protocol.py"]
    assert baked["aora/hud.py"] == _sources()["aora/hud.py"]
