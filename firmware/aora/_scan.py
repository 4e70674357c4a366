"""The hot loops: strict JSON, word look-up, numbers, byte copies and the search of slots.

Viper where there is one, plain Python elsewhere. Products are masked: nothing passes 2^30.
"""

from array import array

from aora._shim import micropython, ptr8, ptr16, ptr32  # noqa: F401

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


def words(names):
    """A vocabulary, names in bytes with blanks between, to look bytes up in without a string.

    uint16: the hash mask, the number of names, then a slot a hash: 0 for none, else the place
    here of a name's ordinal, length and bytes.
    """
    names = names.split()
    size = 8
    while size < 2 * len(names):
        size *= 2
    table = array("H", [size - 1, len(names)] + [0] * size)
    for ordinal in range(len(names)):
        slot = 0
        for byte in names[ordinal]:
            slot = (slot * 31 + byte) & 0xFFFF
        slot &= size - 1
        while table[2 + slot]:
            slot = (slot + 1) & (size - 1)
        table[2 + slot] = len(table)
        table.append(ordinal)
        table.append(len(names[ordinal]))
        table.extend(array("H", list(names[ordinal])))
    return table


@micropython.viper
def find(text: ptr8, start: int, length: int, words: ptr16) -> int:
    """The ordinal of the name that these bytes are; -1 for none."""
    end = start + length
    value = 0
    i = start
    while i < end:
        value = (value * 31 + text[i]) & 0xFFFF
        i += 1
    mask = words[0]
    slot = value & mask
    while words[2 + slot] != 0:
        place = words[2 + slot]
        if words[place + 1] == length:
            i = 0
            while i < length and words[place + 2 + i] == text[start + i]:
                i += 1
            if i == length:
                return words[place]
        slot = (slot + 1) & mask
    return 0 - 1


