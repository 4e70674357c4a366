"""`aora tail`: what happens, as it happens."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def tail(
    raw: Annotated[
        bool, typer.Option("--raw", help="Wire messages as JSON, nothing else.")
    ] = False,
) -> None:
    """Follow the bridge: messages, faces, boards."""
    import json

    from host_bridge import client

    try:
        for name, data in client.Client(timeout=None).events():
            if raw and name == "message":
                typer.echo(json.dumps(data, ensure_ascii=False))
            elif not raw and name in _WORDS:
                typer.echo(_WORDS[name](data))
    except (client.NoBridge, client.Refused) as error:
        typer.echo(f"aora: {error}", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _message(data: dict[str, Any]) -> str:
    what = next((word for word in ("end", "touch") if data.get(word)), data.get("aoraBotId", ""))
    return f"message  {data['session_id']}  {what}  {data.get('tips', '')}".rstrip()


def _face(data: dict[str, Any]) -> str:
    who = data["session_id"] or "nobody"
    return f"face     {who}  {data['code']} {data['state']}  {data['tips'] or ''}".rstrip()


def _shown(data: dict[str, Any]) -> str:
    who = data["session_id"] or "nobody"
    return f"shown    {who}  {data['code']} {data['state']}  on {data['device']}"


def _device(data: dict[str, Any]) -> str:
    if "button" in data:
        return f"button   {data['button']['id']} {data['button']['press']}  on {data['id']}"
    return f"device   {data['id']}  {data['link']}  {data.get('error', data['port'])}"


_WORDS = {"message": _message, "face": _face, "shown": _shown, "device": _device}
