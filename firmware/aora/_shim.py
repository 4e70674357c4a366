"""`micropython` and viper's pointer names for every runtime: the identity where there is none."""

import sys

if sys.implementation.name == "micropython":
    import micropython  # pyright: ignore
    from micropython import const  # pyright: ignore
else:

    def const(value):
        """The compiler puts the value in the name's place, and forgets a name with `_`."""
        return value

    class micropython:  # noqa: N801
        """Stands in for the module: viper and native code runs as plain Python."""

        @staticmethod
        def viper(function):
            return function

        native = viper

        @staticmethod
        def heap_lock():
            pass

        heap_unlock = heap_lock


def ptr8(buffer):
    return buffer


ptr16 = ptr32 = ptr8


def forget(name):
    """Lets go of aora.NAME until it is imported again: a board needs the memory more."""
    if sys.implementation.name == "micropython":
        sys.modules.pop("aora." + name, None)
        package, _, leaf = ("aora." + name).rpartition(".")
        if hasattr(sys.modules[package], leaf):
            delattr(sys.modules[package], leaf)