@micropython.viper
def scan(text: ptr8, start: int, end: int, words: ptr16, fields: ptr32) -> int:
    """Checks that buffer[start:end) is one JSON object; answers OK, NOT_JSON or NOT_OBJECT.

    For each word of `table` that is a key of that object, out[3 * ordinal:] becomes type, start
    and length of its last value. The object's own strings are unescaped where they stand.
    """
    mask = words[0]
    i = 3 * words[1]
    while i > 0:
        i -= 1
        fields[i] = 0
    depth = 0
    objects = 0  # a bit a level: 1 in an object
    wants = 0  # 0 a value, 1 a value or ], 2 a key, 3 a key or }, 4 a colon, 5 a comma or close
    field = 0 - 1  # where the value of the last key of the object goes
    top_object = 1
    i = start
    while i < end:
        c = text[i]
        if c == 0x20 or c == 0x0A or c == 0x0D or c == 0x09:
            i += 1
            continue
        begin = i
        kind = 0
        if c == 0x22:
            if wants > 3:
                return 1
            own = depth == 1
            value = 0
            i += 1
            begin = i
            w = i
            while True:
                if i >= end:
                    return 1
                c = text[i]
                i += 1
                if c == 0x22:
                    break
                if c < 0x20:
                    return 1
                if c == 0x5C:
                    if i >= end:
                        return 1
                    c = text[i]
                    i += 1
                    if c == 0x75:
                        point = 0
                        low = 0
                        while True:
                            if i + 4 > end:
                                return 1
                            unit = 0
                            k = 0
                            while k < 4:
                                c = text[i + k]
                                if c >= 0x30 and c <= 0x39:
                                    c -= 0x30
                                else:
                                    c |= 0x20
                                    if c < 0x61 or c > 0x66:
                                        return 1
                                    c -= 0x57
                                unit = unit * 16 + c
                                k += 1
                            i += 4
                            if low:
                                if unit < 0xDC00 or unit > 0xDFFF:
                                    return 1
                                point = 0x10000 + ((point - 0xD800) << 10) + (unit - 0xDC00)
                                break
                            if unit < 0xD800 or unit > 0xDFFF:
                                point = unit
                                break
                            if unit > 0xDBFF or i + 6 > end:
                                return 1
                            if text[i] != 0x5C or text[i + 1] != 0x75:
                                return 1
                            i += 2
                            point = unit
                            low = 1
                        if own:
                            # UTF-8 of the point; never longer than its escape.
                            shift = 0
                            if point >= 0x10000:
                                c = 0xF0 | (point >> 18)
                                shift = 18
                            elif point >= 0x800:
                                c = 0xE0 | (point >> 12)
                                shift = 12
                            elif point >= 0x80:
                                c = 0xC0 | (point >> 6)
                                shift = 6
                            else:
                                c = point
                            while True:
                                text[w] = c
                                value = (value * 31 + c) & 0xFFFF
                                w += 1
                                if shift == 0:
                                    break
                                shift -= 6
                                c = 0x80 | ((point >> shift) & 0x3F)
                        continue
                    if c == 0x6E:
                        c = 0x0A
                    elif c == 0x74:
                        c = 0x09
                    elif c == 0x72:
                        c = 0x0D
                    elif c == 0x62:
                        c = 0x08
                    elif c == 0x66:
                        c = 0x0C
                    elif c != 0x22 and c != 0x5C and c != 0x2F:
                        return 1
                elif c >= 0x80:
                    # The second byte's range rules out overlong forms, surrogates and the rest.
                    more = 1
                    least = 0x80
                    most = 0xBF
                    if c < 0xC2 or c > 0xF4:
                        return 1
                    if c >= 0xF0:
                        more = 3
                        if c == 0xF0:
                            least = 0x90
                        elif c == 0xF4:
                            most = 0x8F
                    elif c >= 0xE0:
                        more = 2
                        if c == 0xE0:
                            least = 0xA0
                        elif c == 0xED:
                            most = 0x9F
                    if i + more > end:
                        return 1
                    while more > 0:
                        if own:
                            text[w] = c
                            value = (value * 31 + c) & 0xFFFF
                            w += 1
                        c = text[i]
                        i += 1
                        if c < least or c > most:
                            return 1
                        least = 0x80
                        most = 0xBF
                        more -= 1
                if own:
                    text[w] = c
                    value = (value * 31 + c) & 0xFFFF
                    w += 1
            if wants == 2 or wants == 3:
                wants = 4
                if own:
                    field = 0 - 1
                    length = w - begin
                    slot = value & mask
                    while words[2 + slot] != 0:
                        place = words[2 + slot]
                        if words[place + 1] == length:
                            k = 0
                            while k < length and words[place + 2 + k] == text[begin + k]:
                                k += 1
                            if k == length:
                                field = 3 * words[place]
                                break
                        slot = (slot + 1) & mask
                continue
            kind = 1
            if depth == 0:
                top_object = 0
            elif own and field >= 0:
                fields[field] = 1
                fields[field + 1] = begin
                fields[field + 2] = w - begin
            wants = 5
            continue
        if c == 0x3A:
            if wants != 4:
                return 1
            wants = 0
            i += 1
            continue
        if c == 0x2C:
            if wants != 5 or depth == 0:
                return 1
            wants = 2 if objects & 1 else 0
            i += 1
            continue
        if c == 0x7B or c == 0x5B:
            if wants > 1:
                return 1
            if depth == 1 and field >= 0:
                fields[field] = 7 if c == 0x7B else 8
                fields[field + 1] = i
            depth += 1
            if depth > 16:
                return 1
            objects = objects << 1
            if c == 0x7B:
                objects |= 1
                wants = 3
            else:
                if depth == 1:
                    top_object = 0
                wants = 1
            i += 1
            continue
        if c == 0x7D or c == 0x5D:
            if depth == 0:
                return 1
            if c == 0x7D:
                if not objects & 1 or (wants != 3 and wants != 5):
                    return 1
            elif objects & 1 or (wants != 1 and wants != 5):
                return 1
            objects = objects >> 1
            depth -= 1
            i += 1
            if depth == 1 and objects & 1 and field >= 0:
                fields[field + 2] = i - fields[field + 1]
            wants = 5
            continue
        if wants > 1:
            return 1
        if c == 0x2D or (c >= 0x30 and c <= 0x39):
            kind = 2
            if c == 0x2D:
                i += 1
                if i >= end:
                    return 1
                c = text[i]
                if c < 0x30 or c > 0x39:
                    return 1
            i += 1
            if c != 0x30:
                while i < end and text[i] >= 0x30 and text[i] <= 0x39:
                    i += 1
            if i < end and text[i] == 0x2E:
                kind = 3
                i += 1
                k = i
                while i < end and text[i] >= 0x30 and text[i] <= 0x39:
                    i += 1
                if k == i:
                    return 1
            if i < end and text[i] | 0x20 == 0x65:
                kind = 3
                i += 1
                if i < end and (text[i] == 0x2B or text[i] == 0x2D):
                    i += 1
                k = i
                while i < end and text[i] >= 0x30 and text[i] <= 0x39:
                    i += 1
                if k == i:
                    return 1
        elif c == 0x74:
            kind = 4
            if i + 4 > end or text[i + 1] != 0x72 or text[i + 2] != 0x75 or text[i + 3] != 0x65:
                return 1
            i += 4
        elif c == 0x66:
            kind = 5
            if i + 5 > end or text[i + 1] != 0x61 or text[i + 2] != 0x6C or text[i + 3] != 0x73:
                return 1
            if text[i + 4] != 0x65:
                return 1
            i += 5
        elif c == 0x6E:
            kind = 6
            if i + 4 > end or text[i + 1] != 0x75 or text[i + 2] != 0x6C or text[i + 3] != 0x6C:
                return 1
            i += 4
        else:
            return 1
        if depth == 0:
            top_object = 0
        elif depth == 1 and field >= 0:
            fields[field] = kind
            fields[field + 1] = begin
            fields[field + 2] = i - begin
        wants = 5
    if depth != 0 or wants != 5:
        return 1
    return 0 if top_object else 2


