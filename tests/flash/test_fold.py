"""Numbers of other modules go where they are used; everything else stays as it is."""

import pytest

from host_bridge.flash import build
from host_bridge.flash.fold import fold


def _folded(**texts: str) -> dict[str, str]:
    return fold({name.replace("_", "/") + ".py": text for name, text in texts.items()})


def test_numbers_go_where_they_are_used() -> None:
    out = _folded(
        aora_face_shape="BOX = 1\nLINE = BOX + 2\nFAR = -LINE\nNAMES = ('a',)\n",
        aora_use="from aora.face import shape as sh\nfrom aora.face.shape import NAMES, LINE\n"
        "def f(kind):\n    return kind == sh.BOX or kind == LINE or sh.FAR or NAMES\n",
    )
    assert out["aora/face/shape.py"] == "pass\npass\npass\nNAMES = ('a',)\n"
    assert out["aora/use.py"] == (
        "pass\nfrom aora.face.shape import NAMES\n"
        "def f(kind):\n    return kind == 1 or kind == 3 or (-3) or NAMES\n"
    )


def test_what_may_change_or_is_asked_for_stays() -> None:
    text = "TICK = 1\nTICK = 2\nSIZE = 4\n\n\ndef f(SIZE):\n    return SIZE + TICK\n"
    assert _folded(aora_face_a=text)["aora/face/a.py"] == text.replace("SIZE = 4", "pass")
    shadowed = "from aora.link import PING\n\n\ndef f():\n    PING = 1\n    return PING\n"
    asked = _folded(aora_link="PING = 5\n", aora_use=shadowed)
    assert asked == {"aora/link.py": "PING = 5\n", "aora/use.py": shadowed}


def test_statements_of_several_lines_keep_the_lines_below_in_place() -> None:
    out = _folded(aora_face_a="A = (\n    1\n    + 2\n)\nB = [A]\n")
    assert out["aora/face/a.py"] == "pass\n\n\n\nB = [3]\n"


@pytest.mark.parametrize("name", ["aora/face/scene.py", "aora/display/screen.py", "aora/line.py"])
def test_the_firmware_folds_into_as_many_lines(name: str) -> None:
    texts = {n: p.read_text() for n, p in build.sources().items() if n.endswith(".py")}
    out = fold(texts)
    compile(out[name], name, "exec")
    assert len(out[name].split("\n")) == len(texts[name].split("\n"))
    assert "ol.BOX" not in out[name] and "_scan.STRING" not in out[name]
