"""The hot loops: strict JSON, word look-up, numbers and byte copies.

Viper where there is one, plain Python elsewhere. Products are masked: nothing passes 2^30.
A `line` is a pair: its bytes, and three words for each field (see scan). What belongs together
comes in tuples because few arguments matter: MicroPython takes the memory of a caller with more
than eleven words of locals and stack from the heap, and searches that for it in every call.
"""

from aora._shim import const, micropython, ptr8, ptr16, ptr32  # noqa: F401
from aora._tables import grammar

OK = 0
NOT_JSON = 1
NOT_OBJECT = 2

# Types of a value, in a field's first place; its other two are start and length.
ABSENT = 0
STRING = 1
INTEGER = 2
REAL = 3
TRUE = 4
FALSE = 5
NULL = 6
OBJECT = 7
ARRAY = 8

_GRAMMAR = grammar()
_ROWS = const(256)
_WIDTH = const(40)
_GOALS = const(1660)  # less the number of the first action
_ESCAPES = const(1618)  # less `b`
_PLAIN = const(14)
# The grammar's states and actions that a step is about.
_KEY = const(2)
_COLON = const(4)
_IN_STRING = const(23)
_NAME = const(36)
_TEXT = const(37)
_QUOTE = const(38)
_WORD = const(41)
_OPEN = const(42)
_CLOSE = const(44)
_COMMA = const(46)
_BEGIN = const(47)
_ESCAPE = const(53)
_STOP = const(54)
# Of hud.py: what a level takes, and how many there may be.
_UNIT = const(3)
_LEVELS = const(24)


@micropython.viper
def find(line, key: int, words: ptr16) -> int:
    """The ordinal of the name that a field's string is; -1 for none."""
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    start = fields[key + 1]
    length = fields[key + 2]
    if fields[key] != 1:
        return 0 - 1
    value = 0
    i = 0
    while i < length:
        value = (value * 31 + text[start + i]) & 0xFFFF
        i += 1
    value &= words[0]
    while words[2 + value] != 0:
        place = words[2 + value]
        if words[place + 1] == length:
            i = 0
            while i < length and words[place + 2 + i] == text[start + i]:
                i += 1
            if i == length:
                return words[place]
        value = (value + 1) & words[0]
    return 0 - 1


@micropython.viper
def scan(line, i: int, end: int, words: ptr16) -> int:
    """Checks that bytes [i:end) are one JSON object; answers OK, NOT_JSON or NOT_OBJECT.

    For each of `words` that is a key of that object, its field (of three words, by ordinal)
    becomes type, start and length of its last value. The object's own strings are unescaped
    where they stand.
    Behind the text of a line there has to be a zero: no string holds one, so loops end there.
    """
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    table = ptr8(_GRAMMAR)  # pyright: ignore[reportCallIssue]
    k = 3 * words[1]
    while k > 0:
        k -= 3
        fields[k] = 0
    top = 2
    depth = 0
    objects = 0  # a bit a level: 1 in an object
    field = 0 - 1  # where the value of the object's last key goes
    string = 0
    begin = 0
    escaped = 0
    word = 0
    state = 0
    while True:
        state = table[_ROWS + _WIDTH * state + table[text[i]]]
        i += 1
        if state < _NAME:
            continue
        if state <= _TEXT:
            string = state
            begin = i
            escaped = 0
            while table[text[i]] >= _PLAIN:
                i += 1
            state = _IN_STRING
            continue
        action = state
        state = table[_GOALS + action]
        if action >= _BEGIN:
            if action > _ESCAPE:
                return top if action == _STOP and depth == 0 and i > end else 1
            if action == _ESCAPE:
                escaped = 1
            else:
                begin = i - 1
                word = action - 46
        elif action == _COMMA:
            if depth == 0:
                return 1
            if objects & 1:
                state = _KEY
        elif action >= _CLOSE:
            if depth == 0 or objects & 1 != 45 - action:
                return 1
            objects >>= 1
            depth -= 1
            if depth == 0 and i >= end:
                return top
            if depth == 1 and field >= 0:
                fields[field + 2] = i - fields[field + 1]
        elif action >= _OPEN:
            if depth == 1 and field >= 0:
                fields[field] = action - 35
                fields[field + 1] = i - 1
            depth += 1
            if depth > 16:
                return 1
            if depth == 1:
                top = 2 * (action - _OPEN)
            objects = objects << 1 | (43 - action)
        else:
            k = i
            if action == _QUOTE:
                k -= 1
                if escaped:
                    k = int(unescape(begin, k, line[0], depth))
                    if k < 0:
                        return 1
                if string == _NAME:
                    state = _COLON
                    if depth == 1:
                        field = 0 - 1
                        value = 0
                        w = begin
                        while w < k:
                            value = (value * 31 + text[w]) & 0xFFFF
                            w += 1
                        k -= begin
                        value &= words[0]
                        while words[2 + value] != 0:
                            place = words[2 + value]
                            if words[place + 1] == k:
                                w = 0
                                while w < k and words[place + 2 + w] == text[begin + w]:
                                    w += 1
                                if w == k:
                                    field = 3 * words[place]
                                    break
                            value = (value + 1) & words[0]
                    continue
                word = 1
            elif action != _WORD:
                word = action - 37
                i -= 1
                k = i
            if depth == 1 and field >= 0:
                fields[field] = word
                fields[field + 1] = begin
                fields[field + 2] = k - begin