@micropython.viper
def number(text: ptr8, start: int, length: int, result: ptr32) -> int:
    """Reads a JSON number, cut to nine significant digits, without a float.

    out[0:4] becomes magnitude's mantissa (no trailing zero), exponent + 64, sign (1 negative) and
    places before the point + 64. Answers 1, or 0 for a magnitude of 10^12 and more.
    """
    i = start
    end = start + length
    negative = 0
    if text[i] == 0x2D:
        negative = 1
        i += 1
    mantissa = 0
    digits = 0  # significant ones kept
    places = 0  # before the point, counted from the first significant one; negative below 0.1
    point = 0
    while i < end:
        c = text[i]
        if c | 0x20 == 0x65:
            break
        if c == 0x2E:
            point = 1
        else:
            if digits or c != 0x30:
                if not point:
                    places += 1
                if digits < 9:
                    mantissa = mantissa * 10 + c - 0x30
                    digits += 1
            elif point:
                places -= 1
        i += 1
    if i < end:
        i += 1
        down = 0
        if text[i] == 0x2D:
            down = 1
            i += 1
        elif text[i] == 0x2B:
            i += 1
        power = 0
        while i < end:
            if power < 10000:
                power = power * 10 + text[i] - 0x30
            i += 1
        if down:
            places -= power
        else:
            places += power
    if mantissa == 0 or places < 0 - 8:
        result[0] = 0
        result[1] = 64
        result[2] = 0
        result[3] = 64
        return 1
    if places > 12:
        return 0
    while mantissa % 10 == 0:
        mantissa = mantissa // 10
        digits -= 1
    result[0] = mantissa
    result[1] = places - digits + 64
    result[2] = negative
    result[3] = places + 64
    return 1


@micropython.viper
def integer(text: ptr8, start: int, length: int) -> int:
    """A JSON integer of at most nine digits; -1 for a negative or longer one."""
    if length > 9:
        return 0 - 1
    value = 0
    end = start + length
    while start < end:
        if text[start] == 0x2D:
            return 0 - 1
        value = value * 10 + text[start] - 0x30
        start += 1
    return value


@micropython.viper
def until(text: ptr8, length: int, byte: int) -> int:
    """How many bytes there are before a byte, or at all."""
    i = 0
    while i < length and text[i] != byte:
        i += 1
    return i


