"""Comparisons of texts: equality, containment and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.plugin import Outcome
from adjudge_text.config import ContainsConfig, ExactMatchConfig, RegexMatchConfig


def exact_match(actual: str, expected: str, config: ExactMatchConfig) -> Outcome:
    """1.0 where both texts are the same, after the folding that ``config`` asks for."""
    if _folded(actual, config) == _folded(expected, config):
        return Outcome.scored(1.0, "the response is the reference")
    return Outcome.scored(0.0, "the response differs from the reference")


def contains(actual: str, texts: Sequence[str], config: ContainsConfig) -> Outcome:
    """The share of ``texts`` that occur in ``actual``."""
    folded = _folded(actual, config)
    missing = [text for text in texts if _folded(text, config) not in folded]
    reasoning = f"not in the response: {', '.join(map(repr, missing))}" if missing else "every text is there"
    return Outcome.scored(1 - len(missing) / len(texts), reasoning, details={"missing": missing})


def regex_match(actual: str, config: RegexMatchConfig) -> Outcome:
    """1.0 where the pattern is found; with the words that it found."""
    pattern = re.compile(config.pattern, re.IGNORECASE if config.ignore_case else 0)
    found = pattern.fullmatch(actual) if config.whole else pattern.search(actual)
    if found is None:
        return Outcome.scored(0.0, f"{config.pattern!r} is not found in the response")
    return Outcome.scored(1.0, f"found {found[0]!r}", details={"found": found[0]})


def _folded(text: str, config: ExactMatchConfig | ContainsConfig) -> str:
    if config.ignore_whitespace:
        text = " ".join(text.split())
    return text.casefold() if config.ignore_case else text
