from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

# What viper reads as a pointer is a buffer of integers anywhere else.
ptr8: TypeAlias = Any
ptr16: TypeAlias = Any
ptr32: TypeAlias = Any

def const(value: T) -> T: ...
def forget(name: str) -> None: ...

class micropython:
    @staticmethod
    def viper(function: T) -> T: ...
    @staticmethod
    def native(function: T) -> T: ...
    @staticmethod
    def heap_lock() -> None: ...
    @staticmethod
    def heap_unlock() -> None: ...
