"""Lines of JSON on their way out: composed whole into a ring of bytes, or not at all."""

from aora._scan import push
from aora._shim import const

_DIGITS = const(12)
_HEX = b"0123456789abcdef"


class Writer:
    """`text`, `number` and `string` compose a line; `end` commits it if it fitted.

    A line that does not fit is dropped whole and counted in `unsent`.
    """

    def __init__(self, size=1024):
        self.size = size
        self.buffer = bytearray(size)
        self.unsent = 0
        self._head = 0  # where the next byte goes
        self._tail = 0  # the next byte to be sent
        self._used = 0
        self._open = 0  # bytes of the line being composed
        self._digits = bytearray(_DIGITS)
        self._one = bytearray(1)

    def text(self, data):
        """Appends bytes as they are."""
        self._append(data, 0, len(data))
        return self

    def number(self, value):
        """Appends an integer below 2^30."""
        digits = self._digits
        i = _DIGITS
        rest = value if value >= 0 else -value
        while True:
            i -= 1
            digits[i] = 0x30 + rest % 10
            rest //= 10
            if rest == 0:
                break
        if value < 0:
            i -= 1
            digits[i] = 0x2D
        self._append(digits, i, _DIGITS - i)
        return self

    def code(self, value):
        """Appends a code as two digits in quotes."""
        self.text(b'"')
        if value < 10:
            self.text(b"0")
        return self.number(value).text(b'"')

    def string(self, data, length):
        """Appends UTF-8 bytes as a JSON string; null for none."""
        if length == 0:
            return self.text(b"null")
        self.text(b'"')
        i = 0
        while i < length:
            byte = data[i]
            if byte < 0x20:
                self.text(b"\\u00")
                self._byte(_HEX[byte >> 4])
                self._byte(_HEX[byte & 15])
            else:
                if byte == 0x22 or byte == 0x5C:
                    self.text(b"\\")
                self._byte(byte)
            i += 1
        return self.text(b'"')

    def end(self):
        """Ends the line with LF; False if it was dropped."""
        self._byte(0x0A)
        fits = self._open >= 0
        if fits:
            self._used += self._open
            self._head = (self._head + self._open) % self.size
        else:
            self.unsent += 1
        self._open = 0
        return fits

    def pending(self):
        """Bytes that wait to be sent."""
        return self._used

    def peek(self):
        """The next byte to be sent."""
        return self.buffer[self._tail]

    def drop(self):
        """The next byte has been sent."""
        self._tail = (self._tail + 1) % self.size
        self._used -= 1

    def _byte(self, value):
        self._one[0] = value
        self._append(self._one, 0, 1)

    def _append(self, data, start, length):
        if self._open < 0:
            return
        if self._used + self._open + length > self.size:
            self._open = -1
            return
        push(self.buffer, (self._head + self._open) % self.size, self.size, data, start, length)
        self._open += length
