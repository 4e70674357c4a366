"""One update in fixed buffers: what a line says, what a session is, what the face shows.

A record's numbers are words of one array and its texts bytes of another, so that a call copies
it. A table holds records side by side in two such arrays. Both go to viper in tuples.
"""

from array import array

from aora._shim import const, micropython, ptr8, ptr32  # noqa: F401
from aora.hud import Hud
from aora.protocol import IDLE_CODE, STATE_OF

ID_BYTES = 64
TIPS_BYTES = 160
NO_SEQ = -1

# Words.
ID_LEN = 0  # 0: nobody
HASH = 1  # of the id; never 0
FAMILY = 2  # hash of the id up to a subagent's slash
PARENT = 3  # bytes of the id up to there
TIPS_LEN = 4
CODE = 5
SEQ = 6  # the sender's number, or NO_SEQ
HEADLESS = 7
DOUBTED = 8  # there has been no evidence of the session's state for a while
KIND = 9  # the dial's, with the count of its numbers and their mantissas behind
MANT = 11
WORDS = 35
# Bytes: the id, the caption, the exponents of the dial's numbers.
TIPS = 64
EXPS = 224
BYTES = 248

# The same for viper, which takes the numbers of its own module only.
_ID_LEN = const(0)
_HASH = const(1)
_TIPS_LEN = const(4)
_CODE = const(5)
_HEADLESS = const(7)
_COUNT = const(10)
_MANT = const(11)
_WORDS = const(35)
_TIPS = const(64)
_EXPS = const(224)
_BYTES = const(248)
# A table's parts, the first two of which a record has as well.
_INDEX = const(2)
_COUNT_OF = const(3)
# Its index: four words of each place.
_RANK = const(1)
_ORDER = const(2)
_EXPIRES = const(3)
_PLACE = const(4)

# Of a table: its index and number of places; of the index: a place's rank and expiry.
INDEX = 2
COUNT = 3
RANK = 1
EXPIRES = 3

# What `like` finds the same; only with both is the caption looked at.
SESSION = 1
SAME_CODE = 2
CAPTION = 4


def _word(place):
    def get(self):
        return self.words[place]

    def put(self, value):
        self.words[place] = value

    return property(get, put)


class Record:
    """A session's id and caption as bytes with lengths, its code, dial and order number."""

    id_len = _word(ID_LEN)
    tips_len = _word(TIPS_LEN)
    code = _word(CODE)
    seq = _word(SEQ)
    doubted = _word(DOUBTED)

    @property
    def headless(self):
        return self.words[HEADLESS] != 0

    def __init__(self):
        self.words = array("i", [0] * WORDS)
        self.text = bytearray(BYTES)
        self.parts = (self.words, self.text)
        self.id = memoryview(self.text)[:TIPS]
        self.tips = memoryview(self.text)[TIPS:EXPS]
        self.hud = Hud(memoryview(self.words)[KIND:], memoryview(self.text)[EXPS:])
        self.clear()

    def clear(self):
        """Nobody, idle."""
        i = 0
        while i <= KIND:
            self.words[i] = 0
            i += 1
        self.words[HASH] = 1
        self.words[CODE] = IDLE_CODE
        self.words[SEQ] = NO_SEQ

    @property
    def state(self):
        """Index of the state in protocol.STATES."""
        return STATE_OF[self.words[CODE]]

    def copy_from(self, other):
        copy(self.parts, 0, other.parts, 0)


def table(count):
    """An empty table: words, bytes, index, number of places.

    The index holds four words a place: the record's hash (0: free), its rank (priority + 1; 0
    for free or headless), its place in the order of age, and when it expires.
    """
    index = array("i", [0] * (4 * count))
    for place in range(count):
        index[4 * place + 2] = place
    words = array("i", bytes(4 * WORDS * count))
    return words, bytearray(BYTES * count), index, count