@micropython.viper
def elements(text: ptr8, start: int, length: int, places: ptr32, most: int) -> int:
    """Start and length of each number of a (checked) JSON array; -1 if not 1..most numbers."""
    end = start + length - 1
    i = start + 1
    count = 0
    while i < end:
        c = text[i]
        if c == 0x20 or c == 0x0A or c == 0x0D or c == 0x09 or c == 0x2C:
            i += 1
            continue
        if c != 0x2D and (c < 0x30 or c > 0x39):
            return 0 - 1
        if count >= most:
            return 0 - 1
        places[2 * count] = i
        while i < end:
            c = text[i]
            if c == 0x20 or c == 0x0A or c == 0x0D or c == 0x09 or c == 0x2C:
                break
            i += 1
        places[2 * count + 1] = i - places[2 * count]
        count += 1
    return count if count else 0 - 1


@micropython.viper
def code(text: ptr8, start: int, length: int) -> int:
    """The code in a string of one or two digits with blanks around; -1 for none."""
    i = start
    end = start + length
    while i < end and (text[i] == 0x20 or (text[i] >= 0x09 and text[i] <= 0x0D)):
        if text[i] == 0x0B or text[i] == 0x0C:
            break
        i += 1
    while end > i:
        c = text[end - 1]
        if c == 0x20 or c == 0x09 or c == 0x0A or c == 0x0D:
            end -= 1
        else:
            break
    if end - i < 1 or end - i > 2:
        return 0 - 1
    value = 0
    while i < end:
        c = text[i]
        if c < 0x30 or c > 0x39:
            return 0 - 1
        value = value * 10 + c - 0x30
        i += 1
    return value


@micropython.viper
def collect(text: ptr8, state: ptr32, byte: int) -> int:
    """Adds a byte to a line of at most 1,023; 1 when it is the LF that ends it.

    state: bytes so far, bytes beyond the limit, whether the line is whole and the next begins.
    """
    if state[2]:
        state[0] = 0
        state[1] = 0
        state[2] = 0
    if byte == 0x0A:
        state[2] = 1
        return 1
    if state[0] < 1023:
        text[state[0]] = byte
        state[0] = state[0] + 1
    else:
        state[1] = 1
    return 0


@micropython.viper
def copy(to: ptr8, of: ptr8, length: int):
    """target[:length] = source[:length], without making a slice."""
    i = 0
    while i < length:
        to[i] = of[i]
        i += 1


@micropython.viper
def copy_both(to: ptr8, of: ptr8, length: int, also_to: ptr8, also_of: ptr8, also: int):
    """Copies the first `length` bytes, and the first `also` of another pair."""
    i = 0
    while i < length:
        to[i] = of[i]
        i += 1
    i = 0
    while i < also:
        also_to[i] = also_of[i]
        i += 1


@micropython.viper
def take(to: ptr8, of: ptr8, start: int, length: int):
    """target[:length] = source[start : start + length], without making a slice."""
    i = 0
    while i < length:
        to[i] = of[start + i]
        i += 1


@micropython.viper
def read(text: ptr8, fields: ptr32, who: int, words: int, ident: ptr8, tips: ptr8, got: ptr32):
    """Reads a session and a caption: fields `who`, a string or an integer as written, and `words`.

    got[0:3] becomes the id's length (0 for none; a longer one than 64 is not copied), its hash
    and the length of what the caption keeps: its first whole characters within 160 bytes.
    """
    start = fields[who + 1]
    length = fields[who + 2]
    if fields[who] == 2:
        if length == 2 and text[start] == 0x2D and text[start + 1] == 0x30:
            start += 1  # -0 is 0
            length = 1
    elif fields[who] != 1:
        length = 0
    value = 1
    if length <= 64:
        i = 0
        while i < length:
            c = text[start + i]
            ident[i] = c
            value = (value * 31 + c) & 0x3FFFF
            i += 1
    got[0] = length
    got[1] = value
    length = 0
    if fields[words] == 1:
        start = fields[words + 1]
        length = fields[words + 2]
        if length > 160:
            length = 160
            while length > 0 and text[start + length] & 0xC0 == 0x80:
                length -= 1
        i = 0
        while i < length:
            tips[i] = text[start + i]
            i += 1
    got[2] = length


