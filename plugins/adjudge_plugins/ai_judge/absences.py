"""Absences: evidence that certain words do not occur in a run.

Something that never happened has no place to cite. So a judge names words that would occur if it had
happened, and code searches for them. A judge can name any words, so an absence only counts, equally for PASS
and FAIL, if

- the answer says that something did not happen: "not met" for a statement that requires something, or "met"
  for
  one that forbids something. The same vote says in a note which kind the statement is;
- no step within the scope of the answer contains the words. The scope is the steps in the question, or the
  whole run if this part alone decides the check;
- the words are few, and every one of them is missing;
- the words are plausible in the run: words of the statement, names of tools, or words that the run
  uses somewhere. Words that nobody would have written are always missing, and prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from adjudge.kit.evaluation import Check
from adjudge.model import Absence, Decision, Vote
from adjudge_plugins.ai_judge.evidence import Places, is_findable
from adjudge_plugins.ai_judge.vocabulary import root_of, stem_of, words_of

ABSENT_WORDS: Final = "absent_words"
"""The note of a vote that lists the absent words."""

ABSENT_WORDS_MEANING: Final = (
    "where it is decided by something that did not happen: one to four words that would stand in the log "
    "otherwise, several separated by commas, each of the statement, of a tool's name or of the run's own words; "
    "empty where a citation shows it"
)

FORBIDS: Final = "forbids"
"""The note of a vote that says whether the statement forbids something."""

FORBIDS_MEANING: Final = (
    'yes where the statement is met when something does not happen, such as "No file is deleted"; '
    "no where it is met when something happens"
)

_SEPARATORS: Final = re.compile(r"[;\n；，、]|,(?!\d)| / | \| ")
_QUOTES: Final = " \t\r\"'`“”‘’「」.。"
_MOST_WORDS: Final = 4
_LONGEST: Final = 40
"""The length limit of absent words in characters: the absence of a whole sentence proves nothing."""


def absences_of(check: Check, decision: Decision, places: Places, part: Sequence[int]) -> tuple[Absence, ...]:
    """Search for the words that the votes for a decision name, and return the valid absences.

    Args:
        check: The check.
        decision: Its decision, met or not met.
        places: The run.
        part: The steps in the question.
    """
    is_met = decision.value == 1.0
    decides_alone = check.reducer in ("last", "any" if is_met else "all")
    steps = places.steps if decides_alone else part
    missing: dict[Absence, None] = {}
    for vote in decision.votes:
        if vote.label != decision.label or not steps or _forbids(vote) != is_met:
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


def _forbids(vote: Vote) -> bool | None:
    """Whether the statement forbids something, according to the vote; ``None`` if the vote does not tell."""
    return {"yes": True, "no": False}.get(vote.notes.get(FORBIDS, "").strip(_QUOTES).lower())


def _words(named: str) -> list[str]:
    """Split the words that a judge names."""
    return [words for each in _SEPARATORS.split(named) if is_findable(words := each.strip(_QUOTES))]


def _is_short(words: str) -> bool:
    return len(words) <= _LONGEST and len(words.split()) <= _MOST_WORDS


def _is_said_nowhere(words: str, check: Check, places: Places, steps: Sequence[int]) -> bool:
    """Whether words are plausible in the run, and no form of them occurs in the steps."""
    known = places.vocabulary
    if known.is_tool(words):
        return True
    named = words_of(words)
    if not named:  # only digits or symbols
        return known.has(words) or words.casefold() in check.text.casefold()
    said: dict[str, set[str]] = {}
    for word in words_of(check.text):
        said.setdefault(stem_of(word), set()).add(root_of(word))
    possible = [word for word in named if stem_of(word) in said or known.has(root_of(word))]
    # "cartoon" begins like "cart": the statement's own words have to be missing too.
    roots = {root for word in possible for root in (root_of(word), *said.get(stem_of(word), ()))}
    return bool(roots) and all(places.absence(root, steps, check.about) is not None for root in roots)
