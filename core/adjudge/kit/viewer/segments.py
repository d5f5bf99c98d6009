"""Compares two whole texts word by word, and splits them into common and different segments."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

from adjudge.kit.render.word_diff import RELATED, words
from adjudge.kit.viewer.texts import Segment
from adjudge.model.printable import clean

_COMPARED: Final = 1_500
"""The maximum number of compared words between the common beginning and end: the time grows with its square."""

_UNRELATED_NOTE: Final = "The two have little in common: nothing is marked."
_LONG_NOTE: Final = "Both are long: where they differ in many places, whole passages are marked."
_SPACE_NOTE: Final = "They differ in white space alone."


def whole(text: str) -> list[Segment]:
    """A text as one unmarked segment."""
    return [(clean(text), False)]


def compared(expected: str, actual: str) -> tuple[list[Segment], list[Segment], str]:
    """Compare two texts: returns the segments of both with marked differences, and a note about the comparison."""
    expected, actual = clean(expected), clean(actual)
    if expected == actual:
        return [(expected, False)], [(actual, False)], ""
    left, right = _cut(expected), _cut(actual)
    left_keys, right_keys = [word.rstrip() for word in left], [word.rstrip() for word in right]
    note = ""
    if left_keys == right_keys:
        left_keys, right_keys, note = left, right, _SPACE_NOTE
    first = _same(left_keys, right_keys)
    last = _same(left_keys[first:][::-1], right_keys[first:][::-1])
    inner_left, inner_right = left_keys[first : len(left) - last], right_keys[first : len(right) - last]
    if max(len(inner_left), len(inner_right)) > _COMPARED:
        codes: Sequence[tuple[str, int, int, int, int]] = [
            ("replace", 0, len(inner_left), 0, len(inner_right))
        ]
        note = note or _LONG_NOTE
    else:
        codes = SequenceMatcher(None, inner_left, inner_right, autojunk=False).get_opcodes()
    shared = first + last + sum(code[2] - code[1] for code in codes if code[0] == "equal")
    if 2 * shared < RELATED * (len(left) + len(right)):
        return [(expected, False)], [(actual, False)], _UNRELATED_NOTE
    wanted: list[Segment] = [("".join(left[:first]), False)]
    found: list[Segment] = [("".join(right[:first]), False)]
    for kind, left_from, left_to, right_from, right_to in codes:
        differs = kind != "equal"
        wanted += _segment("".join(left[first + left_from : first + left_to]), differs)
        found += _segment("".join(right[first + right_from : first + right_to]), differs)
    wanted.append(("".join(left[len(left) - last :]), False))
    found.append(("".join(right[len(right) - last :]), False))
    return [item for item in wanted if item[0]], [item for item in found if item[0]], note


def _segment(text: str, differs: bool) -> list[Segment]:
    """The segments of a piece; its trailing white space is not marked, unless it is only white space."""
    inner = text.rstrip() if differs else ""
    return [(inner, True), (text[len(inner) :], False)] if inner else [(text, differs)]


def _cut(text: str) -> list[str]:
    """Split a text into words, each with the white space after it; joined they give the text."""
    inner = text.lstrip()
    lead = text[: len(text) - len(inner)]
    found = words(inner)
    return [lead, *found] if lead else found


def _same(left: list[str], right: list[str]) -> int:
    """The number of equal words at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
