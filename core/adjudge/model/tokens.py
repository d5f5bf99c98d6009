"""Estimates the tokens of a text without a tokenizer, and truncates texts to a number of tokens."""

from __future__ import annotations

import json
import math
from typing import Final

from adjudge.model.judging import JudgeRequest
from adjudge.model.untrusted import defused, lines_of

CUT: Final = "…"
"""Marks the place where text was left out."""

_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
_ASCII: Final = bytes(range(128))
_BEYOND_ASCII: Final = bytes(range(128, 256))

_LETTERS_A_TOKEN: Final = 4
_SIGNS_A_TOKEN: Final = 1.25
_BYTES_A_TOKEN: Final = 2.5

_MARK: Final = 5
"""The maximum number of tokens of the mark before every line of quoted material (see ``adjudge.kit.untrusted``)."""


def tokens_of(text: str) -> int:
    """Estimate the number of tokens of a text, for any model; the estimate is rather too high than too low.

    A token is counted for every 4 ASCII letters and spaces, 1.25 other ASCII characters, and 2.5 bytes of non-ASCII
    characters in UTF-8: so a Chinese, Japanese or Korean (CJK) character counts 1.2 tokens, a Cyrillic letter 0.8, an
    emoji 1.6. English prose has fewer tokens than this in all common vocabularies; CJK text has 0.6 to 1.3 tokens per
    character. Random strings, for instance base64, have up to twice as many as estimated.
    """
    data = text.encode("utf-8", "surrogatepass")
    signs = len(data.translate(None, _LETTERS + _BEYOND_ASCII))
    beyond = 0 if text.isascii() else len(data.translate(None, _ASCII))
    letters = len(data) - signs - beyond
    return math.ceil(letters / _LETTERS_A_TOKEN + signs / _SIGNS_A_TOKEN + beyond / _BYTES_A_TOKEN)


def tokens_shown(text: str) -> int:
    """Estimate the tokens of a text as quoted material of a prompt, in which every line has a mark."""
    lines = lines_of(text)
    return tokens_of(defused("\n".join(lines))) + _MARK * len(lines)


def tokens_of_passage(heading: str, text: str) -> int:
    """Estimate the tokens of a text with its heading (see ``adjudge.model.Passage``)."""
    return tokens_shown(heading) + tokens_shown(text)


def tokens_asked(request: JudgeRequest) -> int:
    """Estimate the tokens of a whole request: all messages, and the schema of the answer."""
    schema = "" if request.schema_ is None else json.dumps(request.schema_, ensure_ascii=False)
    return sum(tokens_of(message.text) for message in request.messages) + tokens_of(schema)


def clipped_to_tokens(text: str, most: int) -> str:
    """Truncate a text of more than ``most`` tokens to its beginning and end, with ``…`` between them.

    Tokens are counted by ``tokens_shown``, because truncated texts are quoted in prompts.
    """
    longest = _LETTERS_A_TOKEN * most  # ASCII letters have the fewest tokens per character
    if len(text) <= longest and tokens_shown(text) <= most:
        return text
    low, high = 0, min(len(text), longest)
    while low < high:  # binary search for the maximum number of characters that fit
        middle = (low + high + 1) // 2
        if tokens_shown(head_and_tail(text, middle)) <= most:
            low = middle
        else:
            high = middle - 1
    return head_and_tail(text, low)


def head_and_tail(text: str, most: int) -> str:
    """Truncate a text to ``most`` characters: two thirds from its beginning, the rest from its end."""
    if len(text) <= most:
        return text
    if most < 8:
        return text[: max(most - 1, 0)] + CUT[:most]
    tail = (most - 1) // 3
    head = most - 1 - tail
    return f"{text[:head].rstrip()}{CUT}{text[-tail:].lstrip()}"
