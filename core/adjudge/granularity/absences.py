"""Absences: what may be decided by words that stand nowhere in a run.

That something never happened has no place to cite, so a judge names words that would stand there otherwise,
and code looks for them. Whoever may name any word finds one that is missing. So an absence holds only

- for an answer that says that something did not happen: "not met" of a statement that asks for something, or
  "met" of one that forbids something. What is to hold for each of several things fails by one that can be cited;
- where no step that the answer decides has the words: those that were asked about, or the whole run where
  this part alone decides for all;
- where the words are few, and each of them is missing;
- for "met", which nothing else supports then, where one of the words is the statement's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from adjudge.granularity.evidence import Places, is_findable
from adjudge.granularity.wording import says_every, says_no
from adjudge.model.evaluation import Check
from adjudge.model.judging import Decision
from adjudge.model.measurement import Absence

ABSENT_WORDS: Final = "absent_words"
"""The note of a vote that names them."""

ABSENT_WORDS_MEANING: Final = (
    "where it is decided by something that did not happen: one to four words that would stand in the log "
    "otherwise, several separated by commas; empty where a citation shows it"
)

_SEPARATORS: Final = re.compile(r"[;\n；，、]|,(?!\d)| / | \| ")
_QUOTES: Final = " \t\r\"'`“”‘’「」.。"
_MOST_WORDS: Final = 4
_LONGEST: Final = 40
"""Characters. A whole sentence stands in no log, and its absence says nothing."""

_WORD: Final = re.compile(r"[^\W_]+")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SHORTEST_WORD: Final = 3
_STEM: Final = 4
_SAY_NOTHING: Final = frozenset(
    [
        "agen",
        "and",
        "does",
        "each",
        "ever",
        "for",
        "from",
        "has",
        "have",
        "neve",
        "none",
        "not",
        "noth",
        "run",
        "step",
        "that",
        "the",
        "this",
        "was",
        "when",
        "with",
    ]
)
"""Stems that any statement has."""


def absences_of(check: Check, decision: Decision, places: Places, part: Sequence[int]) -> tuple[Absence, ...]:
    """What code did not find of the words that the votes for a decision name, as far as that decides anything.

    Args:
        check: What was asked.
        decision: That it is met, or not.
        places: The run.
        part: The steps that were asked about.
    """
    is_met = decision.value == 1.0
    forbids = says_no(check.text)
    if is_met != forbids or (not is_met and says_every(check.text)):
        return ()
    decides_alone = check.reducer in ("last", "any" if is_met else "all")
    steps = places.steps if decides_alone else part
    missing: dict[Absence, None] = {}
    for vote in decision.votes:
        if vote.label != decision.label or not steps:
            continue
        words = _words(vote.notes.get(ABSENT_WORDS, ""))
        is_about_it = not is_met or any(_share_a_word(check.text, each) for each in words)
        scans = {each: places.absence(each, steps, check.about) for each in words}
        if is_about_it and None not in scans.values():
            missing |= {scan: None for each, scan in scans.items() if scan is not None and _is_short(each)}
    return tuple(missing)


def _words(named: str) -> list[str]:
    """What a judge names, one by one."""
    return [words for each in _SEPARATORS.split(named) if is_findable(words := each.strip(_QUOTES))]


def _is_short(words: str) -> bool:
    return len(words) <= _LONGEST and len(words.split()) <= _MOST_WORDS


def _share_a_word(one: str, other: str) -> bool:
    return not _stems(one).isdisjoint(_stems(other))


def _stems(text: str) -> set[str]:
    """The beginnings of its words; in scripts without spaces, every two characters in a row."""
    stems: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _WIDE.search(word):
            stems.update(word[at : at + 2] for at in range(len(word) - 1))
        elif len(word) >= _SHORTEST_WORD:
            stems.add(word[:_STEM])
    return stems - _SAY_NOTHING
