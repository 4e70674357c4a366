"""`aora flash` from beginning to end: which port, what is there, copy, check, ask."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Protocol

from host_bridge import paths
from host_bridge.boards import Board
from host_bridge.flash import FlashError, advice, bridge, build, find, plan
from host_bridge.flash.device import Device, Full, Held, Interrupted
from host_bridge.flash.probe import AORA, Probe, probe, wait_hello

HELLO_S = 20


class Person(Protocol):
    """Whom we talk to."""

    def say(self, text: str) -> None: ...
    def ask(self, question: str, default: str = "") -> str: ...


@dataclass(frozen=True)
class Wish:
    """What was asked for."""

    board: Board
    port: str = ""
    yes: bool = False  # no questions
    dry_run: bool = False


def flash(wish: Wish, person: Person) -> None:
    """Bring a board to the firmware; FlashError says what to do instead."""
    if wish.board.RUNTIME != "micropython":
        raise FlashError(f"{wish.board.NAME} runs CircuitPython: aora flash is for MicroPython")
    port = choose(wish, person)
    with bridge.released(port.device) as had:
        if had:
            person.say("The bridge gives the port up for a moment.")
        found = probe(port)
        _introduce(port, found, person)
        refusal = advice.not_ours(wish.board, port, found)
        if refusal:
            raise FlashError(refusal)
        if _install(wish, port, person):
            _greet(wish, port, person)


def choose(wish: Wish, person: Person) -> find.Port:
    """The port: the one named, the only one, or the one the person picks."""
    ports = find.candidates()
    if wish.port:
        known = [port for port in ports if port.device == wish.port]
        return known[0] if known else find.Port(wish.port)
    if not ports:
        raise FlashError(advice.nothing(wish.board, find.drives()))
    if len(ports) == 1:
        return ports[0]
    return _pick(ports, wish, person)


def _pick(ports: list[find.Port], wish: Wish, person: Person) -> find.Port:
    faces = {port: _face_at(port) for port in ports}
    ports = sorted(ports, key=lambda port: not faces[port])
    if wish.yes:
        hello = [port for port in ports if faces[port]]
        if len(hello) == 1:
            return hello[0]
        raise FlashError("several boards: say which with --port\n" + _listed(ports, faces))
    person.say(_listed(ports, faces))
    answer = person.ask("Which one?", "1")
    if not answer.isdigit() or not 1 <= int(answer) <= len(ports):
        raise FlashError(f"{answer} is none of them")
    return ports[int(answer) - 1]


def _face_at(port: find.Port) -> str:
    """Which face answers there; "" for none."""
    with contextlib.suppress(FlashError), bridge.released(port.device):
        found = probe(port)
        if found.kind == AORA:
            return f"Aora Face {found.version} ({found.machine})"
    return ""


def _listed(ports: list[find.Port], faces: dict[find.Port, str]) -> str:
    rows = [f"  {i}  {port}  {faces[port]}".rstrip() for i, port in enumerate(ports, 1)]
    return "\n".join(rows)


def _introduce(port: find.Port, found: Probe, person: Person) -> None:
    if found.kind == AORA:
        person.say(f"{port.device}: Aora Face {found.version} on {found.machine}")
    elif found.version:
        person.say(f"{port.device}: MicroPython {found.version}, {found.machine}".rstrip(", "))


def _install(wish: Wish, port: find.Port, person: Person) -> bool:
    """Copy what is missing; False if this was a dry run. The board starts anew whatever comes."""
    with Device(port.device) as device:
        try:
            device.break_in()
        except Held as error:
            raise FlashError(advice.held(wish.board, port.device)) from error
        try:
            _bring(wish, device, person)
        except Interrupted as error:
            raise FlashError(f"{error}\n{advice.still_runs(False)}") from error
        finally:
            device.reset()
    return not wish.dry_run


def _bring(wish: Wish, device: Device, person: Person) -> None:
    began = time.monotonic()
    survey = device.survey()
    plan.check_runtime(survey)
    wanted = build.files(wish.board, build.arch_of(survey.mpy), _chip(wish.board, survey))
    todo = plan.make(survey, wanted)
    if wish.dry_run:
        _tell(todo, wanted, person)
        return
    _save(device, survey, todo, person)
    _copy(device, survey, todo, wanted, person)
    if todo.send:
        took = time.monotonic() - began
        person.say(f"{_files(len(todo.send))} copied and verified in {took:.1f} s.")
    if gone := sum(step.startswith("-") for step in todo.steps):
        person.say(f"{_files(gone)} of an earlier version removed.")


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"


def _chip(board: Board, survey: plan.Survey) -> str:
    """The chip that is really there; FlashError if the board's panel cannot be on it."""
    real = survey.machine.lower().rsplit(" with ", 1)[-1].replace("-", "")
    known = [mcu for mcu in ("rp2040", "rp2350", "esp32s3", "esp32c3", "esp32") if mcu in real]
    if not known or known[0] == board.MCU:
        return board.MCU
    if board.FORM == "built-in" or not {board.MCU, known[0]} <= {"rp2040", "rp2350"}:
        raise FlashError(f"this is a {known[0]}; {board.NAME} has a {board.MCU}. Right name?")
    return known[0]


