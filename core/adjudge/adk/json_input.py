"""Reads untrusted JSON strictly and as a stream, and reports every error with its line and column."""

from __future__ import annotations

import codecs
import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

from adjudge.adk.json_decoder import BrokenJsonError, decode, explain, parsed_text
from adjudge.errors import InputError, Problem

_CHUNK: Final = 1 << 18
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_FIRST_KEY: Final = re.compile(r'\{[ \t\n\r]*"([^"\\]*)"')
_LONG_KEY: Final = 1000
_NEXT: Final = re.compile(r"[ \t\n\r]*,[ \t\n\r]*(?=[^ \t\n\r\]}])")
"""A comma and the beginning of the next element, if both are in the buffer."""
_LONG_VALUE: Final = 2
"""Growth factor of the buffer for a value that did not fit twice. Decoding starts again from the value's beginning
each time, so the buffer must grow; a larger factor would hold more following values in memory."""
_NUMBER_TAIL: Final = 4  # "1" at the end of a buffer may continue as "1e+5"


def digest_of(data: bytes) -> bytes:
    """A 16-byte BLAKE2b hash, to detect that a part of a file was changed."""
    return hashlib.blake2b(data, digest_size=16).digest()


def open_file(path: Path) -> BinaryIO:
    """Open ``path`` for reading.

    Raises:
        InputError: there is no such file, or it cannot be read.
    """
    try:
        return path.open("rb")
    except FileNotFoundError:
        what = "there is no such file."
    except IsADirectoryError:
        what = "this is a folder; a file is expected."
    except (OSError, ValueError) as error:
        what = f"the file cannot be read: {getattr(error, 'strerror', None) or error}."
    raise InputError(Problem(what=what, file=str(path)))


def read_json(path: Path) -> Any:
    """Read a JSON file of one value.

    Raises:
        InputError: the file cannot be read or is not strict JSON.
    """
    with open_file(path) as file:
        return JsonStream(file, str(path)).only_value()


def parse_json(text: str | bytes, *, source: str) -> Any:
    """Parse a JSON text of one value; ``source`` names it in messages.

    Raises:
        InputError: it is not strict JSON.
    """
    if isinstance(text, str):
        with suppress(BrokenJsonError):  # the stream then finds the position, and accepts a byte order mark
            return parsed_text(text)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return JsonStream(io.BytesIO(data), source).only_value()


