# pyright: reportAttributeAccessIssue=false, reportIndexIssue=false
# Prints what is on the board: the system, the space, and every file with its size and, where it
# could be the firmware's, its hash. One value a line, as Python writes it.
import binascii
import hashlib
import os
import sys

_buffer = bytearray(1024)
_view = memoryview(_buffer)


def _hash(path):
    state = hashlib.sha256()
    with open(path, "rb") as file:
        while True:
            count = file.readinto(_buffer)
            if not count:
                break
            state.update(_view[:count])
    return binascii.hexlify(state.digest()).decode()


def _ours(path):
    return path.startswith("aora.next/") or path in (
        "main.py",
        "boot.py",
        "aora.pack",
        "aora_pack.py",
        "aora_pack.mpy",
        "aora_board.py",
        "aora_board.mpy",
    )


def _walk(folder):
    for entry in os.ilistdir(folder or "/"):
        path = folder + entry[0]
        if entry[1] == 0x4000:
            print(("folder", path))
            _walk(path + "/")
        else:
            size = os.stat(path)[6]
            print(("file", path, size, _hash(path) if _ours(path) else ""))


def _has(path, *words):
    try:
        with open(path, "rb") as file:
            text = file.read(2048)
    except OSError:
        return False
    return all(word in text for word in words)


os.chdir("/")
_system = sys.implementation
print(("name", _system[0]))
print(("version", tuple(_system[1])[:3]))
print(("machine", getattr(_system, "_machine", "")))
print(("mpy", getattr(_system, "_mpy", 0)))
print(("space", tuple(os.statvfs("/"))[:4]))
print(("main", _has("main.py", b"\nfrom aora.start import run", b"\nrun(aora_board)\n")))
print(("boot", _has("boot.py", b'\n        with open("aora.next/ready")')))
_walk("")