@micropython.viper
def unescape(i: int, end: int, text: ptr8, depth: int) -> int:
    """Puts a checked string's characters in its escapes' places, if it is of depth 1.

    Answers its new end; -1 where half of a pair of escapes is missing.
    """
    table = ptr8(_GRAMMAR)  # pyright: ignore[reportCallIssue]
    w = i
    high = 0  # the first half of a pair
    point = 0
    while i < end:
        c = text[i]
        i += 1
        shift = 0
        if c == 0x5C:
            c = text[i]
            i += 1
            if c == 0x75:
                c = 0
                k = i + 4
                while i < k:
                    c = c * 16 + (text[i] & 15) + (9 if text[i] > 0x39 else 0)
                    i += 1
                if high:
                    if c < 0xDC00 or c > 0xDFFF:
                        return 0 - 1
                    c += 0x10000 + ((high - 0xD800) << 10) - 0xDC00
                    high = 0
                elif c >= 0xD800 and c <= 0xDFFF:
                    if c >= 0xDC00:
                        return 0 - 1
                    high = c
                    continue
                lead = 0
                if c >= 0x10000:
                    shift = 18
                    lead = 0xF0
                elif c >= 0x800:
                    shift = 12
                    lead = 0xE0
                elif c >= 0x80:
                    shift = 6
                    lead = 0xC0
                point = c
                c = lead | (c >> shift)
            elif c > 0x5C:
                c = table[_ESCAPES + c]
        if high:
            return 0 - 1
        if depth == 1:
            text[w] = c
            w += 1
            while shift > 0:
                shift -= 6
                text[w] = 0x80 | ((point >> shift) & 0x3F)
                w += 1
    return 0 - 1 if high else w


@micropython.viper
def number(line, key: int, takes: int, out, place: int) -> int:
    """Reads a field's number, cut to nine significant digits, without a float.

    `out` is an array of mantissas (without trailing zeros) and bytes of powers of ten + 64.
    Answers 1, or 0 for what is no number or not what `takes` says (see hud.py).
    """
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    words = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    if words[key] != 2 and words[key] != 3:
        return 0
    i = words[key + 1]
    end = i + words[key + 2]
    words = ptr32(out[0])  # pyright: ignore[reportCallIssue]
    exps = ptr8(out[1])  # pyright: ignore[reportCallIssue]
    negative = 0
    if text[i] == 0x2D:
        negative = 1
        i += 1
    mantissa = 0
    digits = 0  # significant ones kept
    places = 0  # before the point, counted from the first significant one; negative below 0.1
    point = 0
    while i < end and text[i] | 0x20 != 0x65:
        c = text[i] - 0x30
        if c < 0:
            point = 1
        elif digits or c:
            if not point:
                places += 1
            if digits < 9:
                mantissa = mantissa * 10 + c
                digits += 1
        elif point:
            places -= 1
        i += 1
    power = 0
    down = 0
    while i < end:
        if text[i] == 0x2D:
            down = 1
        elif text[i] <= 0x39 and text[i] >= 0x30 and power < 10000:
            power = power * 10 + text[i] - 0x30
        i += 1
    places += 0 - power if down else power
    if mantissa == 0 or places < 0 - 8:
        mantissa = 0
        digits = 0
        places = 0
        negative = 0
    if places > 12:
        return 0
    while digits and mantissa % 10 == 0:
        mantissa = mantissa // 10
        digits -= 1
    words[place] = 0 - mantissa if negative else mantissa
    exps[place] = places - digits + 64
    if takes == 0:
        return 1
    if negative or (takes == 2 and mantissa == 0):
        return 0
    if takes < 3 or places < takes - 2:
        return 1
    # As many places as 1 or 64 has, or more: compared digit by digit.
    most = 64 if takes == 4 else 1
    if places > takes - 2:
        return 0
    i = takes - 2
    while i < digits:
        most *= 10
        i += 1
    while i > digits:
        mantissa *= 10
        i -= 1
    return 1 if mantissa <= most else 0


