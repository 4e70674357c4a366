"""What must never come out: planted everywhere, looked for in everything that is said."""

from __future__ import annotations

import json
import logging
import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_bridge import shell
from host_bridge.privacy import command_word, file_name, inside
from tests.agents.timeline import FOLDER, Player

SECRETS = [
    "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "hunter2-correct-horse",
    "sam@example.com",
    "/home/sam",
    "https://api.example.com/v1?token=q1w2e3r4",
    "Please delete the customers table",
]
NAMES = sorted(p.stem for p in FOLDER.glob("*.ndjson") if p.name.count(".") == 1)


def plant(value, key=""):
    """The payload with a secret in every text that is no name of the protocol's."""
    if isinstance(value, dict):
        return {k: plant(v, k) for k, v in value.items()} | {"unknown_field": " ".join(SECRETS)}
    if isinstance(value, list):
        return [plant(v, key) for v in value]
    if key == "command":
        return f"API_KEY={SECRETS[0]} curl -H 'X: {SECRETS[1]}' {SECRETS[6]} && echo {SECRETS[3]}"
    if key in ("file_path", "path"):
        return f"/home/sam/{SECRETS[2]}/{SECRETS[3]}/notes.md?{SECRETS[6]}"
    known = key.endswith(("_id", "_name", "_type", "_mode", "version", "status", "source"))
    if isinstance(value, str) and not known and key not in ("trigger", "error", "reason"):
        return f"{value} {' '.join(SECRETS)}"
    return value


@pytest.mark.parametrize("captions", ["names", "full", "off"])
def test_planted_secrets_never_come_out(captions, caplog):
    caplog.set_level(logging.DEBUG)
    said = []
    for name in NAMES:
        player = Player(captions=captions)
        for line in (FOLDER / f"{name}.ndjson").read_text("utf-8").splitlines():
            step = json.loads(line)
            player.advance(step.get("at_ms", 0))
            if "payload" in step:
                player.hook(step["agent"], plant(step["payload"]), step.get("pid", 0))
        said += player.messages
    text = json.dumps(said) + caplog.text
    assert len(said) > 100
    for secret in SECRETS:
        for part in (secret, *secret.split()[1:2]):
            assert part not in text
    if captions == "off":
        assert "tips" not in text


@pytest.mark.parametrize("captions", ["names", "full"])
@pytest.mark.parametrize("secret", [s for s in SECRETS if not s.startswith("hunter2")])
def test_a_secret_as_a_name_or_a_command_is_not_shown(secret, captions):
    for tool, fields in (
        ("Bash", {"command": secret}),
        ("Bash", {"command": f"/x/{secret} --now"}),
        ("Read", {"file_path": secret}),
        ("Read", {"file_path": f"/home/sam/work/{secret}"}),
        ("Read", {"file_path": f"C:\\Users\\{secret}"}),
        (secret, {}),
    ):
        player = Player(captions=captions)
        payload = {"session_id": "s", "hook_event_name": "PreToolUse", "cwd": "/home/sam/work"}
        player.hook("claude-code", {**payload, "tool_name": tool, "tool_input": fields})
        shown = player.messages[0].get("tips", "")
        assert secret not in shown


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/sam/shop/src/cart.py", "cart.py"),
        (r"C:\Users\sam\shop\cart.py", "cart.py"),
        ("/home/sam", ""),
        (r"C:\Users\sam", ""),
        ("/Users/sam/", ""),
        ("~", ""),
        ("x/2024_01_12_093000_create_users_table.rb", "2024_01_12_093000_create_users_table.rb"),
        ("x/d41d8cd98f00b204e9800998ecf8427e", ""),
        ("x/a@b.org", ""),
        ("x/notes.md#L3?token=1", "notes.md"),
        ("x/" + "n" * 60 + ".py", "n" * 39 + "…"),
        ("x/a\nb", ""),
        ("x/My notes.txt", "My notes.txt"),
        ("", ""),
        (None, ""),
    ],
)
def test_base_names(path, name):
    assert file_name(path) == name


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("pytest", "pytest"),
        ("g++", "g++"),
        ("/opt/x/run.sh", "run.sh"),
        ("./run.sh", "run.sh"),
        ("~/bin/run", "run"),
        ("C:/tools/run.exe", "run.exe"),
        (r"C:\tools\run.exe", "run.exe"),
        (r".\run.ps1", "run.ps1"),
        (r"C:\Users\joe", ""),
        ("/home/joe", ""),
        ("/Users/joe", ""),
        ("'x/joe", ""),
        (r"a\ b/joe", ""),
        ("$(x)", ""),
        ("a" * 25, ""),
        ("'a", ""),
        ("-a", ""),
    ],
)
def test_command_words(word, name):
    assert command_word(word) == name


PLAIN = st.text("zxjk", min_size=4, max_size=8)
SECRET = st.lists(PLAIN | st.sampled_from([" ", "\n", "'", '"', "; ", "&& ", "$", "`", "\\", ")"]))
TEMPLATES = [
    "PGPASSWORD={one} psql",
    'API_KEY="{two}" curl x',
    "A={one}{one} B={one} env C={one} psql -p {one}",
    "A=b\\\n{three} psql",
    "A=({three} {one}) psql",
    "A=$(f {one}) psql",
    'A="$(f "{two}" {three})" psql',
    'A="${{B:-"x {three}"}}" psql',
    "A=`f {one}` psql",
    "A=$'{four}' psql",
    "$EDITOR <<EOF\n{three}\nEOF",
    "$EDITOR <<-'E F' <<EOF\n{three}\nE F\n{three}\nEOF\n{three}",
    "cd x <<A <<'B' && psql\n{three}\nA\n{three}\nB\n",
    "cat <<EOF\n{three}",
    "<<<{one} psql",
    ">{one} 2>&1 psql {one} &>{one}",
    '"$BIN" --x; {three}',
    "psql; {three} | {one}\n{three}",
    "cd {one} && psql {three}",
    "# {three}\npsql",
    "[[ $x == {one} && {three} ]]",
    "f() {{ {three}; }}",
    "if psql {one}; then {three}; fi",
    "case x in {one}) {three};; esac",
    "{one}{one} psql",
    "/home/{three}",
    'echo "{two}',
    "A='{three} psql",
    "x$(y {three}",
]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(TEMPLATES), SECRET, PLAIN, st.integers(0, 2100))
def test_nothing_but_a_plain_word_in_the_commands_place_is_shown(template, parts, plain, padding):
    secret = "".join([plain, " ", *parts, " ", plain])
    command = template.format(
        one=shlex.quote(secret),
        two="".join("\\" + c if c in '"\\$`' else c for c in secret),
        three=plain,
        four=secret.replace("\\", "\\\\").replace("'", "\\'"),
    )
    for line in (command, "cd " + "y" * padding + "; " + command):
        assert not set(shell.look(line).word) & set("zxjk")


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/home/sam/shop/src/cart.py", "src/cart.py"),
        ("/home/sam/shopping/cart.py", ""),
        ("/home/sam/shop/../x", ""),
        ("/home/sam/shop/a@b.org/x", ""),
        ("/etc/passwd", ""),
    ],
)
def test_full_captions_stay_below_the_agents_folder(path, below):
    assert inside(path, "/home/sam/shop") == below
