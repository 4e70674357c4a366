"""One update in fixed buffers: what a line says, what a session is, what the face shows."""

from aora._scan import copy, copy_both, same
from aora.hud import NONE, Hud
from aora.protocol import IDLE_CODE, STATE_OF

ID_BYTES = 64
TIPS_BYTES = 160
NO_SEQ = -1


class Record:
    """A session's id and caption as bytes with lengths, its code, dial and order number.

    `id_len` 0 is nobody, `hash` is of the id (never 0); `seq` is the sender's number, or NO_SEQ;
    `doubted` says that there has been no evidence of the session's state for a while.
    """

    def __init__(self):
        self.id = bytearray(ID_BYTES)
        self.tips = bytearray(TIPS_BYTES)
        self.hud = Hud()
        self.clear()

    def clear(self):
        """Nobody, idle."""
        self.id_len = 0
        self.hash = 1
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
        self.id_len = length = other.id_len
        self.hash = other.hash
        self.code = other.code
        self.headless = other.headless
        self.doubted = other.doubted
        self.seq = other.seq
        self.tips_len = tips = other.tips_len
        copy_both(self.id, other.id, length, self.tips, other.tips, tips)
        if other.hud.kind or self.hud.kind:
            self.hud.copy_from(other.hud)

    def copy_caption(self, other):
        """Takes over the other's tips and dial."""
        self.tips_len = length = other.tips_len
        copy(self.tips, other.tips, length)
        if other.hud.kind or self.hud.kind:
            self.hud.copy_from(other.hud)

    def same_session(self, other):
        return (
            self.hash == other.hash
            and self.id_len == other.id_len
            and same(self.id, other.id, self.id_len) != 0
        )

    def same_caption(self, other):
        length = self.tips_len
        if length != other.tips_len or same(self.tips, other.tips, length) == 0:
            return False
        return self.hud.kind == other.hud.kind == NONE or self.hud.same(other.hud)
