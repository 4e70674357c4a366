# Runs on MicroPython: mounts an image with the littlefs that boards have, on a block device laid
# out as the rp2 port's, prints each file's hash, writes one more and reads it back.
import binascii
import hashlib
import os
import sys

import vfs

BLOCK = 4096


class Flash:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = bytearray(file.read())

    def readblocks(self, number, buffer, offset=0):
        start = number * BLOCK + offset
        buffer[:] = self.data[start : start + len(buffer)]

    def writeblocks(self, number, buffer, offset=0):
        start = number * BLOCK + offset
        assert len(buffer) % 256 == 0 and start % 256 == 0  # pages
        for i, byte in enumerate(buffer):
            assert self.data[start + i] & byte == byte, "a bit was set without erasing"
            self.data[start + i] = byte

    def ioctl(self, op, argument):
        if op == 4:
            return len(self.data) // BLOCK
        if op == 5:
            return BLOCK
        if op == 6:
            start = argument * BLOCK
            self.data[start : start + BLOCK] = b"\xff" * BLOCK
        return 0


def walk(folder):
    for name, kind, *_ in os.ilistdir(folder):
        path = folder + "/" + name
        if kind == 0x4000:
            walk(path)
        else:
            with open(path, "rb") as file:
                digest = binascii.hexlify(hashlib.sha256(file.read()).digest()).decode()
            print(path[len("/image/") :], digest)


flash = Flash(sys.argv[1])
vfs.mount(vfs.VfsLfs2(flash, progsize=256), "/image")
walk("/image")
with open("/image/settings.json", "w") as file:
    file.write("kept" * 2000)
vfs.umount("/image")
vfs.mount(vfs.VfsLfs2(flash, progsize=256), "/image")
with open("/image/settings.json") as file:
    print("written", file.read() == "kept" * 2000, os.statvfs("/image")[2])
