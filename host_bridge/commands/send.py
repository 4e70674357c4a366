"""`aora send`: one message to the face."""

from __future__ import annotations

from typing import Annotated, Any

import typer

DIALS = (
    "A dial: progress=0.4, timer=9000/60000 (left/whole in milliseconds), context=70/200, "
    "voice=0.5, waveform=0.2,0.8,0.5, kpi=80/100 or count=3/5."
)
RANGES = ("any number", "0 or more", "over 0", "0 to 1", "0 to 64")  # in aora.hud's order


def send(
    state: Annotated[str, typer.Argument(help="A code (32) or a state's name (working).")],
    tips: Annotated[str, typer.Argument(help="The caption.")] = "",
    session: Annotated[str, typer.Option(help="Whose state it is.")] = "me",
    hud: Annotated[str, typer.Option(help=DIALS)] = "",
    end: Annotated[bool, typer.Option("--end", help="End the session afterwards.")] = False,
) -> None:
    """Show a state: aora send working "Editing" --session s1 --hud progress=0.4"""
    from host_bridge import client

    for what, given in (("state", state), ("caption", tips), ("session", session)):
        _check_text(what, given)
    message: dict[str, Any] = {"session_id": session}
    message["aoraBotId" if state.strip().isdigit() else "state"] = state
    if tips:
        message["tips"] = tips
    if hud:
        message["hud"] = spec(hud)
    messages = [message, {"session_id": session, "end": True}] if end else [message]
    try:
        client.Client().state(*messages)
    except client.NoBridge as error:
        _fail(str(error))
    except client.Refused as error:
        _fail(f"{error}{_hint(state) if str(error) == 'no state' else ''}")


def _check_text(what: str, given: str) -> None:
    """Bytes that are no UTF-8 reach a command as lone surrogates."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise typer.BadParameter(f"the {what} is not text (UTF-8)") from None


def _hint(state: str) -> str:
    from aora.protocol import STATES

    known = ", ".join(sorted(STATES))
    return f": {state!r} is neither a code nor a state; those are {known}"


def _fail(text: str) -> None:
    typer.echo(f"aora: {text}", err=True)
    raise typer.Exit(1)


def spec(text: str) -> dict[str, Any]:
    """A dial written as kind=number, kind=number/number or waveform=number,number,..."""
    from aora import hud

    kind, _, given = text.partition("=")
    if kind not in hud.KINDS:
        raise typer.BadParameter(f"a dial is one of {', '.join(hud.KINDS)}")
    try:
        numbers = [float(word) for word in given.replace(",", "/").split("/")]
    except ValueError:
        raise typer.BadParameter(f"numbers after {kind}=, not {given!r}") from None
    fields = hud.FIELDS[hud.KINDS.index(kind) + 1]
    names = [name for name, _, _ in fields]
    parts = [numbers] if names == ["levels"] else numbers
    found = {"kind": kind, **dict(zip(names, parts, strict=False))}
    if len(parts) > len(names) or not hud.is_hud_spec(found):
        takes = " / ".join(_takes(*field) for field in fields)
        raise typer.BadParameter(f"{kind} takes {takes}, not {given!r}")
    return found


def _takes(name: str, takes: int, optional: bool) -> str:
    from aora import hud

    what = f"1 to {hud.LEVELS} levels" if name == "levels" else name
    return f"{what} ({RANGES[takes]}{', may be left out' if optional else ''})"