def records(table):
    """A table's records, oldest first. For reading off the hot path."""
    index = table[INDEX]
    used = [place for place in range(len(index) // 4) if index[4 * place]]
    found = []
    for place in sorted(used, key=lambda place: index[4 * place + 2]):
        record = Record()
        copy(record.parts, 0, table, place)
        found.append(record)
    return found


def drop(table, place):
    """Frees a place; its record can still be read."""
    index = table[INDEX]
    index[4 * place] = 0
    index[4 * place + RANK] = 0


@micropython.viper
def copy(copied, at: int, of, place: int):
    """Copies the record in `place` of one table, or one record, over that `at` one of another."""
    words = ptr32(of[0])  # pyright: ignore[reportCallIssue]
    text = ptr8(of[1])  # pyright: ignore[reportCallIssue]
    to = ptr32(copied[0])  # pyright: ignore[reportCallIssue]
    out = ptr8(copied[1])  # pyright: ignore[reportCallIssue]
    w = at * _WORDS
    k = place * _WORDS
    i = 0
    while i < _MANT:
        to[w + i] = words[k + i]
        i += 1
    count = words[k + _COUNT]
    length = words[k + _TIPS_LEN]
    at *= _BYTES
    place *= _BYTES
    i = words[k + _ID_LEN]
    while i:
        i -= 1
        out[at + i] = text[place + i]
    at += _TIPS
    place += _TIPS
    while length:
        length -= 1
        out[at + length] = text[place + length]
    at += _EXPS - _TIPS
    place += _EXPS - _TIPS
    while count:
        count -= 1
        to[w + _MANT + count] = words[k + _MANT + count]
        out[at + count] = text[place + count]


@micropython.viper
def like(of, place: int, record) -> int:
    """What the record in `place` and another have in common: SESSION, SAME_CODE, CAPTION."""
    words = ptr32(of[0])  # pyright: ignore[reportCallIssue]
    text = ptr8(of[1])  # pyright: ignore[reportCallIssue]
    to = ptr32(record[0])  # pyright: ignore[reportCallIssue]
    out = ptr8(record[1])  # pyright: ignore[reportCallIssue]
    k = place * _WORDS
    place *= _BYTES
    same = 2 if words[k + _CODE] == to[_CODE] else 0
    i = to[_ID_LEN]
    if words[k + _HASH] != to[_HASH] or words[k + _ID_LEN] != i:
        return same
    while i:
        i -= 1
        if text[place + i] != out[i]:
            return same
    same |= 1
    length = to[_TIPS_LEN]
    count = to[_COUNT]
    if words[k + _TIPS_LEN] != length or words[k + _COUNT] != count:
        return same
    place += _TIPS
    while length:
        length -= 1
        if text[place + length] != out[_TIPS + length]:
            return same
    if words[k + _COUNT - 1] != to[_COUNT - 1]:
        return same
    place += _EXPS - _TIPS
    while count:
        count -= 1
        if text[place + count] != out[_EXPS + count]:
            return same
        if words[k + _MANT + count] != to[_MANT + count]:
            return same
    return same | 4


@micropython.viper
def find(table, record, code: int) -> int:
    """The place of a record's session (and this code, unless it is negative); -1 for none."""
    words = ptr32(table[0])  # pyright: ignore[reportCallIssue]
    text = ptr8(table[1])  # pyright: ignore[reportCallIssue]
    index = ptr32(table[_INDEX])  # pyright: ignore[reportCallIssue]
    count = int(table[_COUNT_OF])
    who = ptr32(record[0])  # pyright: ignore[reportCallIssue]
    name = ptr8(record[1])  # pyright: ignore[reportCallIssue]
    length = who[_ID_LEN]
    place = 0
    while place < count:
        k = place * _WORDS
        if index[place * _PLACE] == who[_HASH] and words[k + _ID_LEN] == length:
            k = words[k + _CODE]
            i = length
            if code < 0 or k == code:
                k = place * _BYTES
                while i and text[k + i - 1] == name[i - 1]:
                    i -= 1
                if i == 0:
                    return place
        place += 1
    return 0 - 1


@micropython.viper
def put(table, place: int, record, rank: int, expires: int):
    """Copies a record into a place; it is the newest then, the others' order kept."""
    copy(table, place, record, 0)
    index = ptr32(table[_INDEX])  # pyright: ignore[reportCallIssue]
    who = ptr32(record[0])  # pyright: ignore[reportCallIssue]
    count = int(table[_COUNT_OF])
    place *= _PLACE
    order = index[place + _ORDER]
    index[place] = who[_HASH]
    index[place + _RANK] = rank
    index[place + _ORDER] = count - 1
    index[place + _EXPIRES] = expires
    i = count
    while i:
        i -= 1
        k = i * _PLACE
        if k != place and index[k + _ORDER] > order:
            index[k + _ORDER] = index[k + _ORDER] - 1


@micropython.viper
def store(table, record, priorities: ptr32, expires: int) -> int:
    """Puts a record into its session's place, or a free one; answers which, -1 for none."""
    who = ptr32(record[0])  # pyright: ignore[reportCallIssue]
    place = int(find(table, record, 0 - 1))
    if place < 0:
        place = int(free(table[_INDEX], table[_COUNT_OF]))
    if place >= 0:
        rank = 0 if who[_HEADLESS] else priorities[who[_CODE]] + 1
        put(table, place, record, rank, expires)
    return place


@micropython.viper
def free(index: ptr32, count: int) -> int:
    """The first free place; -1 for none."""
    place = 0
    while place < count:
        if index[place * _PLACE] == 0:
            return place
        place += 1
    return 0 - 1


@micropython.viper
def best(index: ptr32, count: int, newest: int) -> int:
    """The place of the highest rank but 0, among equals the newest or oldest; -1 for none."""
    found = 0 - 1
    top = 0
    age = 0
    count *= _PLACE
    i = 0
    while i < count:
        rank = index[i + _RANK]
        if rank and rank >= top:
            order = index[i + _ORDER]
            if rank > top or (order > age if newest else order < age):
                top = rank
                age = order
                found = i
        i += _PLACE
    return found if found < 0 else found // _PLACE


@micropython.viper
def least(index: ptr32, count: int) -> int:
    """The place of the lowest rank, among equals the oldest."""
    found = 0
    i = _PLACE
    count *= _PLACE
    while i < count:
        rank = index[i + _RANK]
        low = index[found + _RANK]
        if rank < low or (rank == low and index[i + _ORDER] < index[found + _ORDER]):
            found = i
        i += _PLACE
    return found // _PLACE


@micropython.viper
def wait(index: ptr32, count: int, now: int, dwell_end: int, stick_end: int) -> int:
    """Milliseconds, modulo 2^29, from `now` to the first expiry or end; 2^29 for never.

    An end of 2^29 never comes.
    """
    least = 0x20000000
    if dwell_end < least:
        least = (dwell_end - now) & 0x1FFFFFFF
    if stick_end < 0x20000000 and (stick_end - now) & 0x1FFFFFFF < least:
        least = (stick_end - now) & 0x1FFFFFFF
    i = 0
    while count:
        if index[i]:
            left = (index[i + _EXPIRES] - now) & 0x1FFFFFFF
            if left < least:
                least = left
        i += _PLACE
        count -= 1
    return least
