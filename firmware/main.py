import gc

import aora_board  # pyright: ignore[reportMissingImports]

from aora.display import memory

memory.reserve(aora_board)  # first, while memory is whole
gc.threshold(32768)  # loading leaves much behind: picked up early, the rest stays whole

from aora.start import run  # noqa: E402

run(aora_board)
