"""ROUGE-1: the overlap of words of two texts, for all scripts.

ROUGE-1 counts shared words (Lin, 2004, "ROUGE: A Package for Automatic Evaluation of Summaries").
The package rouge-score is the usual implementation; google-adk uses it with Porter stemming. For ASCII texts the
scores here are bit-identical to it. Its tokenizer ignores all non-ASCII characters; this module does not:

- Non-ASCII texts are normalised to Unicode NFKC and case-folded, and invisible characters are removed.
- Chinese characters, kana and Hangul syllables are one word each. So is a Thai, Lao, Khmer or
  Burmese letter with its marks: these languages put no space between words.
- Every other sequence of letters, digits and their marks is a word. Words of only ASCII characters are stemmed.
- An emoji or pictograph is one word, together with its skin tone, the parts joined to it, or the
  other half of a flag. Punctuation and symbols (currency, mathematics, arrows) are not words, as in rouge-score.
- Accents are compared if both texts have them: "resumé" is not "résumé". But a Latin word with accents equals the same
  word without accents if neither has an exact match.

Words are counted here instead of by rouge-score's scorer, which would take two thirds of the time. Its tokenizer is
still used to stem the ASCII words that only one of the texts has.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Container
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, cast


class RougeScore(NamedTuple):
    """The scores of ROUGE-1, each from 0 to 1."""

    precision: float
    """The share of the words of the actual text that are in the expected text."""
    recall: float
    """The share of the words of the expected text that are in the actual text."""
    f1: float
    """The harmonic mean of the two."""


def rouge_1(expected: str, actual: str) -> RougeScore:
    """Compute ROUGE-1 of two texts: compare their words in any order.

    All scores are 0 if no word is shared, also if both texts have no words.
    """
    target, prediction = _unstemmed(expected), _unstemmed(actual)
    if expected.isascii() and actual.isascii():
        shared = _shared_ascii(Counter(target), Counter(prediction))
    elif dict(target_counts := Counter(target)) == dict(prediction_counts := Counter(prediction)):
        shared = len(target)
    else:
        target_counts, prediction_counts = _stems(target_counts), _stems(prediction_counts)
        shared = _shared(target_counts, prediction_counts)
        shared += _plainly_spelt(target_counts, prediction_counts)
        shared += _plainly_spelt(prediction_counts, target_counts)
    if not shared:
        return RougeScore(0.0, 0.0, 0.0)
    # In the same order of operations as rouge-score, because another order rounds differently.
    precision = shared / len(prediction)
    recall = shared / len(target)
    return RougeScore(precision, recall, 2 * precision * recall / (precision + recall))


def words(text: str) -> list[str]:
    """The words of a text as ``rouge_1`` compares them: case-folded and stemmed, in order."""
    return [_stem(word) if word.isascii() else word for word in _unstemmed(text)]


def _unstemmed(text: str) -> list[str]:
    if text.isascii():
        return text.translate(_ASCII).split()
    invisible, token = _patterns()
    folded = unicodedata.normalize("NFKC", text).casefold()
    visible = unicodedata.normalize("NFKC", invisible.sub("", folded))
    return cast("list[str]", token.findall(visible))


def _shared_ascii(target: Counter[str], prediction: Counter[str]) -> int:
    """The number of shared stems. Equal words have equal stems, so only words of one text are stemmed."""
    target_only, prediction_only = target - prediction, prediction - target
    shared = target.total() - target_only.total()
    # A stem has the same first letter as its word.
    initials = {word[0] for word in target_only} & {word[0] for word in prediction_only}
    if initials:
        shared += _shared(_stems(target_only, initials), _stems(prediction_only, initials))
    return shared


def _stems(counts: Counter[str], initials: Container[str] | None = None) -> Counter[str]:
    """Count the stems of the words, or only of words that begin with one of ``initials``."""
    stems: Counter[str] = Counter()
    for word, count in counts.items():
        if initials is None or word[0] in initials:
            stems[_stem(word) if word.isascii() else word] += count
    return stems


def _shared(left: Counter[str], right: Counter[str]) -> int:
    return sum(min(left[word], right[word]) for word in left.keys() & right.keys())


_ASCII: Final = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
"""Translation to lower-case letters and digits; other characters separate words."""
_NEVER_STEMMED: Final = 3
"""The length in characters up to which rouge-score does not stem words."""


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    if len(word) <= _NEVER_STEMMED:
        return word
    return cast("str", _rouge_score_tokenizer().tokenize(word)[0])


@cache
def _rouge_score_tokenizer() -> Any:
    # Not at the top: this imports nltk, which takes a quarter of a second and 40 MiB.
    from rouge_score.tokenizers import DefaultTokenizer  # pyright: ignore[reportMissingTypeStubs]

    return DefaultTokenizer(use_stemmer=True)


@cache
def _patterns() -> tuple[Any, Any]:
    """The patterns of invisible characters and of words."""
    import regex  # ``re`` does not support Unicode properties and grapheme clusters

    # Not removed: joiners and the zero-width space, which separate words or join emoji, and the tag characters of
    # flags of regions.
    invisible = r"[\p{Default_Ignorable_Code_Point}--[\u200B-\u200D\U000E0020-\U000E007F]]+"
    unspaced = r"[\p{Han}\u3040-\u30FF\uAC00-\uD7AF\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]"
    single = rf"[{unspaced}&&[\p{{L}}\p{{N}}]]"
    several = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{single}]"
    pictograph = r"[\p{Emoji_Presentation}[\p{So}&&[\u2600-\U0010FFFF]]]"
    token = rf"{single}\p{{M}}*|{several}+|(?={pictograph})\X"
    return regex.compile(invisible, regex.VERSION1), regex.compile(token, regex.VERSION1)


def _plainly_spelt(accented: Counter[str], plain: Counter[str]) -> int:
    """The number of words of ``accented`` without an exact match in ``plain`` that are in ``plain`` without accents."""
    unaccented: Counter[str] = Counter()
    for word, count in accented.items():
        spelling = None if word.isascii() else _without_accents(word)
        if spelling is not None and count > plain.get(word, 0):
            unaccented[spelling] += count - plain.get(word, 0)
    return sum(
        max(0, min(count, plain.get(word, 0) - accented.get(word, 0))) for word, count in unaccented.items()
    )


@lru_cache(maxsize=1 << 14)
def _without_accents(word: str) -> str | None:
    """The stem of a Latin word without its accents; ``None`` for other words."""
    letters = "".join(
        letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter)
    )
    return _stem(letters) if letters.isascii() and letters.isalnum() else None
