"""Short texts out of long ones: one line, without what nobody sees, the beginning and the end kept."""

from __future__ import annotations

import re
from typing import Final

from adjudge.model.tokens import CUT, head_and_tail
from adjudge.model.untrusted import cleaned

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


def in_line(text: str, most: int) -> str:
    """A text in one line of at most ``most`` characters, invisible ones taken out.

    Of a longer text the beginning and the end stay: results say at their end how they ended.
    """
    reach = 2 * most + 200
    if len(text) > 2 * reach:  # a page of a megabyte is not cleaned for two hundred characters
        text = f"{text[:reach]} {CUT} {text[-reach:]}"
    return head_and_tail(" ".join(cleaned(text)[0].split()), most)


def first_sentence(text: str, most: int) -> str:
    """The first sentence of a text in one line of at most ``most`` characters, without its final stop."""
    line = in_line(text, max(8 * most, 1000))
    sentence = _SENTENCE.split(line, maxsplit=1)[0].rstrip(".!?。！？ ")
    return sentence if len(sentence) <= most else sentence[: most - 1].rstrip() + CUT
