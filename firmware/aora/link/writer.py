"""Lines of JSON on their way out: composed whole into a ring of bytes, or not at all."""

from array import array

from aora._shim import const, micropython, ptr8, ptr32  # noqa: F401

_HEX = b"0123456789abcdef"
# Words of a writer's state.
_SIZE = const(0)
_TAIL = const(1)  # the next byte to be sent
_USED = const(2)
_OPEN = const(3)  # bytes of the line that is being composed; _FULL where it does not fit
_FULL = const(0x10000000)
_POLLOUT = const(4)


class Writer:
    """`text`, `code` and `string` compose a line; `end` commits it if it fitted.

    A line that does not fit is dropped whole and counted in `unsent`.
    """

    def __init__(self, size=1024):
        self.buffer = bytearray(size)
        self.state = array("i", (size, 0, 0, 0))
        self._parts = (self.buffer, self.state)
        self.unsent = 0
        self._byte = bytearray(1)

    def text(self, data, number=-1):
        """Appends bytes as they are; an integer from 0 to below 2^30 takes the place of `#`."""
        _put(0, len(data), data, number, self._parts)
        return self

    def code(self, value):
        """Appends a code as two digits in quotes."""
        return self.text(b'"0#"' if value < 10 else b'"#"', value)

    def string(self, data, length):
        """Appends UTF-8 bytes as a JSON string; null for none."""
        if length == 0:
            return self.text(b"null")
        self.text(b'"')
        i = 0
        while i < length:
            start = i
            i = _plain(i, length, data)
            _put(start, i, data, -1, self._parts)
            if i < length:
                self._escape(data[i])
                i += 1
        return self.text(b'"')

    def _escape(self, byte):
        if byte >= 0x20:
            self.text(b"\\").text(b'"' if byte == 0x22 else b"\\")
        else:
            self.text(b"\\u001" if byte > 15 else b"\\u000")
            _put(byte & 15, (byte & 15) + 1, _HEX, -1, self._parts)

    def end(self, data=b"\n", number=-1):
        """As `text`, to end the line; LF is the last byte. False if it was dropped."""
        state = self.state
        _put(0, len(data), data, number, self._parts)
        size = state[_OPEN]
        state[_OPEN] = 0
        if size >= _FULL:
            self.unsent += 1
            return False
        state[_USED] += size
        return True

    def pending(self):
        """Bytes that wait to be sent."""
        return self.state[_USED]

    def peek(self):
        """The next byte to be sent."""
        return self.buffer[self.state[_TAIL]]

    def drop(self):
        """The next byte has been sent."""
        state = self.state
        state[_TAIL] = (state[_TAIL] + 1) % state[_SIZE]
        state[_USED] -= 1

    def send(self, poll, write, most):
        """Sends up to `most` bytes, one after each poll that says that a write will not wait."""
        if self.state[_USED]:
            _send(self.buffer, self.state, most, poll, write, self._byte)


@micropython.viper
def _send(buffer: ptr8, state: ptr32, most: int, poll, write, byte):
    one = ptr8(byte)  # pyright: ignore[reportCallIssue]
    while most and state[_USED]:
        ready = 0
        for event in poll(0):
            ready = int(event[1]) & _POLLOUT
        place = state[_TAIL]
        one[0] = buffer[place]
        if not ready or not write(byte):
            return
        place += 1
        state[_TAIL] = 0 if place == state[_SIZE] else place
        state[_USED] -= 1
        most -= 1


@micropython.viper
def _put(i: int, end: int, data: ptr8, number: int, parts):
    """Appends data[i:end) to the open line, `number` in the place of `#` unless it is negative."""
    buffer = ptr8(parts[0])  # pyright: ignore[reportCallIssue]
    state = ptr32(parts[1])  # pyright: ignore[reportCallIssue]
    size = state[_SIZE]
    used = state[_USED] + state[_OPEN]
    place = state[_TAIL] + used
    unit = 0  # of the digit that comes next
    while i < end or unit:
        if unit:
            c = 0x30 + number // unit % 10
            unit //= 10
        else:
            c = data[i]
            i += 1
            if c == 0x23 and number >= 0:
                unit = 1
                while number // unit >= 10:
                    unit *= 10
                continue
        if used >= size:
            state[_OPEN] = _FULL
            return
        if place >= size:
            place -= size
        buffer[place] = c
        place += 1
        used += 1
    state[_OPEN] = used - state[_USED]


@micropython.viper
def _plain(i: int, end: int, data: ptr8) -> int:
    """The first place from `i` on that a JSON string has to escape; `end` for none."""
    while i < end and data[i] >= 0x20 and data[i] != 0x22 and data[i] != 0x5C:
        i += 1
    return i
