"""The virtual board: the firmware in MicroPython's unix build, with panel and ring decoded."""

from host_bridge.virtual.board import BoardFailed, HomeInUse, VirtualBoard
from host_bridge.virtual.interpreter import NoMicroPython

__all__ = ["BoardFailed", "HomeInUse", "NoMicroPython", "VirtualBoard"]
