"""Generated lines: messages of every form, and what becomes of them on a bad wire."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from aora.adapters import ADAPTERS
from aora.hud import FIELDS, KINDS
from aora.protocol import STATES

_edge_numbers = st.sampled_from(
    [
        "0",
        "-0",
        "1",
        "-1",
        "0.5",
        "1.0",
        "1.50",
        "1e0",
        "1E-9",
        "9.99e-10",
        "1e-10",
        "1.0000000001",
        "1.00000001",
        "0.9999999999",
        "64",
        "64.0",
        "64.5",
        "6.4e1",
        "65",
        "999999999999",
        "1e12",
        "1e11",
        "123456789012",
        "100",
        "99",
        "99.0",
        "3.40e1",
        "34.00000000001",
        "5e-324",
        "1e308",
        "1e999",
        "-1e999",
        "0.000000001",
        "0e99999",
        "12345678901234567890",
        "1.5e+2",
    ]
)
_numbers = st.one_of(
    _edge_numbers,
    st.integers(-(10**13), 10**13).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.tuples(st.integers(0, 10**10), st.integers(-14, 14)).map(lambda p: f"{p[0]}e{p[1]}"),
)
_text = st.text(max_size=12) | st.sampled_from(["é" * 40, "读取文件" * 20, "x" * 200, "😀" * 45])
_ids = st.one_of(
    st.sampled_from(["s1", "7", "", "é" * 33, "y" * 64, "z" * 65, "读" * 30, "a/b"]), _text
)


def _quoted(text):
    return st.sampled_from([json.dumps(text), json.dumps(text, ensure_ascii=False)])


def _strings(texts):
    return texts.flatmap(_quoted)


_junk = st.recursive(
    st.sampled_from(["null", "true", "false", '"x"', "[]", "{}"]) | _numbers,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ",".join(items) + "]")
        | st.lists(inner, max_size=3).map(
            lambda items: (
                "{" + ",".join(f'"k{i % 2}": {item}' for i, item in enumerate(items)) + "}"
            )
        )
    ),
    max_leaves=6,
)
_codes = st.one_of(
    _strings(
        st.sampled_from(["32", "3", " 34 ", "34\t", "100", "", "xx", "3a", "３４", "\x0b34"])
    ),
    _strings(st.integers(0, 120).map(str)),
    _numbers,
    _junk,
)


def _pair(key, value):
    return st.tuples(st.just(key), value)


def _levels():
    return st.lists(_numbers | _junk, max_size=26).map(lambda v: "[" + " ,".join(v) + "]")


_hud_keys = sorted({field[0] for fields in FIELDS for field in fields})
_hud_pair = st.one_of(
    _pair("kind", _strings(st.sampled_from(list(KINDS) + ["Progress", "x"])) | _junk),
    st.sampled_from(_hud_keys).flatmap(
        lambda key: _pair(key, _levels() if key == "levels" else _numbers | _junk)
    ),
)
_whole_hud = st.sampled_from(range(1, len(FIELDS))).flatmap(
    lambda kind: st.tuples(
        _pair("kind", _strings(st.just(KINDS[kind - 1]))),
        *[_pair(f[0], _levels() if f[0] == "levels" else _numbers) for f in FIELDS[kind]],
    )
)


def _object(pairs):
    return "{" + ", ".join(f"{json.dumps(key)}:{value}" for key, value in pairs) + "}"


_huds = st.one_of(_whole_hud, st.lists(_hud_pair, max_size=4)).map(_object) | _junk
_events = st.sampled_from([event for events in ADAPTERS.values() for event in events] + ["nope"])
_pairs = st.one_of(
    _pair("session_id", _strings(_ids) | _numbers | _junk),
    _pair("aoraBotId", _codes),
    _pair("emotionId", _codes),
    _pair("state", _strings(st.sampled_from(list(STATES) + ["nope", ""])) | _junk),
    _pair("agent_id", _strings(st.sampled_from(list(ADAPTERS) + ["nobody"])) | _junk),
    _pair("event", _strings(_events) | _junk),
    _pair("tips", _strings(_text) | _junk),
    _pair("hud", _huds),
    _pair("headless", st.sampled_from(["true", "false", "1", '"true"'])),
    _pair("end", st.sampled_from(["true", "false", "null"])),
    _pair("touch", st.sampled_from(["true", "false"])),
    _pair("seq", _numbers),
    _pair("x", _junk),
)

_start = st.sampled_from(
    [[("session_id", '"s1"')], [("session_id", '"s1"'), ("aoraBotId", '"32"')], []]
)
messages = st.tuples(_start, st.lists(_pairs, max_size=5)).map(
    lambda parts: _object(parts[0] + parts[1]).encode()
)


def _mutate(parts):
    data, edits = bytearray(parts[0]), parts[1]
    for kind, place, byte in edits:
        at = place % (len(data) + 1)
        if kind == 0:
            data[at:at] = bytes([byte])
        elif kind == 1:
            del data[at : at + 1 + byte % 4]
        elif at < len(data):
            data[at] = byte
    return bytes(data).replace(b"\n", b" ")


_edit = st.tuples(
    st.integers(0, 2),
    st.integers(0, 2000),
    st.one_of(st.integers(0, 255), st.sampled_from(b'"\\{}[],:-.eE0u\xc3\xed\xf0\x80 \t\r')),
)
mutated = st.tuples(messages, st.lists(_edit, min_size=1, max_size=4)).map(_mutate)
nested = st.integers(1, 20).map(
    lambda n: b'{"session_id":"s","aoraBotId":3,"x":' + b"[" * n + b"]" * n + b"}"
)
oversized = st.integers(990, 1040).map(
    lambda n: (b'{"session_id":"s","state":"idle","tips":"' + b"t" * n)[: n - 2] + b'"}'
)
lines = st.one_of(messages, mutated, nested, oversized, st.binary(max_size=40)).map(
    lambda data: data.replace(b"\n", b" ")
)
