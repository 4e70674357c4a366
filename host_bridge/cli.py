"""The `aora` command. Each subcommand is a file in `commands`, found by its name."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import typer

from host_bridge import commands

BARE = {"--virtual": ("micropython", "displayio")}  # options whose value may be left out


def about() -> None:
    """A small face on your desk that shows what your coding agents are doing."""


def build() -> typer.Typer:
    """A module with an `app` is a group of commands; else its function of the same name is one."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, callback=about)
    for found in pkgutil.iter_modules(commands.__path__):
        module = importlib.import_module(f"{commands.__name__}.{found.name}")
        name = found.name.replace("_", "-")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            settings = getattr(module, "SETTINGS", None)
            app.command(name, context_settings=settings)(getattr(module, found.name))
    return app


def main() -> None:
    """Runs the command line."""
    sys.argv[1:] = with_values(sys.argv[1:])
    build()()


def with_values(words: list[str]) -> list[str]:
    """The words with the first of its values after each option that stands bare."""
    full: list[str] = []
    for place, word in enumerate(words):
        if word == "--":
            return full + words[place:]
        values = BARE.get(word)
        bare = values is not None and words[place + 1 : place + 2] not in [[v] for v in values]
        full.append(f"{word}={values[0]}" if values and bare else word)
    return full


if __name__ == "__main__":
    main()
