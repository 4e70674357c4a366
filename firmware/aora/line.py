"""A line of the wire, byte by byte, into a Record: strict JSON, fixed buffers, no allocation."""

from array import array

from aora import _scan, _tables, hud
from aora import record as rec
from aora._shim import const, micropython, ptr8, ptr32  # noqa: F401
from aora.protocol import CODE_OF, STATES
from aora.record import ID_BYTES, Record

LINE_BYTES = 1024  # with the LF

# What a parsed line is. From HELLO on: the link's own lines, in the order of their words below.
REFUSED = const(0)
UPDATE = const(1)
END = const(2)
TOUCH = const(3)
HELLO = const(4)
PING = const(5)
GET = const(6)
SET = const(7)
SNAPSHOT = const(8)
DOUBT = const(9)
BLOB = const(10)

# Why one is refused, as ERRORS' places.
TOO_LONG = const(1)
NOT_JSON = const(2)
NOT_OBJECT = const(3)
NO_SESSION = const(4)
UNKNOWN_AGENT = const(5)
UNKNOWN_EVENT = const(6)
NO_STATE = const(7)
ERRORS = (
    "",
    "too long",
    "not JSON",
    "not an object",
    "missing session_id",
    "unknown agent_id",
    "unknown event",
    "no state",
)

# Keys, by what they are: fields' places in `Line.fields` are 3 * these.
_KEYS = (
    b"session_id aoraBotId emotionId state agent_id event tips hud headless end touch hello ping "
    b"get set snapshot doubt blob seq at_ms age_ms min at of data crc"
)
_SESSION = const(0)
_AORA_BOT_ID = const(3)
_EMOTION_ID = const(6)
_STATE = const(9)
_AGENT = const(12)
_EVENT = const(15)
_TIPS = const(18)
_HUD = const(21)
_HEADLESS = const(24)
_END_KEY = const(27)
_TOUCH_KEY = const(30)
_HELLO_KEY = const(33)
PING_KEY = const(36)
_GET_KEY = const(39)
SET_KEY = const(42)
SNAPSHOT_KEY = const(45)
_DOUBT_KEY = const(48)
BLOB_KEY = const(51)
_SEQ = const(54)
AT_MS = const(57)
AGE_MS = const(60)
MINUTE = const(63)
BLOB_AT = const(66)
BLOB_OF = const(69)
BLOB_DATA = const(72)
BLOB_CRC = const(75)

_HUD_KEYS = b"kind value remainingMs totalMs used total level levels target"

_NO_CODE = const(-1)
END_CODE = const(254)  # of an event that ends its session


def _words_of(names):
    return _tables.words(" ".join(names).encode())


def _hud_key(name):
    return 3 * _HUD_KEYS.split().index(name.encode())


_KEY_COUNT = len(_KEYS.split())
_HUD_KEY_COUNT = len(_HUD_KEYS.split())
_words = _tables.words(_KEYS)
_hud_words = _tables.words(_HUD_KEYS)
_kinds = _words_of(hud.KINDS)
_states = _words_of(STATES)
# kind -> how many fields it has, then 3 * key, range, optional of each of them
_hud_fields = tuple(
    [
        bytes([len(f)] + [n for name, takes, may in f for n in (_hud_key(name), takes, may)])
        for f in hud.FIELDS
    ]
)
_LEVELS_KEY = const(21)
# Words and bytes of a record, for viper.
_ID_LEN = const(0)
_HASH = const(1)
_FAMILY = const(2)
_PARENT = const(3)
_TIPS_LEN = const(4)
_CODE = const(5)
_SEQ_WORD = const(6)
_HEADLESS_WORD = const(7)
_KIND = const(9)
_COUNT = const(10)
_SLASH = const(0x2F)
_TIPS_AT = const(64)
_HASH_DIGITS = b"0123456789abcdef"


