import aora_board  # pyright: ignore[reportMissingImports]
import aora_pack  # noqa: F401  # pyright: ignore[reportMissingImports]  # the rest is in it

from aora.display import memory

memory.reserve(aora_board)  # first, while memory is whole

from aora.start import run  # noqa: E402

run(aora_board)
