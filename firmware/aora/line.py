"""A line of the wire, byte by byte, into a Record: strict JSON, fixed buffers, no allocation."""

from array import array

from aora import _scan, hud
from aora._shim import const
from aora.protocol import CODE_OF, STATES
from aora.record import ID_BYTES, NO_SEQ, Record

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
    return _scan.words(" ".join(names).encode())


_KEY_COUNT = len(_KEYS.split())
_HUD_KEY_COUNT = len(_HUD_KEYS.split())
_words = _scan.words(_KEYS)
_hud_words = _scan.words(_HUD_KEYS)
_kinds = _words_of(hud.KINDS)
_states = _words_of(STATES)
# kind -> 3 * key, range, optional of each of its fields
_hud_fields = tuple(
    [
        tuple([(3 * _HUD_KEYS.split().index(name.encode()), takes, may) for name, takes, may in f])
        for f in hud.FIELDS
    ]
)
_LEVELS_KEY = const(21)
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
        self._hud_fields = array("i", [0] * (3 * _HUD_KEY_COUNT))
        self._places = array("i", [0] * (2 * hud.LEVELS))
        self._number = array("i", [0] * 4)
        self._read = array("i", [0] * 3)  # lengths and hash: see _scan.read
        self._events = None

    def feed(self, byte):
        """Takes a byte; True when it ends a line, which `parse` then reads."""
        return _scan.collect(self.buffer, self.state, byte) != 0

    def load(self, data):
        """Takes a whole line at once, its LF left off."""
        length = len(data)
        most = LINE_BYTES - 1
        self.state[0] = length = length if length < most else most
        self.state[1] = len(data) - length
        self.state[2] = 1
        _scan.copy(self.buffer, data, length)

    def parse(self):
        """What the line is, REFUSED..BLOB; a wire message's content is then in `record`."""
        self.error = 0
        if self.state[1]:
            return self._refuse(TOO_LONG)
        fields = self.fields
        wrong = _scan.scan(self.buffer, 0, self.state[0], _words, fields)
        if wrong:
            return self._refuse(NOT_JSON if wrong == _scan.NOT_JSON else NOT_OBJECT)
        record = self.record
        record.seq = self.integer(_SEQ) if fields[_SEQ] else NO_SEQ
        if not self.session(_SESSION):
            return self._link()
        if fields[_END_KEY] == _scan.TRUE:
            return END
        if fields[_TOUCH_KEY] == _scan.TRUE:
            return TOUCH
        code = self._code()
        if code == END_CODE:
            return END
        if code < 0:
            return REFUSED
        record.code = code
        record.headless = fields[_HEADLESS] == _scan.TRUE
        record.tips_len = self._read[2]
        if record.hud.kind:
            record.hud.clear()
        if fields[_HUD] == _scan.OBJECT:
            self._hud(fields[_HUD + 1], fields[_HUD + 2])
        return UPDATE

    def integer(self, key):
        """A key's integer 0-999,999,999; NO_SEQ (-1) for anything else."""
        fields = self.fields
        if fields[key] != _scan.INTEGER:
            return NO_SEQ
        return _scan.integer(self.buffer, fields[key + 1], fields[key + 2])

    def session(self, key):
        """Reads a key's session id into the record, cut to ID_BYTES; False for none."""
        record = self.record
        got = self._read
        _scan.read(self.buffer, self.fields, key, _TIPS, record.id, record.tips, got)
        length = got[0]
        if length == 0:
            return False
        if length > ID_BYTES:
            length = cut_id(self.buffer, self.fields[key + 1], length, record.id)
            got[1] = _scan.spread(record.id, 0, length, 31)
        record.id_len = length
        record.hash = got[1] + 1
        return True

    def _refuse(self, error):
        self.error = error
        return REFUSED

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
        if fields[_DOUBT_KEY] and self.session(_DOUBT_KEY):
            return DOUBT
        return self._refuse(NO_SESSION)

    def _code(self):
        """The code by the first valid of the forms; END_CODE, or -1 with `error` set."""
        fields = self.fields
        if fields[_AORA_BOT_ID] == _scan.STRING:
            start = fields[_AORA_BOT_ID + 1]
            code = _scan.code(self.buffer, start, fields[_AORA_BOT_ID + 2])
        else:
            code = self._emotion(_AORA_BOT_ID)
        if code < 0:
            code = self._emotion(_EMOTION_ID)
        if code >= 0:
            return code
        if fields[_STATE] == _scan.STRING:
            state = _scan.find(self.buffer, fields[_STATE + 1], fields[_STATE + 2], _states)
            if state >= 0:
                return CODE_OF[state]
        if fields[_AGENT]:
            return self._event()
        self.error = NO_STATE
        return _NO_CODE

    def _emotion(self, key):
        fields = self.fields
        kind = fields[key]
        if kind == _scan.STRING:
            return _scan.code(self.buffer, fields[key + 1], fields[key + 2])
        if kind != _scan.INTEGER and kind != _scan.REAL:
            return _NO_CODE
        number = self._number
        if not _scan.number(self.buffer, fields[key + 1], fields[key + 2], number):
            return _NO_CODE
        if number[2] or number[1] < 64 or number[3] > 66:
            return _NO_CODE
        return number[0] * 10 if number[1] > 64 else number[0]

    def _event(self):
        fields = self.fields
        events = self._events or self._load_events()
        agent = _NO_CODE
        if fields[_AGENT] == _scan.STRING:
            start = fields[_AGENT + 1]
            agent = _scan.find(self.buffer, start, fields[_AGENT + 2], events.agents)
        if agent < 0:
            self.error = UNKNOWN_AGENT
            return _NO_CODE
        event = _NO_CODE
        if fields[_EVENT] == _scan.STRING:
            start = fields[_EVENT + 1]
            event = _scan.find(self.buffer, start, fields[_EVENT + 2], events.events[agent])
        if event < 0:
            self.error = UNKNOWN_EVENT
            return _NO_CODE
        return events.codes[agent][event]

    def _load_events(self):
        # By the first message that needs them: few boards ever do, and importing allocates.
        from aora import events

        self._events = events
        return events

    def _hud(self, start, length):
        """Reads a dial; a malformed one is dropped."""
        fields = self._hud_fields
        _scan.scan(self.buffer, start, start + length, _hud_words, fields)
        if fields[0] != _scan.STRING:
            return
        kind = _scan.find(self.buffer, fields[1], fields[2], _kinds) + 1
        dial = self.record.hud
        dial.count = 0
        if kind == hud.WAVEFORM:
            whole = self._levels(dial, fields)
        else:
            whole = kind > 0
            for field in _hud_fields[kind]:
                key = field[0]
                if not fields[key]:
                    whole = whole and field[2]
                elif (
                    fields[key] != _scan.INTEGER
                    and fields[key] != _scan.REAL
                    or not self._take(dial, fields[key + 1], fields[key + 2], field[1])
                ):
                    whole = False
        if whole:
            dial.kind = kind

    def _levels(self, dial, fields):
        if fields[_LEVELS_KEY] != _scan.ARRAY:
            return False
        places = self._places
        start = fields[_LEVELS_KEY + 1]
        length = fields[_LEVELS_KEY + 2]
        count = _scan.elements(self.buffer, start, length, places, hud.LEVELS)
        i = 0
        while i < count:
            if not self._take(dial, places[2 * i], places[2 * i + 1], hud.UNIT):
                return False
            i += 1
        return count > 0

    def _take(self, dial, start, length, takes):
        """Adds a number to the dial if it is in range."""
        number = self._number
        if not _scan.number(self.buffer, start, length, number):
            return False
        mantissa = number[0]
        if takes != hud.ANY:
            if number[2] or (takes == hud.POSITIVE and mantissa == 0):
                return False
            if takes == hud.UNIT and number[3] > 64 and (mantissa != 1 or number[1] != 64):
                return False
            if takes == hud.UP_TO_64 and _over_64(mantissa, number[1] - 64, number[3] - 64):
                return False
        dial.mant[dial.count] = -mantissa if number[2] else mantissa
        dial.exp[dial.count] = number[1] - 64
        dial.count += 1
        return True


def _over_64(mantissa, exponent, places):
    if places != 2:
        return places > 2
    whole = 64
    while exponent < 0:
        whole *= 10
        exponent += 1
    while exponent > 0:
        mantissa *= 10
        exponent -= 1
    return mantissa > whole


def cut_id(source, start, length, target):
    """The stand-in of a session id longer than ID_BYTES, into `target`; answers its length.

    Its first whole characters within 54 bytes, `~`, and nine hex digits: two 18-bit hashes
    (factors 31 and 1021) of the whole id.
    """
    kept = _scan.whole(source, start, length, ID_BYTES - 10)
    _scan.take(target, source, start, kept)
    target[kept] = 0x7E
    high = _scan.spread(source, start, length, 31)
    low = _scan.spread(source, start, length, 1021)
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
