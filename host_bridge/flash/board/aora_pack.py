# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
"""Once this is imported, imports come out of aora.pack, as host_bridge.flash.pack wrote it.

To find a module among many files takes a board longer than to load it.
"""

import io
import sys
from array import array
from binascii import crc32

import vfs

_PACK = "aora.pack"
_HERE = "/aora"
_GET_BUFFER_SIZE = 11  # of a stream's ioctl
_FOLDER = (0x4000, 0, 0, 0, 0, 0, 0, 0, 0, 0)
_FILE = (0x8000, 0, 0, 0, 0, 0, 0, 0, 0, 0)
# Looked for in folders at each import, before they are found built in, unless they are known.
_BUILT_IN = "array", "binascii", "io", "json", "machine", "os", "select", "time"


class _Module(io.IOBase):
    """The pack from where it stands: a module says itself where it ends."""

    def __init__(self, file):
        self.readinto = file.readinto

    def ioctl(self, request, argument):
        return 255 if request == _GET_BUFFER_SIZE else 0


class _Pack:
    """A file system, as far as imports ask for one."""

    def __init__(self):
        self._file = file = open(_PACK, "rb")  # noqa: SIM115
        index = array("i", file.read(8 * file.read(1)[0]))
        self._places = {index[i]: index[i + 1] for i in range(0, len(index), 2)}
        self._module = _Module(file)

    def mount(self, readonly, mkfs):
        pass

    def umount(self):
        self._file.close()

    def stat(self, path):
        return _FILE if self._place(path) else _FOLDER

    def open(self, path, mode):
        file = self._file if path.endswith(".mpy") else open(_PACK, "rb")  # noqa: SIM115
        file.seek(self._place(path))
        return self._module if file is self._file else file

    def _place(self, path):
        place = self._places.get(crc32(path) & 0x3FFFFFFF)
        if place is None:
            raise OSError(2)
        return place


def _mount(pack):
    folders = sys.path[:]
    del sys.path[:]  # an import is then of what is built in
    for name in _BUILT_IN:
        sys.modules.setdefault(name, __import__(name))
    sys.path.extend([_HERE] + folders)
    vfs.mount(pack, _HERE)


try:
    _found = _Pack()
except OSError:
    pass  # the modules lie there as files
else:
    _mount(_found)
