"""Two texts with their differences marked word by word: ``[-expected-]`` and ``{+actual+}``.

Of long texts only the parts around the differences are shown; common parts between them are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from adjudge.kit.render.lines import Piece, Tone, shortened
from adjudge.model.printable import clean

# Chinese, Japanese, Korean and Southeast Asian scripts such as Thai have no spaces between words.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORDS: Final = re.compile(rf"[{_UNSPACED}]\s*|[^\W{_UNSPACED}]+\s*|\S\s*")
_SPACES: Final = re.compile(r"\s+")

_LIMIT: Final = 280
"""The maximum length of each shown text in characters."""
_LEAD: Final = 60
"""The number of characters shown before the first difference, if the beginning is left out."""
_AROUND: Final = 30
"""The number of characters shown before and after each further difference."""
_COMPARED: Final = 20_000
"""The maximum number of characters that are compared, counted from the first difference."""
RELATED: Final = 0.4
"""The minimum similarity ratio. Less similar texts are shown without marks, because everything differs."""
_ELLIPSIS: Final[Piece] = ("…", Tone.FAINT)


def words(text: str) -> list[str]:
    """Split a text into words, each with the white space after it."""
    return _WORDS.findall(text)


def marked(expected: str, actual: str, limit: int = _LIMIT) -> tuple[list[Piece], list[Piece]]:
    """The two texts on one line each, with marked differences; texts longer than ``limit`` are shortened."""
    is_short = max(len(expected), len(actual)) <= limit
    start = 0 if is_short else max(0, _common_start(expected, actual) - _LEAD)
    left, right = _piece(expected, start), _piece(actual, start)
    if left == right and expected != actual:  # they differ only in white space
        left, right = _piece(_visible(expected), start), _piece(_visible(actual), start)
    left_words, right_words = words(left), words(right)
    matcher = SequenceMatcher(
        None, [word.rstrip() for word in left_words], [word.rstrip() for word in right_words], autojunk=False
    )
    lead: list[Piece] = [_ELLIPSIS] if start else []
    # If the beginning is left out, the texts have it in common, so they are related.
    if not start and matcher.ratio() < RELATED:
        return [*lead, shortened(left, limit)], [*lead, shortened(right, limit)]
    wanted, found = _Shown(lead, limit, is_short), _Shown(lead, limit, is_short)
    codes = matcher.get_opcodes()
    for place, (kind, left_from, left_to, right_from, right_to) in enumerate(codes):
        left_part = "".join(left_words[left_from:left_to])
        right_part = "".join(right_words[right_from:right_to])
        if kind == "equal":
            ends = place == 0, place == len(codes) - 1
            wanted.same(left_part, *ends)
            found.same(right_part, *ends)
        elif wanted.is_full or found.is_full:
            left_over = sum(1 for code in codes[place:] if code[0] != "equal")
            rest = f" … and {left_over} more {'difference' if left_over == 1 else 'differences'}"
            return [*wanted.pieces, (rest, Tone.FAINT)], [*found.pieces, (rest, Tone.FAINT)]
        else:
            near = _common_start(left_part, right_part)
            wanted.differs("[-", _around(left_part, near), "-]", Tone.EXPECTED)
            found.differs("{+", _around(right_part, near), "+}", Tone.ACTUAL)
    cut = max(len(expected), len(actual)) - start > _COMPARED
    ending: list[Piece] = [_ELLIPSIS] if cut else []
    return [*wanted.pieces, *ending], [*found.pieces, *ending]


class _Shown:
    """The shown parts of one of the two texts."""

    def __init__(self, lead: Sequence[Piece], limit: int, whole: bool) -> None:
        self.pieces: list[Piece] = list(lead)
        self._left = limit
        self._whole = whole

    @property
    def is_full(self) -> bool:
        return not self._whole and self._left <= 0

    def same(self, text: str, first: bool, last: bool) -> None:
        """Add a part that both texts have; of a long part, only its ends next to differences."""
        before = 0 if first else _AROUND
        after = 0 if last else _LEAD if first else _AROUND
        if self._whole or len(text) <= before + after + _AROUND:
            self._add(text)
            return
        self._add(text[:before].rstrip())
        self.pieces.append(_ELLIPSIS)
        self._add(text[len(text) - after :].lstrip() if after else "")

    def differs(self, opening: str, text: str, closing: str, tone: Tone) -> None:
        """Add a part that only this text has."""
        body = text.rstrip()
        if body:
            self.pieces += [(f"{opening}{body}{closing}", tone), text[len(body) :]]
        self._left -= len(text)

    def _add(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self._left -= len(text)


def _piece(text: str, start: int) -> str:
    """The text after ``start`` on one line."""
    return _SPACES.sub(" ", clean(text[start : start + _COMPARED])).strip()


def _visible(text: str) -> str:
    """A text with visible marks for its white space."""
    return text.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥")


def _around(text: str, place: int) -> str:
    """Shorten a long differing part to the text around ``place``."""
    if len(text) <= _LIMIT // 2:
        return text
    start = max(0, place - _AROUND)
    return f"{'…' if start else ''}{shortened(text[start:], _LIMIT // 2)}"


def _common_start(left: str, right: str) -> int:
    """The number of equal characters at the beginning."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
