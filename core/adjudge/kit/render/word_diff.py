"""Two texts with their differences marked word by word: ``[-expected-]`` and ``{+actual+}``."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from adjudge.kit.render.lines import Piece, Tone, shortened

# Chinese, Japanese, Korean and the scripts around Thai do not put spaces between words.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORDS: Final = re.compile(rf"[{_UNSPACED}]\s*|[^\W{_UNSPACED}]+\s*|\S\s*")

_LIMIT: Final = 280
"""Characters shown of each text."""
_LEAD: Final = 60
"""Characters shown before the first difference where the beginning has to be left out."""
_RELATED: Final = 0.4
"""Texts with less in common are shown without marks: everything differs."""


def words(text: str) -> list[str]:
    """Cut a text into words, each with the white space after it."""
    return _WORDS.findall(text)


def marked(expected: str, actual: str) -> tuple[list[Piece], list[Piece]]:
    """Show two texts on one line each, shortened around their first difference, differences marked."""
    start = _first_difference(expected, actual) - _LEAD
    if start > 0 and max(len(expected), len(actual)) > _LIMIT:
        left, right = shortened(expected[start:], _LIMIT), shortened(actual[start:], _LIMIT)
        lead: list[Piece] = [("…", Tone.FAINT)]
    else:
        left, right = shortened(expected, _LIMIT), shortened(actual, _LIMIT)
        lead = []
    left_words, right_words = words(left), words(right)
    matcher = SequenceMatcher(
        None, [word.rstrip() for word in left_words], [word.rstrip() for word in right_words], autojunk=False
    )
    if matcher.ratio() < _RELATED:
        return [*lead, left], [*lead, right]
    wanted, found = list(lead), list(lead)
    for kind, left_from, left_to, right_from, right_to in matcher.get_opcodes():
        left_part, right_part = (
            "".join(left_words[left_from:left_to]),
            "".join(right_words[right_from:right_to]),
        )
        if kind == "equal":
            wanted.append(left_part)
            found.append(right_part)
        else:
            wanted += _mark("[-", left_part, "-]", Tone.EXPECTED)
            found += _mark("{+", right_part, "+}", Tone.ACTUAL)
    return wanted, found


def _mark(opening: str, text: str, closing: str, tone: Tone) -> list[Piece]:
    body = text.rstrip()
    return [(f"{opening}{body}{closing}", tone), text[len(body) :]] if body else []


def _first_difference(left: str, right: str) -> int:
    differing = (place for place, (one, other) in enumerate(zip(left, right, strict=False)) if one != other)
    return next(differing, min(len(left), len(right)))