def _tell(todo: plan.Plan, wanted: dict[str, bytes], person: Person) -> None:
    for path in todo.send:
        person.say(f"  copy    {path}  {len(wanted[path]):,} bytes")
    for step in todo.steps:
        if step.startswith("-"):
            person.say(f"  remove  {step[1:]}")
    if todo.save:
        person.say(f"  save    {_files(len(todo.save))} of another program")
    person.say(f"{len(todo.send)} to copy, {len(todo.keep)} up to date. Nothing was changed.")


def _save(device: Device, survey: plan.Survey, todo: plan.Plan, person: Person) -> None:
    """Other people's code is read back before anything is put in its place."""
    if not todo.save:
        return
    name = time.strftime("%Y-%m-%d-%H%M%S")
    folder = paths.home() / "state" / "backups" / name
    for path in todo.save:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(device.read(path))
        if target.stat().st_size != survey.files[path]:
            raise FlashError(f"{path} could not be saved whole: nothing was changed")
    person.say(f"There was another program: its {_files(len(todo.save))} lie now in {folder}")


def _copy(
    device: Device,
    survey: plan.Survey,
    todo: plan.Plan,
    wanted: dict[str, bytes],
    person: Person,
) -> None:
    if todo.idle and not todo.stale:
        person.say(f"All {len(todo.keep)} files are up to date: nothing copied.")
        return
    plan.check_space(survey, todo, wanted)
    size = sum(len(wanted[path]) for path in todo.send)
    person.say(f"Copying {_files(len(todo.send))}, {size // 1024} KB ...")
    committing = False
    try:
        if todo.stale:
            device.remove(todo.stale)
        device.stage({path: wanted[path] for path in todo.send})
        _check(device, todo, wanted)
        device.prepare(todo.steps)
        committing = True
        device.commit()
        left = plan.make(device.survey(), wanted)
    except Full as error:
        device.remove([plan.staged(path) for path in wanted])
        raise FlashError(f"the board is full. {advice.still_runs(False)}") from error
    except Interrupted as error:
        raise FlashError(f"{error}\n{advice.still_runs(committing)}") from error
    if not left.idle:
        raise FlashError(f"{_files(len(left.send))} not as sent: flash again")


def _check(device: Device, todo: plan.Plan, wanted: dict[str, bytes]) -> None:
    """Everything lies in the stage as it was sent, or nothing is put in place."""
    there = device.survey().hashes
    for step in todo.steps:
        path = step[1:]
        if step[0] == "+" and there.get(plan.staged(path)) != plan.digest(wanted[path]):
            raise FlashError(f"{path} arrived damaged. {advice.still_runs(False)}")


def _greet(wish: Wish, port: find.Port, person: Person) -> None:
    """The board says hello; then the questions."""
    hello = wait_hello(port.device, HELLO_S)
    if hello is None:
        raise FlashError(f"The firmware is on the board but does not run.\n{_why(port.device)}")
    width, height = hello.get("panel", (0, 0))
    person.say(f"Hello from {wish.board.NAME}: {width}x{height}, {hello.get('leds', 0)} LEDs.")
    if not wish.yes:
        from host_bridge.flash.questions import settle

        settle(port.device, wish.board, person)


def _why(port: str) -> str:
    """What a program says that does not start: it is started once more, under our eyes."""
    try:
        with Device(port) as device:
            device.break_in()
            device.run("import gc\ngc.collect()\nexec(open('main.py').read())")
    except Interrupted:
        return "It hangs before its hello."
    except FlashError as error:
        return str(error)
    return "It ends by itself."
