"""How many tokens a text has, estimated without a tokenizer."""

from __future__ import annotations

import math
from typing import Final

from adjudge.granularity.digests.texts import head_and_tail

_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
_ASCII: Final = bytes(range(128))
_BEYOND_ASCII: Final = bytes(range(128, 256))

_LETTERS_A_TOKEN: Final = 4
_SIGNS_A_TOKEN: Final = 1.25
_BYTES_A_TOKEN: Final = 2.5


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


def clipped_to_tokens(text: str, most: int) -> str:
    """The beginning and the end of a text, with ``…`` between them where it has more than ``most`` tokens."""
    if tokens_of(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        if tokens_of(head_and_tail(text, middle)) <= most:
            low = middle
        else:
            high = middle - 1
    return head_and_tail(text, low)
