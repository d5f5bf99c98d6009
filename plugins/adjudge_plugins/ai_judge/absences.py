"""Absences: what may be decided by words that stand nowhere in a run.

That something never happened has no place to cite, so a judge names words that would stand there otherwise,
and code looks for them. Whoever may name any word finds one that is missing. So an absence holds only

- for an answer that says that something did not happen: "not met" of a statement that asks for something, or
  "met" of one that forbids something. What is to hold for each of several things fails by one that can be cited;
- where no step that the answer decides has the words: those that were asked about, or the whole run where
  this part alone decides for all;
- where the words are few, and each of them is missing;
- for words that could have stood there: those of the statement, names of tools, and words that the run itself
  uses somewhere. A word that nobody would have written is always missing, and proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from adjudge.kit.evaluation import Check
from adjudge.model import Absence, Decision
from adjudge_plugins.ai_judge.check_classification import says_every, says_no
from adjudge_plugins.ai_judge.evidence import Places, is_findable
from adjudge_plugins.ai_judge.vocabulary import root_of, stem_of, words_of

ABSENT_WORDS: Final = "absent_words"
"""The note of a vote that names them."""

ABSENT_WORDS_MEANING: Final = (
    "where it is decided by something that did not happen: one to four words that would stand in the log "
    "otherwise, several separated by commas, each of the statement, of a tool's name or of the run's own words; "
    "empty where a citation shows it"
)

_SEPARATORS: Final = re.compile(r"[;\n；，、]|,(?!\d)| / | \| ")
_QUOTES: Final = " \t\r\"'`“”‘’「」.。"
_MOST_WORDS: Final = 4
_LONGEST: Final = 40
"""Characters. A whole sentence stands in no log, and its absence says nothing."""


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
        scans = {each: places.absence(each, steps, check.about) for each in words}
        if None not in scans.values():
            missing |= {
                scan: None
                for each, scan in scans.items()
                if scan is not None and _is_short(each) and _is_said_nowhere(each, check, places, steps)
            }
    return tuple(missing)


def _words(named: str) -> list[str]:
    """What a judge names, one by one."""
    return [words for each in _SEPARATORS.split(named) if is_findable(words := each.strip(_QUOTES))]


def _is_short(words: str) -> bool:
    return len(words) <= _LONGEST and len(words.split()) <= _MOST_WORDS


def _is_said_nowhere(words: str, check: Check, places: Places, steps: Sequence[int]) -> bool:
    """Whether words could have stood in the steps and do not, in any of their forms."""
    known = places.vocabulary
    if known.is_tool(words):
        return True
    named = words_of(words)
    if not named:  # a number or a sign
        return known.has(words) or words.casefold() in check.text.casefold()
    stems = {stem_of(word) for word in words_of(check.text)}
    possible = [word for word in named if stem_of(word) in stems or known.has(root_of(word))]
    return bool(possible) and all(
        places.absence(root_of(word), steps, check.about) is not None for word in possible
    )
