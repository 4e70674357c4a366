# Puts new files in place. Runs at every start, so that an update which lost power half-way is
# finished by the next one: each step can be done twice. `next/ready` exists only when every new
# file has arrived whole.
import os


def _try(act, *paths):
    try:  # noqa: SIM105
        act(*paths)
    except OSError:
        pass  # done before the power went


def _step(kind, path):
    if kind == "/":
        _try(os.mkdir, path)
    elif kind == "+":
        _try(os.rename, "next/" + path.replace("/", "!"), path)
    elif kind == "-":
        _try(os.remove, path)


def _finish():
    try:
        with open("next/ready") as file:
            steps = file.read()
    except OSError:
        return
    for step in steps.split("\n"):
        _step(step[:1], step[1:])
    os.remove("next/ready")
    _try(os.rmdir, "next")


_finish()
