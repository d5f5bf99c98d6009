"""The strict JSON decoder: the C decoder for valid input, and exact positions for errors."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NamedTuple

MAX_DEPTH: Final = 100
"""The maximum depth of nested lists and objects."""

MAX_DIGITS: Final = 4300
"""The maximum number of digits of an integer: Python's own limit against slow conversions."""
_WHITE: Final = " \t\n\r"
_WORD: Final = 12  # longer than any literal or escape that the end of a buffer can cut


class BrokenJsonError(Exception):
    """The text is not valid JSON, or not JSON that adjudge accepts."""

    def __init__(self, position: int, what: str, hint: str | None = None, *, cut: bool = False) -> None:
        self.position = position
        self.what = what
        self.hint = hint
        self.cut = cut
        """Whether the text ends inside a value, so that it could be valid with more text."""
        super().__init__(what)


class _RefusedError(ValueError):
    """Raised by hooks of the C scanner, which do not know the position; ``refusal`` finds it."""


_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RefusedError
    return value


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _RefusedError
    return value


def _constant(_: str) -> float:
    raise _RefusedError


STRICT: Final = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)
"""Decodes JSON. It rejects duplicate keys, infinite numbers and NaN, but not lone surrogates and deep nesting."""


def decode(text: str, start: int) -> tuple[Any, int]:
    """Decode the value that begins at ``start``, which is not white space; also return the position after it.

    Raises:
        BrokenJsonError: the value is invalid; the error has the position.
    """
    try:
        value, end = scanned(STRICT, text, start)
    except (RecursionError, ValueError):
        raise refusal(text, start, len(text)) from None
    if nests_too_deeply(value, text, start, end) or holds_lone_surrogate(value, text, start, end):
        raise refusal(text, start, end)
    return value, end


def parsed_text(text: str) -> Any:
    """Parse a text of one JSON value as strictly as ``parse_json``, but without line and column in errors.

    Raises:
        BrokenJsonError: it is not strict JSON, or there is text after the value.
    """
    start = len(text) - len(text.lstrip(_WHITE))
    value, end = decode(text, start)
    if text[end:].strip(_WHITE):
        raise explain(text, end, "expected the end of the text")
    return value


def scanned(decoder: json.JSONDecoder, text: str, start: int) -> tuple[Any, int]:
    """Decode the value that begins at ``start`` with ``decoder``; also return the position after it.

    Raises:
        BrokenJsonError: the text is not JSON.
    """
    try:
        return decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise explain(text, error.pos, error.msg) from None


def nests_too_deeply(value: Any, text: str, start: int, end: int) -> bool:
    """Whether lists and objects in the value of this text are nested more than ``MAX_DEPTH`` deep."""
    # Fast path for flat values: finding one bracket is much faster than counting all.
    if text.find("{", start + 1, end) < 0 and text.find("[", start + 1, end) < 0:
        return False
    brackets = text.count("{", start, end) + text.count("[", start, end)
    return brackets > MAX_DEPTH and _too_deep(value)


def holds_lone_surrogate(value: Any, text: str, start: int, end: int) -> bool:
    """Whether the value of this text contains half of a surrogate pair."""
    # Fast path: searching for one character is several times faster than for two.
    escaped = text.find("\\", start, end)
    return escaped >= 0 and _SURROGATE.search(text, escaped, end) is not None and _has_lone_surrogate(value)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _has_lone_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def explain(text: str, position: int, message: str) -> BrokenJsonError:
    """Create the error for a syntax error at ``position``, with hints for common mistakes."""
    found = text[position : position + 2]
    if found[:1] == "#" or found in ("//", "/*"):
        return BrokenJsonError(position, "a comment. JSON has no comments.", "Remove it.")
    comma = _trailing_comma(text, position)
    if comma is not None:
        return BrokenJsonError(
            comma, "a comma after the last element. JSON has no trailing commas.", "Remove the comma."
        )
    if found[:1] == "'":
        return BrokenJsonError(
            position, "a single quote. JSON strings stand between double quotes.", "Write \" instead of '."
        )
    if message.startswith("Unterminated string"):
        return BrokenJsonError(position, "a string that has no end.", cut=True)
    cut = position + _WORD > len(text)
    if position >= len(text):
        return BrokenJsonError(position, f"the end of the text: it is cut off. ({message})", cut=True)
    return BrokenJsonError(position, f"not JSON: {message}, found {_shown(text, position)}.", cut=cut)


def _trailing_comma(text: str, position: int) -> int | None:
    """The position of a trailing comma. Python 3.13 reports the comma, earlier versions the bracket after it."""
    if text[position : position + 1] == ",":
        after = text[position + 1 :].lstrip()[:1]
        return position if after in ("}", "]") else None
    if text[position : position + 1] in ("}", "]"):
        before = text[:position].rstrip()
        return len(before) - 1 if before.endswith(",") else None
    return None


def _shown(text: str, position: int) -> str:
    word = re.compile(r"\w{1,20}|.", re.DOTALL).match(text, position)
    return repr(word.group()) if word else "nothing"


class _Open(NamedTuple):
    keys: set[str] | None
    """The keys so far; ``None`` in a list."""


_WORDS: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)
LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def refusal(text: str, start: int, end: int) -> BrokenJsonError:
    """Create the error for the first place between ``start`` and ``end`` that is JSON but that adjudge rejects."""
    stack: list[_Open] = []
    is_key = False
    for match in _WORDS.finditer(text, start, end):
        word = match.group()
        found = _bad_word(word)
        if word in ("{", "["):
            stack.append(_Open(set() if word == "{" else None))
            if len(stack) > MAX_DEPTH:
                found = f"more than {MAX_DEPTH} lists and objects inside one another."
        elif word in ("}", "]") and stack:
            stack.pop()
        elif is_key and word[0] == '"' and stack and stack[-1].keys is not None:
            name = _string(word)
            if name in stack[-1].keys:
                found = f"the key {name!r} a second time in one object."
            stack[-1].keys.add(name)
        if found:
            return BrokenJsonError(match.start(), found)
        is_key = word == "{" or (word == "," and bool(stack) and stack[-1].keys is not None)
    return BrokenJsonError(start, "a value that cannot be read.")


def _string(word: str) -> str:
    try:
        return str(json.loads(word))
    except ValueError:
        return word


def _bad_word(word: str) -> str | None:
    if word[0] == '"':
        if LONE_SURROGATE.search(_string(word)):
            return "half of a surrogate pair (\\ud800 to \\udfff), which is no character."
    elif word in ("NaN", "Infinity", "-Infinity"):
        return f"{word}. JSON has finite numbers only."
    elif word.lstrip("-")[:1].isdigit():
        if word.lstrip("-").isdigit() and len(word) > MAX_DIGITS:
            return f"a whole number of more than {MAX_DIGITS} digits."
        try:
            if math.isinf(float(word)):
                return "a number that is too large."
        except ValueError:
            return None
    return None
