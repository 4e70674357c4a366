"""What stays within a module gets a short name; what anybody else asks for keeps its own."""

from host_bridge.flash import build
from host_bridge.flash.shorten import shorten


def _short(**texts: str) -> dict[str, str]:
    return shorten({f"aora/{name}.py": text for name, text in texts.items()})


def test_what_is_private_is_numbered() -> None:
    out = _short(
        a="_size = 1\n\n\nclass A:\n\n    def __init__(self, size):\n        self._size = size\n"
        "        self._there = self._size\n\n\ndef grow(by):\n    global _size\n    _size += by\n"
        "\n\n@micropython.viper\ndef _fast(a):\n    return _fast(a)",
    )
    assert out["aora/a.py"] == (
        "_g1 = 1\n\nclass A:\n\n    def __init__(self, _0):\n        self._0 = _0\n"
        "        self._1 = self._0\n\ndef grow(_0):\n    global _g1\n    _g1 += _0\n\n"
        "@micropython.viper\ndef _g0(_0):\n    return _g0(_0)"
    )


def test_what_others_ask_for_or_a_traceback_shows_stays() -> None:
    texts = {
        "a": "from aora import _scan\n_kept = 1\n\nclass A:\n    _most = 2\n\n"
        "    def _run(self):\n        self._seen = self.open = self._named = _scan + self._most",
        "b": "from aora.a import _kept\n\ndef f(a):\n    return (a._seen, a._run(), '_named')",
        "c": "from aora.b import f\n\ndef outer(a):\n    return lambda x: x + a\nf(a=1)",
    }
    assert _short(**texts) == {f"aora/{name}.py": text for name, text in texts.items()}


def test_the_firmware_stays_a_program() -> None:
    texts = {n: p.read_text() for n, p in build.sources().items() if n.endswith(".py")}
    out = shorten(texts)
    for name, text in out.items():
        compile(text, name, "exec")
    assert "self._stage" in texts["aora/display/screen.py"]
    assert "self._stage" not in out["aora/display/screen.py"]
    assert "def _damage(self)" in out["aora/display/screen.py"]