class Line:
    """Collects bytes up to LF, then reads them into `record`.

    `error` says why the last line was refused (a place in ERRORS).
    """

    def __init__(self):
        self.buffer = bytearray(LINE_BYTES)
        self.state = array("i", (0, 0, 0))  # bytes so far, bytes beyond, whether it is whole
        self.record = Record()
        self.fields = array("i", [0] * (3 * _KEY_COUNT))
        self.error = 0
        self._told = (self.buffer, self.fields)
        self._hud_told = (self.buffer, array("i", [0] * (3 * _HUD_KEY_COUNT)))
        self._level_told = (self.buffer, array("i", [0] * 3))
        # Where numbers go: a dial's into the record.
        self._dial = (memoryview(self.record.words)[rec.MANT :], self.record.hud.exps)
        self._number = (array("i", [0]), bytearray(1))
        self._byte = bytearray(1)
        self._events = None

    def feed(self, byte):
        """Takes a byte; True when it ends a line, which `parse` then reads."""
        self._byte[0] = byte
        return self.take(self._byte, 1)

    def take(self, data, count):
        """Takes `count` bytes; True when the last of them ends a line."""
        return _scan.collect(0, count, data, self.buffer, self.state) != 0

    def load(self, data):
        """Takes a whole line at once, its LF left off."""
        length = len(data)
        most = LINE_BYTES - 1
        self.state[0] = length = length if length < most else most
        self.state[1] = len(data) - length
        self.state[2] = 1
        _scan.copy(0, length, data, self.buffer, 0)
        self.buffer[length] = 0

    def parse(self):
        """What the line is, REFUSED..BLOB; a wire message's content is then in `record`."""
        self.error = 0
        if self.state[1]:
            return self._refuse(TOO_LONG)
        kind = _scan.scan(self._told, 0, self.state[0], _words)
        if kind:
            return self._refuse(NOT_JSON if kind == _scan.NOT_JSON else NOT_OBJECT)
        kind = _read(self._told, _SESSION, self.record.parts)
        if kind == REFUSED:
            return self._link()
        words = self.record.words
        if words[rec.ID_LEN] > ID_BYTES:
            self._cut(_SESSION)
        if kind == UPDATE:
            if words[rec.CODE] < 0:
                kind = self._code(words)
            if self.fields[_HUD] == _scan.OBJECT:
                self._hud(words)
        return kind

    def integer(self, key):
        """A key's integer 0-999,999,999; NO_SEQ (-1) for anything else."""
        return _scan.integer(self._told, key)

    def _refuse(self, error):
        self.error = error
        return REFUSED

    def _cut(self, key):
        """Puts the stand-in of a long session id into the record."""
        words = self.record.words
        text = self.record.text
        length = cut_id(self.buffer, self.fields[key + 1], words[rec.ID_LEN], text)
        parent = 0
        while parent < length and text[parent] != _SLASH:
            parent += 1
        words[rec.ID_LEN] = length
        words[rec.HASH] = _spread(text, 0, length, 31) + 1
        words[rec.PARENT] = parent = parent or length
        words[rec.FAMILY] = _spread(text, 0, parent, 31) + 1

    def _link(self):
        """The kind of a line without a session: the link's own, or refused."""
        fields = self.fields
        if fields[PING_KEY] == _scan.INTEGER:
            return PING
        if fields[_HELLO_KEY] == _scan.TRUE:
            return HELLO
        if fields[_GET_KEY] == _scan.TRUE:
            return GET
        if fields[SNAPSHOT_KEY] == _scan.STRING:
            return SNAPSHOT
        if fields[SET_KEY] == _scan.OBJECT:
            return SET
        if fields[BLOB_KEY]:
            return BLOB
        if not _read(self._told, _DOUBT_KEY, self.record.parts):
            return self._refuse(NO_SESSION)
        if self.record.words[rec.ID_LEN] > ID_BYTES:
            self._cut(_DOUBT_KEY)
        return DOUBT

    def _code(self, words):
        """Reads the code by the first valid of its forms; UPDATE, END or REFUSED."""
        fields = self.fields
        code = self._emotion(_AORA_BOT_ID) if fields[_AORA_BOT_ID] else _NO_CODE
        if code < 0 and fields[_EMOTION_ID]:
            code = self._emotion(_EMOTION_ID)
        if code < 0:
            code = _scan.find(self._told, _STATE, _states)
            if code >= 0:
                code = CODE_OF[code]
            elif fields[_AGENT]:
                code = self._event()
            else:
                self.error = NO_STATE
        words[rec.CODE] = code
        return REFUSED if code < 0 else END if code == END_CODE else UPDATE

    def _emotion(self, key):
        if self.fields[key] == _scan.STRING:
            return _scan.code(self._told, key)
        number = self._number
        if not _scan.number(self._told, key, hud.NOT_NEGATIVE, number, 0):
            return _NO_CODE
        code = number[0][0]
        if number[1][0] == 65:
            code *= 10
        elif number[1][0] != 64:
            return _NO_CODE
        return code if code <= 99 else _NO_CODE

    def _event(self):
        events = self._events or self._load_events()
        agent = _scan.find(self._told, _AGENT, events.agents)
        if agent < 0:
            self.error = UNKNOWN_AGENT
            return _NO_CODE
        event = _scan.find(self._told, _EVENT, events.events[agent])
        if event < 0:
            self.error = UNKNOWN_EVENT
            return _NO_CODE
        return events.codes[agent][event]

    def _load_events(self):
        # By the first message that needs them: few boards ever do, and importing allocates.
        from aora import events

        self._events = events
        return events

    def _hud(self, words):
        """Reads a dial; a malformed one is dropped."""
        told = self._hud_told
        _scan.scan(told, self.fields[_HUD + 1], 0, _hud_words)  # up to its brace: it is whole
        kind = _scan.find(told, 0, _kinds) + 1
        if kind == hud.WAVEFORM:
            count = _scan.levels(told, _LEVELS_KEY, self._level_told, self._dial)
        else:
            count = _scan.numbers(told, _hud_fields[kind], self._dial)
        if count:
            words[rec.KIND] = kind
            words[rec.KIND + 1] = count