class JsonStream:
    """A forward reader of a JSON text that holds about one value in memory.

    ``members`` and ``elements`` iterate over an object or a list. For every key or index that they yield, the caller
    must read the value, with ``value`` or by iterating over it.
    """

    def __init__(self, file: BinaryIO, source: str) -> None:
        """Read the bytes of ``file``, which messages call ``source``."""
        self._file = file
        self._source = source
        self._utf8 = codecs.getincrementaldecoder("utf-8")("strict")
        self._digest = hashlib.sha256()
        self._text = ""
        self._is_ascii = True
        """Whether the buffer contains only ASCII, so that every character is one byte."""
        self._at = 0
        self._ended = False
        self.bytes_read = 0
        # Bytes, lines and columns are counted up to a mark that moves with the reading position.
        self._mark = 0
        self._mark_bytes = 0
        self._dropped_lines = 0
        self._dropped_columns = 0
        self._line_mark = 0
        self._lines = 0
        self._last = (0, 0)
        """Start and end of the last value in the buffer."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes read so far, in hexadecimal; of the whole file after ``finish``."""
        return self._digest.hexdigest()

    def position(self) -> int:
        """The number of bytes before the reading position."""
        self._mark_bytes += self._bytes_between(self._mark, self._at)
        self._mark = self._at
        return self._mark_bytes

    @property
    def offset(self) -> int:
        """The position of the last value in bytes. Only valid until more is read."""
        return self.position() - self._bytes_between(self._last[0], self._at)

    @property
    def length(self) -> int:
        """The length of the last value in bytes. Only valid until more is read."""
        return self._bytes_between(*self._last)

    def _bytes_between(self, start: int, end: int) -> int:
        if self._is_ascii:
            return end - start
        # In pieces, to avoid a copy of a long value.
        pieces = range(start, end, _CHUNK)
        return sum(len(self._text[piece : min(piece + _CHUNK, end)].encode()) for piece in pieces)

    @property
    def line(self) -> int:
        """The line of the reading position, from 1."""
        self._lines += self._text.count("\n", self._line_mark, self._at)
        self._line_mark = self._at
        return self._dropped_lines + self._lines + 1

    def peek(self) -> str:
        """Skip white space, and return the next character without reading it; empty at the end."""
        if (char := self._text[self._at : self._at + 1]) > " ":
            return char
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def first_key(self) -> str | None:
        """The first key of the object that begins here, without reading it.

        ``None`` if there is no object or no key, or if the key is very long or contains escapes.
        """
        if self.peek() != "{":
            return None
        while (found := _FIRST_KEY.match(self._text, self._at)) is None:
            if len(self._text) - self._at > _LONG_KEY or not self._fill():
                return None
        return found[1]

    def value(self, *, limit: int | None = None) -> Any:
        """Read the next value.

        Args:
            limit: The maximum length of the value in characters.


        Raises:
            InputError: it is not strict JSON, or larger than ``limit``.
        """
        if not self.peek():
            self._fail_at(self._at, "nothing; a value is expected.")
        times = 1
        while True:
            try:
                value, end = self.decoded(self._text, self._at)
            except BrokenJsonError as broken:
                if not broken.cut or self._ended:
                    self._fail_at(broken.position, broken.what, broken.hint)
            else:
                is_whole = end + _NUMBER_TAIL <= len(self._text) or not isinstance(value, (int, float))
                if is_whole or self._ended:
                    break
            if limit is not None and len(self._text) - self._at > limit:
                self._fail_at(self._at, f"a value of more than {limit:,} characters.")
            self._fill(times)
            times = _LONG_VALUE
        self._last = (self._at, end)
        self._at = end
        return value

    @property
    def digest(self) -> bytes:
        """The digest of the last value. Only valid until more is read."""
        start, end = self._last
        return digest_of(self._text[start:end].encode())

    def members(self) -> Iterator[str]:
        """Iterate over the keys of the object that begins here.

        Raises:
            InputError: it is not an object, or it has a duplicate key.
        """
        self._take("{", "an object")
        if self.peek() == "}":
            self._at += 1
            return
        seen: set[str] = set()
        while True:
            if self.peek() != '"':
                self._unexpected("a key between double quotes")
            key = self.value()
            if key in seen:
                self.found_again(key)
            seen.add(key)
            self._take(":", "':' after a key")
            yield key
            if not self._more("}"):
                return

    def elements(self) -> Iterator[int]:
        """Iterate over the indexes of the list that begins here.

        Raises:
            InputError: it is not a list.
        """
        self._take("[", "a list")
        if self.peek() == "]":
            self._at += 1
            return
        index = 0
        while True:
            if self.peek() in ("]", ""):
                self._unexpected("a value")
            yield index
            index += 1
            if not self._more("]"):
                return

    def finish(self) -> None:
        """Check that only white space is left.

        Raises:
            InputError: there is other text.
        """
        if self.peek():
            self._unexpected(
                "the end of the text", "The file must contain one JSON value; JSON Lines is not read here."
            )

    def only_value(self) -> Any:
        """Read the only value of the whole text.

        Raises:
            InputError: it is not strict JSON, or there is text after the value.
        """
        value = self.value()
        self.finish()
        return value

    def fail(self, what: str, hint: str | None = None) -> NoReturn:
        """Raise an ``InputError`` with the position of the next character that is not white space."""
        self.peek()
        self._fail_at(self._at, what, hint)

    # Overridden by readers of less strict JSON.

    def decoded(self, text: str, start: int) -> tuple[Any, int]:
        """Decode the value of ``text`` that begins at ``start``; also return the position after it.

        Raises:
            BrokenJsonError: the value is invalid; the error has the position.
        """
        return decode(text, start)

    def found_again(self, key: str) -> None:
        """Handle a duplicate key in ``members``; here it is an error."""
        self._fail_at(self._at, f"the key {key!r} a second time in one object.")

    def undecodable(
        self,
        data: bytes,
        error: UnicodeDecodeError,
        utf8: codecs.IncrementalDecoder,  # noqa: ARG002 - for others
    ) -> str:
        """Handle bytes that are not UTF-8; here they are an error. Subclasses may return a text."""
        place = self.bytes_read - len(data) + error.start
        self._refuse_bytes(f"not UTF-8 text: {error.reason} near byte {place}.")

    def _more(self, close: str) -> bool:
        """Read a comma or ``close``; return whether it was a comma."""
        if (found := _NEXT.match(self._text, self._at)) is not None:  # fast path
            self._at = found.end()
            return True
        following = self.peek()
        if following not in (",", close):
            self._unexpected(f"',' or {close!r}")
        self._at += 1
        if following == "," and self.peek() == close:
            self._unexpected("a value")
        return following == ","

    def _take(self, char: str, expected: str) -> None:
        if self.peek() != char:
            self._unexpected(expected)
        self._at += 1

    def _unexpected(self, expected: str, hint: str | None = None) -> NoReturn:
        while len(self._text) - self._at < 2 and self._fill():
            pass
        broken = explain(self._text, self._at, f"expected {expected}")
        self._fail_at(broken.position, broken.what, broken.hint or hint)

    def _fail_at(self, position: int, what: str, hint: str | None = None) -> NoReturn:
        lines = self._text.count("\n", 0, position)
        column = position - (self._text.rfind("\n", 0, position) + 1) + 1
        if not lines:
            column += self._dropped_columns
        line = self._dropped_lines + lines + 1
        raise InputError(Problem(what=what, file=self._source, line=line, column=column, hint=hint))

    def _fill(self, times: int = 1) -> bool:
        """Read more into the buffer: ``times`` its unread length, so that a long value needs few attempts."""
        if self._ended:
            return False
        self._drop()
        data = self._file.read(max(_CHUNK, times * len(self._text)))
        if not self.bytes_read:
            data = self._without_mark(data)
        self._digest.update(data)
        self.bytes_read += len(data)
        self._ended = not data
        try:
            text = self._utf8.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            text = self.undecodable(data, error, self._utf8)
        self._text = self._text + text if self._text else text
        self._is_ascii = self._text.isascii()
        return not self._ended

    def _drop(self) -> None:
        """Drop what was read from the buffer, except its last character: it may be the comma named in an error."""
        keep = max(self._at - 1, 0)
        if not keep:
            return
        self.position()  # moves the mark to the reading position
        last = self._text.rfind("\n", 0, keep)
        self._dropped_lines += self._text.count("\n", 0, keep)
        self._dropped_columns = keep - last - 1 if last >= 0 else self._dropped_columns + keep
        self._text = self._text[keep:]
        self._at -= keep
        self._mark -= keep
        self._lines = self._line_mark = 0

    def _without_mark(self, data: bytes) -> bytes:
        zeros = [byte == 0 for byte in data[:4]]
        is_wide = zeros in ([True, False, True, False], [False, True, False, True])
        if is_wide or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self._refuse_bytes("UTF-16 text; UTF-8 is expected.", "Save the file as UTF-8.")
        if b"\0" in data:
            self._refuse_bytes("binary data; JSON text in UTF-8 is expected.")
        if data.startswith(codecs.BOM_UTF8):
            self._digest.update(codecs.BOM_UTF8)
            self.bytes_read = self._mark_bytes = len(codecs.BOM_UTF8)
            return data[len(codecs.BOM_UTF8) :]
        return data

    def _refuse_bytes(self, what: str, hint: str | None = None) -> NoReturn:
        raise InputError(Problem(what=what, file=self._source, hint=hint))
