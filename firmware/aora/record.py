"""One update in fixed buffers: what a line says, what a session is, what the face shows."""

from aora._scan import copy, same
from aora.hud import Hud
from aora.protocol import IDLE_CODE, STATE_OF

ID_BYTES = 64
TIPS_BYTES = 160
NO_SEQ = -1


class Record:
    """A session's id and caption as bytes with lengths, its code, dial and order number.

    `id_len` 0 is nobody; `seq` is the sender's number, or NO_SEQ; `doubted` says that there has
    been no evidence of the session's state for a while.
    """

    def __init__(self):
        self.id = bytearray(ID_BYTES)
        self.tips = bytearray(TIPS_BYTES)
        self.hud = Hud()
        self.clear()

    def clear(self):
        """Nobody, idle."""
        self.id_len = 0
        self.tips_len = 0
        self.code = IDLE_CODE
        self.headless = False
        self.doubted = False
        self.seq = NO_SEQ
        self.hud.clear()

    @property
    def state(self):
        """Index of the state in protocol.STATES."""
        return STATE_OF[self.code]

    def copy_from(self, other):
        self.id_len = other.id_len
        copy(self.id, other.id, other.id_len)
        self.code = other.code
        self.headless = other.headless
        self.doubted = other.doubted
        self.seq = other.seq
        self.copy_caption(other)

    def copy_caption(self, other):
        """Takes over the other's tips and dial."""
        self.tips_len = other.tips_len
        copy(self.tips, other.tips, other.tips_len)
        if other.hud.kind or self.hud.kind:
            self.hud.copy_from(other.hud)

    def same_session(self, other):
        length = self.id_len
        return length == other.id_len and bool(same(self.id, other.id, length))

    def same_caption(self, other):
        length = self.tips_len
        return (
            length == other.tips_len
            and bool(same(self.tips, other.tips, length))
            and self.hud.same(other.hud)
        )
