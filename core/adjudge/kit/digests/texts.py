"""Shortens texts to one line, without invisible characters."""

from __future__ import annotations

import re
from typing import Final

from adjudge.model.tokens import CUT, head_and_tail
from adjudge.model.untrusted import cleaned

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


def in_line(text: str, most: int) -> str:
    """Shorten a text to one line of at most ``most`` characters, without invisible characters.

    The beginning and the end of a longer text are kept, because outcomes are often at the end.
    """
    reach = 2 * most + 200
    if len(text) > 2 * reach:  # truncate large texts before cleaning them
        text = f"{text[:reach]} {CUT} {text[-reach:]}"
    return head_and_tail(" ".join(cleaned(text)[0].split()), most)


def first_sentence(text: str, most: int) -> str:
    """The first sentence of a text in one line of at most ``most`` characters, without its full stop."""
    line = in_line(text, max(8 * most, 1000))
    sentence = _SENTENCE.split(line, maxsplit=1)[0].rstrip(".!?。！？ ")
    return sentence if len(sentence) <= most else sentence[: most - 1].rstrip() + CUT
