"""`aora send`: one message to the face."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def send(
    state: Annotated[str, typer.Argument(help="A code (32) or a state's name (working).")],
    tips: Annotated[str, typer.Argument(help="The caption.")] = "",
    session: Annotated[str, typer.Option(help="Whose state it is.")] = "me",
    hud: Annotated[
        str,
        typer.Option(help="A dial: progress=0.4, count=3/5, context=70/200, timer=9000/60000."),
    ] = "",
    end: Annotated[bool, typer.Option("--end", help="End the session afterwards.")] = False,
) -> None:
    """Show a state: aora send working "Editing" --session s1 --hud progress=0.4"""
    from host_bridge import client

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
    names = [field[0] for field in hud.FIELDS[hud.KINDS.index(kind) + 1]]
    found = {"kind": kind, **dict(zip(names, numbers, strict=False))}
    if names == ["levels"]:
        found["levels"] = numbers
    if not hud.is_hud_spec(found):
        raise typer.BadParameter(f"{kind} takes {', '.join(names)} in range, not {given!r}")
    return found