@micropython.viper
def _read(line, who: int, record) -> int:
    """Reads a message about the session that field `who` names: UPDATE, END or TOUCH; 0 for none.

    Its code becomes -1 unless it is a string of two digits or the name of a state. Of an id that
    is too long only the length is right.
    """
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    words = ptr32(record[0])  # pyright: ignore[reportCallIssue]
    out = ptr8(record[1])  # pyright: ignore[reportCallIssue]
    words[_SEQ_WORD] = int(_scan.integer(line, _SEQ))
    place = fields[who + 1]
    length = fields[who + 2]
    if fields[who] == 2:
        if length == 2 and text[place] == 0x2D and text[place + 1] == 0x30:
            place += 1  # -0 is 0
            length = 1
    elif fields[who] != 1:
        length = 0
    if length == 0:
        return 0
    words[_ID_LEN] = length
    words[_PARENT] = length
    words[_FAMILY] = 0
    value = 2  # one more than the hash, which is never 0 then
    i = 0
    while i < length and length <= 64:
        c = text[place + i]
        if c == 0x2F and words[_FAMILY] == 0 and i:
            words[_FAMILY] = value
            words[_PARENT] = i
        out[i] = c
        value = (((value - 1) * 31 + c) & 0x3FFFF) + 1
        i += 1
    words[_HASH] = value
    if words[_FAMILY] == 0:
        words[_FAMILY] = value
    length = 0
    if fields[_TIPS] == 1:
        place = fields[_TIPS + 1]
        length = fields[_TIPS + 2]
        if length > 160:
            length = 160  # less the start of a character that is cut
            while length > 0 and text[place + length] & 0xC0 == 0x80:
                length -= 1
        i = 0
        while i < length:
            out[_TIPS_AT + i] = text[place + i]
            i += 1
    words[_TIPS_LEN] = length
    words[_KIND] = 0
    words[_COUNT] = 0
    words[_HEADLESS_WORD] = 1 if fields[_HEADLESS] == 4 else 0
    if fields[_END_KEY] == 4:
        return 2
    if fields[_TOUCH_KEY] == 4:
        return 3
    value = 0 - 1
    if fields[_AORA_BOT_ID] == 1 and fields[_AORA_BOT_ID + 2] == 2:
        place = fields[_AORA_BOT_ID + 1]
        high = text[place] - 0x30
        low = text[place + 1] - 0x30
        if high >= 0 and high <= 9 and low >= 0 and low <= 9:
            value = high * 10 + low
    elif fields[_AORA_BOT_ID] == 0 and fields[_EMOTION_ID] == 0:
        value = int(_scan.find(line, _STATE, _states))
        if value >= 0:
            codes = ptr8(CODE_OF)  # pyright: ignore[reportCallIssue]
            value = codes[value]
    words[_CODE] = value
    return 1


def cut_id(source, start, length, target):
    """The stand-in of a session id longer than ID_BYTES, into `target`; answers its length.

    Its first whole characters within 54 bytes, `~`, and nine hex digits: two 18-bit hashes
    (factors 31 and 1021) of the whole id.
    """
    kept = length
    if length > ID_BYTES - 10:
        kept = ID_BYTES - 10
        while kept and source[start + kept] & 0xC0 == 0x80:
            kept -= 1
    _scan.copy(start, start + kept, source, target, 0)
    target[kept] = 0x7E
    high = _spread(source, start, length, 31)
    low = _spread(source, start, length, 1021)
    # 36 bits, four at a time from the left; the fifth digit is half of each.
    i = 0
    while i < 9:
        if i < 4:
            digit = high >> (14 - 4 * i)
        elif i == 4:
            digit = ((high & 3) << 2) | (low >> 16)
        else:
            digit = low >> (32 - 4 * i)
        target[kept + 1 + i] = _HASH_DIGITS[digit & 15]
        i += 1
    return kept + 10


def _spread(text, start, length, factor):
    """An 18-bit hash: h = (h * factor + byte) modulo 2^18, from 1; factor below 2^11."""
    value = 1
    for i in range(start, start + length):
        value = (value * factor + text[i]) & 0x3FFFF
    return value
