"""Finds the keywords of strategies in a text, in scripts with and without spaces between words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

_WORDY: Final = r"0-9a-z\u00df-\u024f\u0370-\u052f"
"""Letters of scripts with spaces between words, unlike Chinese, Japanese, Korean and Thai."""

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDY_CHARACTER: Final = re.compile(f"[{_WORDY}]")
_WORD: Final = re.compile(rf"[{_WORDY}]+|[^\W_{_WORDY}]+")


class KeywordMatcher:
    """Finds the keywords of several owners in texts.

    A keyword consists of words of one language. Case and width are ignored. A hyphen in a keyword matches a
    hyphen, a space or nothing; a space matches white space, a hyphen or an underscore; a final ``*`` matches
    the rest of a word. In alphabets a keyword never matches inside a word. Of overlapping matches the
    leftmost wins, and among those the longest: ``子任务完成`` does not match ``任务完成``.
    """

    def __init__(self, keywords: Mapping[str, Iterable[str]]) -> None:
        """Store the keywords by owner."""
        self._owners: dict[str, set[str]] = {}
        for owner, words in keywords.items():
            for word in words:
                self._owners.setdefault(_normal(word).strip(), set()).add(owner)
        self._owners.pop("", None)
        self._patterns = {word: re.compile(_pattern(word)) for word in self._owners}

    def found(self, text: str) -> dict[str, list[str]]:
        """The keywords in a text by owner, without duplicates, in the order of the text."""
        normal = _normal(_CAMEL.sub(" ", text))
        hits = sorted(
            ((match.start(), -match.end(), word) for word, pattern in self._patterns.items()
             for match in pattern.finditer(normal)),
        )  # fmt: skip
        found: dict[str, list[str]] = {}
        end = 0
        for start, negative_end, word in hits:
            if start < end:
                continue
            end = -negative_end
            for owner in self._owners[word]:
                words = found.setdefault(owner, [])
                if word not in words:
                    words.append(word)
        return found


def words_of(keyword: str) -> int:
    """The number of words in a keyword; in scripts without spaces two characters count as one word."""
    words = _WORD.findall(_normal(keyword))
    return max(1, sum(1 if _WORDY_CHARACTER.match(word) else len(word) // 2 for word in words))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _pattern(word: str) -> str:
    stem = word.removesuffix("*")
    body = re.escape(stem).replace(r"\ ", r"[\s_-]+").replace(r"\-", r"[\s_-]*")
    before = f"(?<![{_WORDY}])" if _WORDY_CHARACTER.match(stem[0]) else ""
    if not _WORDY_CHARACTER.match(stem[-1]):
        return before + body
    return f"{before}{body}[{_WORDY}]*" if word.endswith("*") else f"{before}{body}(?![{_WORDY}])"
