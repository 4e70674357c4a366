import aora_board
from aora.start import run

run(aora_board)
