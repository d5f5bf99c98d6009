"""Asking: the question about checks over some steps of a run, and what it takes of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import spread
from adjudge.kit.evaluation import Check
from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Choice, Decision, Exhibit, JudgedItem, Question
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.absences import ABSENT_WORDS, ABSENT_WORDS_MEANING
from adjudge_plugins.ai_judge.evidence import CITABLE
from adjudge_plugins.ai_judge.truncation import Shown

STEPS_WANTED: Final = "steps_wanted"
"""The note of a vote that names steps; asked for where some are shortened or left out."""

_STEPS_WANTED_MEANING: Final = (
    "numbers of steps, with commas between them, that you have to see as they were recorded before you decide: "
    "of those that are shortened (at …), or of which only the overview and the lines tell; empty where you need none"
)

_CHOICES: Final = (
    Choice(label="met", meaning="the run meets the statement", value=1.0),
    Choice(label="not_met", meaning="the run does not meet it", value=0.0),
    Choice(label="not_applicable", meaning="the statement is about something that has no place in this run"),
    Choice(label="cannot_tell", meaning="what is shown is not enough to decide", abstains=True),
)
_CHOICES_OVER_A_PART: Final = (
    Choice(label="met", meaning="these steps, a part of the run, meet the statement", value=1.0),
    Choice(label="not_met", meaning="these steps do not meet it", value=0.0),
    Choice(
        label="not_applicable",
        meaning="these steps have nothing to do with it: what it is about happens in other parts, or nowhere",
    ),
    Choice(
        label="cannot_tell", meaning="what is shown of these steps is not enough to decide", abstains=True
    ),
)
_NOTES: Final = {
    "rationale": "why, in one or two sentences",
    ABSENT_WORDS: ABSENT_WORDS_MEANING,
}
_SHARE: Final = 3
"""The part of a request that may be taken by what is not of the run: a third."""

_NUMBERS: Final = re.compile(r"(\d{1,9})(?:\s*[-–~]\s*(\d{1,9}))?")
_MOST_NUMBERS: Final = 100


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every question about a run has besides steps."""

    task: str
    """The goal; empty where nobody says one."""
    overview: str
    """The run at the chosen granularity. Nothing of it can be cited."""


def question_about(checks: Sequence[Check], around: Surroundings, shown: Shown, *, is_part: bool) -> Question:
    """The question whether checks that are about the same are met.

    Args:
        checks: All of one kind (``about``): checks of different kinds may cite different fields.
        around: What the judge is told besides.
        shown: The steps.
        is_part: Whether the run has more steps than those that are asked about.
    """
    exhibits = {"task": around.task, "overview": around.overview, "lines": shown.lines}
    return Question(
        prompt=read_prompt("adjudge_plugins.ai_judge", "judge_checks"),
        exhibits=(
            *(Exhibit(name=name, text=text) for name, text in exhibits.items() if text),
            Exhibit(name="steps", text=shown.text),
        ),
        items=tuple(JudgedItem(item_id=check.check_id, text=check.text) for check in checks),
        choices=_CHOICES_OVER_A_PART if is_part else _CHOICES,
        rule="majority_or_unsure",
        notes=_NOTES | ({STEPS_WANTED: _STEPS_WANTED_MEANING} if shown.hidden else {}),
        cites=tuple(CITABLE[checks[0].about]),
        instead_of_citing=ABSENT_WORDS,
    )


def asked_together(checks: Sequence[Check], budget: int, judge: Judge) -> Iterator[list[Check]]:
    """The checks of each question: about the same, and few enough to leave most of a request to the run."""
    for about in CITABLE:
        together: list[Check] = []
        for check in checks:
            if check.about != about:
                continue
            if together and tokens_without_run([*together, check], judge) > budget // _SHARE:
                yield together
                together = []
            together.append(check)
        if together:
            yield together


def tokens_without_run(checks: Sequence[Check], judge: Judge) -> int:
    """The most tokens of a request about these checks, the run aside."""
    everything = Shown("-", lines="-", hidden=(0,))
    return judge.tokens_beside(question_about(checks, Surroundings("-", "-"), everything, is_part=True))


def steps_wanted(decision: Decision, hidden: Sequence[int]) -> list[int]:
    """The steps that votes ask for, in their order, of those that were not shown whole. What else they name is nothing."""
    found: dict[int, None] = {}
    for vote in decision.votes:
        for first, last in _NUMBERS.findall(vote.notes.get(STEPS_WANTED, ""))[:_MOST_NUMBERS]:
            named = range(int(first), int(last or first) + 1)
            found |= dict.fromkeys(spread([step for step in hidden if step in named]))
    return list(found)