@micropython.viper
def integer(line, key: int) -> int:
    """A field's integer of at most nine digits; -1 for a negative or longer one, or none."""
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    i = fields[key + 1]
    end = i + fields[key + 2]
    value = 0
    if fields[key] != 2 or end - i > 9 or text[i] == 0x2D:
        return 0 - 1
    while i < end:
        value = value * 10 + text[i] - 0x30
        i += 1
    return value


@micropython.viper
def numbers(line, takes: ptr8, out) -> int:
    """Reads a dial's numbers; answers how many, 0 where one is missing or wrong.

    takes: how many fields it has, then the key of each, what it takes, and whether it may lack.
    """
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    count = 0
    i = 1
    end = 3 * takes[0]
    while i < end:
        key = takes[i]
        if fields[key] or not takes[i + 2]:
            if not int(number(line, key, takes[i + 1], out, count)):
                return 0
            count += 1
        i += 3
    return count


@micropython.viper
def levels(line, key: int, level, out) -> int:
    """Reads a field's array of numbers 0..1; answers how many, 0 where it is not one of 1..24.

    `level` is a line with the same bytes and one field, for each number in its turn.
    """
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    i = fields[key + 1] + 1
    end = i + fields[key + 2]
    if fields[key] != 8:
        return 0
    fields = ptr32(level[1])  # pyright: ignore[reportCallIssue]
    fields[0] = 2
    fields[1] = i
    count = 0
    while i < end - 1:
        c = text[i]
        if c == 0x5D or c == 0x20 or c == 0x2C or (c >= 0x09 and c <= 0x0D):
            fields[2] = i - fields[1]
            if fields[2]:
                if count == _LEVELS or not int(number(level, 0, _UNIT, out, count)):
                    return 0
                count += 1
            fields[1] = i + 1
        elif i == fields[1] and c != 0x2D and (c < 0x30 or c > 0x39):
            return 0
        i += 1
    return count


@micropython.viper
def code(line, key: int) -> int:
    """The code in a field's string of one or two digits with blanks around; -1 for none."""
    text = ptr8(line[0])  # pyright: ignore[reportCallIssue]
    fields = ptr32(line[1])  # pyright: ignore[reportCallIssue]
    i = fields[key + 1]
    end = i + fields[key + 2]
    value = 0
    digits = 0
    over = 0
    while i < end:
        c = text[i]
        i += 1
        if c == 0x20 or c == 0x09 or c == 0x0A or c == 0x0D:
            over = digits
        elif c < 0x30 or c > 0x39 or over or digits == 2:
            return 0 - 1
        else:
            value = value * 10 + c - 0x30
            digits += 1
    return value if digits else 0 - 1


@micropython.viper
def collect(i: int, count: int, data: ptr8, text: ptr8, state: ptr32) -> int:
    """Adds data[i:count) to a line of at most 1,023; 1 when its last byte is the LF that ends it.

    state: bytes so far, bytes beyond the limit, whether the line is whole and the next begins.
    A whole line has a zero behind it.
    """
    if state[2]:
        state[0] = 0
        state[1] = 0
        state[2] = 0
    length = state[0]
    while i < count:
        c = data[i]
        i += 1
        if c == 0x0A:
            text[length] = 0
            state[2] = 1
        elif length < 1023:
            text[length] = c
            length += 1
        else:
            state[1] = 1
    state[0] = length
    return state[2]


@micropython.viper
def copy(i: int, end: int, of: ptr8, to: ptr8, place: int):
    """to[place:] = of[i:end), without making a slice."""
    while i < end:
        to[place] = of[i]
        place += 1
        i += 1
