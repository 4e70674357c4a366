"""The flash folder as `/`: of bounded size, and with a fuse that cuts the power in a write.

A fuse counts one for each byte written and one for each file created, cut short, renamed or
removed, so that every point in between can be tried. What is written counts at once: a board's
littlefs keeps the old contents until the file is closed, which is kinder.
"""

import io
import struct

import vfs
from _config import CONFIG

_BLOCK = const(4096)
_FUSE_AT = const(256)  # where the host writes (arming number, budget)
_ENOSPC = const(28)

_shared = open(CONFIG["inputs"], "rb")
_armed = bytearray(8)


def _blocks(size):
    return (size + _BLOCK - 1) // _BLOCK or 1


class Flash:
    def __init__(self, root, size):
        self._native = native = vfs.VfsPosix(root)
        self._total = size // _BLOCK
        self._arming = self._budget = 0
        self.stat = native.stat
        self.chdir = native.chdir
        self.getcwd = native.getcwd
        self._used = self._count("/") + 2

    def __repr__(self):
        return "<VfsLfs2>"

    def mount(self, readonly, mkfs):
        self._native.mount(readonly, mkfs)

    def umount(self):
        self._native.umount()

    def _count(self, folder):
        total = 0
        for name, kind, _, size in self.ilistdir(folder):
            total += 2 + self._count(folder + name + "/") if kind == 0x4000 else _blocks(size)
        return total

    def statvfs(self, path):
        free = max(0, self._total - self._used)
        return (_BLOCK, _BLOCK, self._total, free, free, 0, 0, 0, 0, 255)

    def allowed(self, wanted):
        """How much of this the power lasts for; the last of it ends the board."""
        _shared.seek(_FUSE_AT)
        _shared.readinto(_armed)
        arming, budget = struct.unpack("<II", _armed)
        if arming != self._arming:
            self._arming = arming
            self._budget = budget
        if not arming or wanted <= self._budget:
            self._budget -= wanted
            return wanted
        return self._budget

    def spend(self):
        """One step that cannot be done by halves."""
        if not self.allowed(1):
            self.die()

    def die(self):
        from machine import _gone

        _gone("power")

    def take(self, blocks):
        """Claims blocks of flash, or gives them back."""
        if blocks > 0 and self._used + blocks > self._total:
            raise OSError(_ENOSPC)
        self._used += blocks

    def ilistdir(self, path):
        """Entries as littlefs has them: without an inode, with a size."""
        for name, kind, *_ in self._native.ilistdir(path):
            size = 0 if kind == 0x4000 else self.stat(path.rstrip("/") + "/" + name)[6]
            yield name, kind, 0, size

    def size(self, path):
        try:
            found = self.stat(path)
        except OSError:
            return None
        return found[6] if found[0] & 0x8000 else None

    def open(self, path, mode):
        if "w" in mode or "a" in mode or "x" in mode or "+" in mode:
            return File(self, self._native, path, mode)
        return self._native.open(path, mode)

    def mkdir(self, path):
        self.spend()
        self._native.mkdir(path)
        self.take(2)

    def rmdir(self, path):
        self.spend()
        self._native.rmdir(path)
        self.take(-2)

    def remove(self, path):
        size = self.size(path)
        self.spend()
        self._native.remove(path)
        if size is not None:
            self.take(-_blocks(size))

    def rename(self, old, new):
        lost = self.size(new)
        self.spend()
        self._native.rename(old, new)
        if lost is not None:
            self.take(-_blocks(lost))


class File(io.IOBase):
    """A file that may be written."""

    def __init__(self, flash, native, path, mode):
        before = flash.size(path)
        if before is None:
            flash.take(1)
        if before is None or "w" in mode:
            flash.spend()
        self._flash = flash
        self._file = file = native.open(path, mode)
        self._size = 0 if before is None or "w" in mode else before
        if before is not None:
            flash.take(_blocks(self._size) - _blocks(before))
        self._append = "a" in mode
        self.read = file.read
        self.readline = file.readline
        self.seek = file.seek
        self.tell = file.tell
        self.flush = file.flush

    def write(self, data, *span):
        if span:
            start, size = ((0,) + span)[-2:]
            data = memoryview(data)[start : start + size]
        data_bytes = data.encode() if isinstance(data, str) else data
        count = len(data_bytes)
        end = max(self._size, (self._size if self._append else self._file.tell()) + count)
        self._flash.take(_blocks(end) - _blocks(self._size))
        lasts = self._flash.allowed(count)
        if lasts < count:
            self._file.write(memoryview(data_bytes)[:lasts])
            self._flash.die()
        self._file.write(data_bytes)
        self._size = end
        return len(data)

    def readinto(self, buf, *size):
        return self._file.readinto(buf, *size)

    def ioctl(self, request, argument):
        if request == 4:
            self._file.close()
        return 0

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self._file.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self._file.readline()
        if not line:
            raise StopIteration
        return line
