"""How many tokens a text has, estimated without a tokenizer, and texts that are cut to a number of them."""

from __future__ import annotations

import json
import math
from typing import Final

from adjudge.model.judging import JudgeRequest
from adjudge.model.untrusted import defused, lines_of

CUT: Final = "…"
"""Stands where something was left out."""

_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
_ASCII: Final = bytes(range(128))
_BEYOND_ASCII: Final = bytes(range(128, 256))

_LETTERS_A_TOKEN: Final = 4
_SIGNS_A_TOKEN: Final = 1.25
_BYTES_A_TOKEN: Final = 2.5

_MARK: Final = 5
"""The most tokens of the mark that stands before every line of material (see ``material``)."""


def tokens_of(text: str) -> int:
    """About how many tokens a model makes of a text: rather too many than too few.

    Four letters and spaces of ASCII are a token, so are five in four digits, signs and line ends, and every
    2.5 bytes of UTF-8 beyond ASCII: a Chinese, Japanese or Korean character counts 1.2, a Cyrillic
    letter 0.8, an emoji 1.6. English prose has fewer tokens than this in every vocabulary in use, CJK text
    has 0.6 to 1.3 a character. Random strings, for instance base64, have up to twice as many.
    """
    data = text.encode("utf-8", "surrogatepass")
    signs = len(data.translate(None, _LETTERS + _BEYOND_ASCII))
    beyond = 0 if text.isascii() else len(data.translate(None, _ASCII))
    letters = len(data) - signs - beyond
    return math.ceil(letters / _LETTERS_A_TOKEN + signs / _SIGNS_A_TOKEN + beyond / _BYTES_A_TOKEN)


def tokens_shown(text: str) -> int:
    """The tokens of a text as material of a prompt (see ``material``): every line stands behind a mark."""
    lines = lines_of(text)
    return tokens_of(defused("\n".join(lines))) + _MARK * len(lines)


def tokens_of_passage(heading: str, text: str) -> int:
    """The tokens of a text under its heading (see ``adjudge.model.Passage``)."""
    return tokens_shown(heading) + tokens_shown(text)


def tokens_asked(request: JudgeRequest) -> int:
    """The tokens of a whole request: what is said, the material, and the schema of the answer."""
    schema = "" if request.schema_ is None else json.dumps(request.schema_, ensure_ascii=False)
    return sum(tokens_of(message.text) for message in request.messages) + tokens_of(schema)


def clipped_to_tokens(text: str, most: int) -> str:
    """The beginning and the end of a text, with ``…`` between them where it has more than ``most`` tokens.

    They are counted as ``tokens_shown`` does: what is cut to a length is shown to somebody.
    """
    longest = _LETTERS_A_TOKEN * most  # no character has fewer tokens than a letter
    if len(text) <= longest and tokens_shown(text) <= most:
        return text
    low, high = 0, min(len(text), longest)
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        if tokens_shown(head_and_tail(text, middle)) <= most:
            low = middle
        else:
            high = middle - 1
    return head_and_tail(text, low)


def head_and_tail(text: str, most: int) -> str:
    """At most ``most`` characters of a text: two thirds from its beginning, the rest from its end."""
    if len(text) <= most:
        return text
    if most < 8:
        return text[: max(most - 1, 0)] + CUT[:most]
    tail = (most - 1) // 3
    head = most - 1 - tail
    return f"{text[:head].rstrip()}{CUT}{text[-tail:].lstrip()}"