@micropython.viper
def same(a: ptr8, b: ptr8, length: int) -> int:
    """1 if the first `length` bytes are the same, else 0."""
    i = 0
    while i < length:
        if a[i] != b[i]:
            return 0
        i += 1
    return 1


@micropython.viper
def whole(text: ptr8, start: int, length: int, most: int) -> int:
    """How many of `length` bytes of UTF-8 fit into `most` as whole characters."""
    if length <= most:
        return length
    end = most
    while end > 0 and text[start + end] & 0xC0 == 0x80:
        end -= 1
    return end


@micropython.viper
def spread(text: ptr8, start: int, length: int, factor: int) -> int:
    """An 18-bit hash: h = (h * factor + byte) modulo 2^18, from 1; factor below 2^11."""
    value = 1
    i = start
    end = start + length
    while i < end:
        value = (value * factor + text[i]) & 0x3FFFF
        i += 1
    return value


@micropython.viper
def slot_of(places: ptr32, count: int, wanted: int, start: int) -> int:
    """The first place from `start` on whose hash is `wanted`; -1 for none."""
    i = start
    while i < count:
        if places[i] == wanted:
            return i
        i += 1
    return 0 - 1


@micropython.viper
def best(rank: ptr32, order: ptr32, count: int, newest: int) -> int:
    """The place of the highest rank (0: empty), among equals newest or oldest; -1 for none.

    `orders` are counters below 2^30.
    """
    found = 0 - 1
    top = 0
    i = 0
    while i < count:
        if rank[i] > top:
            top = rank[i]
            found = i
        elif top and rank[i] == top:
            if newest:
                if order[i] > order[found]:
                    found = i
            elif order[i] < order[found]:
                found = i
        i += 1
    return found


@micropython.viper
def least(rank: ptr32, order: ptr32, count: int) -> int:
    """The place of the lowest rank, among equals the lowest order."""
    found = 0
    i = 1
    while i < count:
        if rank[i] < rank[found] or (rank[i] == rank[found] and order[i] < order[found]):
            found = i
        i += 1
    return found


@micropython.viper
def bump(order: ptr32, count: int, place: int):
    """Makes `place` the newest in a permutation of 0..count-1, the others' order kept."""
    mine = order[place]
    i = 0
    while i < count:
        if order[i] > mine:
            order[i] = order[i] - 1
        i += 1
    order[place] = count - 1


@micropython.viper
def nearest(time: ptr32, used: ptr32, count: int, now: int) -> int:
    """The shortest way, modulo 2^29, from `now` to a used place's time; -1 where none is used."""
    found = 0 - 1
    i = 0
    while i < count:
        if used[i]:
            ahead = (time[i] - now) & 0x1FFFFFFF
            if found < 0 or ahead < found:
                found = ahead
        i += 1
    return found


@micropython.viper
def push(to: ptr8, place: int, size: int, of: ptr8, start: int, length: int):
    """Copies bytes into a ring buffer of `size` from `place` on."""
    i = 0
    while i < length:
        to[place] = of[start + i]
        place += 1
        if place == size:
            place = 0
        i += 1


@micropython.viper
def place(to: ptr8, at: int, of: ptr8, length: int):
    """target[at : at + length] = source[:length]."""
    i = 0
    while i < length:
        to[at + i] = of[i]
        i += 1


@micropython.viper
def same_at(a: ptr8, at: int, b: ptr8, length: int) -> int:
    """1 if one[at : at + length] is other[:length], else 0."""
    i = 0
    while i < length:
        if a[at + i] != b[i]:
            return 0
        i += 1
    return 1


@micropython.viper
def worst(of: ptr8, kind: ptr8, count: int, group: int, weight: ptr8) -> int:
    """The heaviest kind among the members of a group; -1 for none."""
    found = 0 - 1
    heaviest = 0
    i = 0
    while i < count:
        if of[i] == group and weight[kind[i]] > heaviest:
            heaviest = weight[kind[i]]
            found = kind[i]
        i += 1
    return found
