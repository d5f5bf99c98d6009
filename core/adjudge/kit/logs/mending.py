"""Lenient JSON for logs: small violations of strict JSON are repaired and reported."""

from __future__ import annotations

import codecs
import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final, cast

from adjudge.adk.json_decoder import (
    LONE_SURROGATE,
    MAX_DIGITS,
    STRICT,
    BrokenJsonError,
    holds_lone_surrogate,
    nests_too_deeply,
    parsed_text,
    refusal,
    scanned,
)
from adjudge.adk.json_input import JsonStream
from adjudge.errors import InputError, Problem

_TWICE: Final = "a value whose key comes again in one object: the last one is kept"


class MendingJsonStream(JsonStream):
    """A forward reader of JSON that repairs small violations.

    ``NaN``, infinities and numbers that are too large become their texts; lone surrogates and bytes that are not UTF-8
    become U+FFFD; of duplicate keys in an object the last value is kept. ``has_record`` skips a last line that is cut
    off.
    """

    def __init__(self, file: BinaryIO, source: str, mended: Counter[str]) -> None:
        """Read ``file``, named ``source`` in messages; ``mended`` counts the repairs."""
        super().__init__(file, source)
        self._mended = mended
        self.cut: InputError | None = None
        """The error in a last line that is cut off; see ``has_record``."""

    def has_record(self) -> bool:
        """Whether another value follows, in a file with one record of a run per line.

        A last line that is cut off, as after a crash of its writer, counts as the end if there was a value before it.
        This is a repair: a reader of one run per line must raise ``cut``.
        """
        if not self.peek():
            return False
        if not self._last[1] or self._text[self._at - 1 : self._at] != "\n":
            return True
        while self._text.find("\n", self._at) < 0:
            if not self._fill():
                return not self._is_cut()
        return True

    def _is_cut(self) -> bool:
        """Whether the text ends inside the value that begins here."""
        before = self._mended.copy()
        try:
            self.decoded(self._text, self._at)
        except BrokenJsonError as broken:
            if not broken.cut:
                return False
            line = self.line
            what = f"the last line is cut off: {broken.what}"
            self.cut = InputError(Problem(what=what, file=self._source, line=line))
            self._at = len(self._text)
            self._mended["the last line, which is cut off"] += 1
            return True
        self._mended.clear()
        self._mended.update(before)
        return False

    def decoded(self, text: str, start: int) -> tuple[Any, int]:
        """Decode and repair the value of ``text`` that begins at ``start``; also return the position after it.

        Raises:
            BrokenJsonError: the text is not JSON, or is nested too deeply.
        """
        try:
            try:
                value, end = scanned(STRICT, text, start)
            except ValueError:
                mended: Counter[str] = Counter()
                value, end = scanned(_mending_decoder(mended), text, start)
                self._mended.update(mended)
        except RecursionError:
            raise refusal(text, start, len(text)) from None
        if nests_too_deeply(value, text, start, end):
            raise refusal(text, start, end)
        if holds_lone_surrogate(value, text, start, end):
            value = _with_characters(value, self._mended)
        return value, end

    def found_again(self, key: str) -> None:  # noqa: ARG002 - whichever it is
        """Count a duplicate key of ``members``."""
        self._mended[_TWICE] += 1

    def undecodable(
        self,
        data: bytes,
        error: UnicodeDecodeError,  # noqa: ARG002 - replaced wherever it is
        utf8: codecs.IncrementalDecoder,
    ) -> str:
        """Decode bytes with U+FFFD for those that are not UTF-8, and count this."""
        replacing = codecs.getincrementaldecoder("utf-8")("replace")
        replacing.setstate(utf8.getstate())
        text = replacing.decode(data, final=not data)
        utf8.setstate(replacing.getstate())
        self._mended["bytes that are not UTF-8: replaced by U+FFFD"] += 1
        return text


def parse_mending(text: str, source: str, mended: Counter[str]) -> Any:
    """Parse and repair a JSON text of one value; ``mended`` counts the repairs.

    Raises:
        InputError: the text is not JSON.
    """
    with suppress(BrokenJsonError):
        return parsed_text(text)
    data = text.encode("utf-8", "surrogatepass")
    return MendingJsonStream(io.BytesIO(data), source, mended).only_value()


def _mending_decoder(mended: Counter[str]) -> json.JSONDecoder:
    def constant(word: str) -> str:
        mended[f"{word}, which is no number of JSON: kept as a text"] += 1
        return word

    def fraction(word: str) -> float | str:
        value = float(word)
        if math.isinf(value):
            mended["a number that is too large: kept as a text"] += 1
            return word
        return value

    def whole(word: str) -> int | str:
        if len(word) > MAX_DIGITS:
            mended[f"a whole number of more than {MAX_DIGITS} digits: kept as a text"] += 1
            return word
        return int(word)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            mended[_TWICE] += len(pairs) - len(value)
        return value

    return json.JSONDecoder(
        object_pairs_hook=members, parse_float=fraction, parse_int=whole, parse_constant=constant
    )


def _with_characters(value: Any, mended: Counter[str]) -> Any:
    """The value with U+FFFD in place of lone surrogates."""
    if isinstance(value, str):
        text, times = LONE_SURROGATE.subn("\ufffd", value)
        if times:
            mended["half of a surrogate pair, which is no character: replaced by U+FFFD"] += times
        return text
    if isinstance(value, list):
        return [_with_characters(element, mended) for element in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        return {
            _with_characters(key, mended): _with_characters(inner, mended)
            for key, inner in cast("dict[str, Any]", value).items()
        }
    return value
