# Puts new files in place. Runs at every start, so that an update which lost power half-way is
# finished by the next one: each step can be done twice. `aora.next/ready` exists only when every
# new file has arrived whole. A step is + a file to put in place, - a file or / a folder to remove.
import os


def _try(act, *paths):
    try:  # noqa: SIM105
        act(*paths)
    except OSError:
        pass  # done before the power went


def _step(kind, path):
    if kind == "+":
        _try(os.rename, "aora.next/" + path, path)
    elif kind == "-":
        _try(os.remove, path)
    elif kind == "/":
        _try(os.rmdir, path)


def _finish():
    try:
        with open("aora.next/ready") as file:
            steps = file.read()
    except OSError:
        return
    for step in steps.split("\n"):
        _step(step[:1], step[1:])
    os.remove("aora.next/ready")
    _try(os.rmdir, "aora.next")


_finish()
