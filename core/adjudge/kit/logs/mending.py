"""JSON of somebody else's log: what is not strict JSON is mended where it can be, and said."""

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

_TWICE: Final = "a value whose key comes again in one object: the last one is kept"


class MendingJsonStream(JsonStream):
    """A JSON text that is read forwards, and is not refused for one odd value.

    A number that is none, or too large, becomes its text; half of a surrogate pair, and what is not UTF-8, becomes
    U+FFFD; of a key that comes twice in one object the last value stays.
    """

    def __init__(self, file: BinaryIO, source: str, mended: Counter[str]) -> None:
        """Read the bytes of ``file``, which messages call ``source``; ``mended`` counts what was mended."""
        super().__init__(file, source)
        self._mended = mended

    def decoded(self, text: str, start: int) -> tuple[Any, int]:
        """The value of ``text`` that begins at ``start``, mended, and the position after it.

        Raises:
            BrokenJsonError: the text is not JSON at all, or nests too deeply.
        """
        mended: Counter[str] = Counter()
        try:
            try:
                value, end = scanned(STRICT, text, start)
            except ValueError:
                value, end = scanned(_mending_decoder(mended), text, start)
        except RecursionError:
            raise refusal(text, start, len(text)) from None
        if nests_too_deeply(value, text, start, end):
            raise refusal(text, start, end)
        if holds_lone_surrogate(value, text, start, end):
            value = _with_characters(value, mended)
        if mended:
            self._mended.update(mended)
        return value, end

    def found_again(self, key: str) -> None:  # noqa: ARG002 - whichever it is
        """Count a key of ``members`` that the object had before."""
        self._mended[_TWICE] += 1

    def undecodable(
        self,
        data: bytes,
        error: UnicodeDecodeError,  # noqa: ARG002 - replaced wherever it is
        utf8: codecs.IncrementalDecoder,
    ) -> str:
        """The text of bytes that are not all UTF-8."""
        replacing = codecs.getincrementaldecoder("utf-8")("replace")
        replacing.setstate(utf8.getstate())
        text = replacing.decode(data, final=not data)
        utf8.setstate(replacing.getstate())
        self._mended["bytes that are not UTF-8: replaced by U+FFFD"] += 1
        return text


def parse_mending(text: str, source: str, mended: Counter[str]) -> Any:
    """The one value of a JSON text, mended; ``mended`` counts what was.

    Raises:
        InputError: it is not JSON at all.
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
    """The value with U+FFFD in place of every half of a surrogate pair."""
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
