"""The question about checks on some steps of a run, and its size in a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import spread, tokens_shown
from adjudge.kit.evaluation import Check, CheckKind, CompiledCriterion
from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Choice, Decision, Exhibit, JudgedItem, Passage, Question
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.absences import ABSENT_WORDS, ABSENT_WORDS_MEANING, FORBIDS, FORBIDS_MEANING
from adjudge_plugins.ai_judge.evidence import CITABLE, Places
from adjudge_plugins.ai_judge.named_steps import AT_FAULT, AT_FAULT_MEANING
from adjudge_plugins.ai_judge.run_exhibits import FACTS, HIDDEN_TASK, INSTRUCTIONS, TASK, TOOLS
from adjudge_plugins.ai_judge.truncation import Shown

STEPS_WANTED: Final = "steps_wanted"
"""The note of a vote that requests steps, asked for if some steps are shortened or left out."""

_STEPS_WANTED_MEANING: Final = (
    "numbers of steps, with commas between them, that you have to see as they were recorded before you decide: "
    "of those that are shortened (at …), or of which only the overview and the lines tell; empty where you need none"
)

MET: Final = "met"

_CHOICES: Final = (
    Choice(label=MET, meaning="the run meets the statement", value=1.0),
    Choice(label="not_met", meaning="the run does not meet it", value=0.0),
    Choice(label="not_applicable", meaning="the statement is about something that has no place in this run"),
    Choice(label="cannot_tell", meaning="what is shown is not enough to decide", abstains=True),
)
_CHOICES_OVER_A_PART: Final = (
    Choice(label=MET, meaning="these steps, a part of the run, meet the statement", value=1.0),
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
    FORBIDS: FORBIDS_MEANING,
    ABSENT_WORDS: ABSENT_WORDS_MEANING,
    AT_FAULT: AT_FAULT_MEANING,
}
_SHARE: Final = 3
"""Checks and other text besides the run may take up to a third of a request."""

MOST_ITEMS: Final = 16
"""The number of statements in one request: with more, answers are cut off and judges mix them up."""

_NUMBERS: Final = re.compile(r"(\d{1,9})(?:\s*[-–~]\s*(\d{1,9}))?")
_MOST_NUMBERS: Final = 100


@dataclass(frozen=True, slots=True)
class AskedCheck:
    """A check of one of the criteria that a run is judged by."""

    criterion: CompiledCriterion
    check: Check
    level: str
    """The granularity of the criterion."""

    @property
    def item_id(self) -> str:
        """The unique id of the check within the run."""
        return f"{self.criterion.name} {self.check.check_id}"

    @property
    def purpose(self) -> str:
        """The criterion in its author's words; only its name if the check has the same text as the description."""
        said = self.criterion.description
        told = [self.criterion.name] if self.criterion.name else []
        return ": ".join([*told, said] if said and said != self.check.text else told)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of a question about a run, besides steps."""

    exhibits: tuple[Exhibit, ...]
    """The task, the agent's instructions and tools, and facts about the run."""
    overviews: tuple[Exhibit, ...]
    """The run at the chosen granularities. Overviews cannot be cited."""

    @property
    def tokens(self) -> int:
        """The tokens of all exhibits."""
        return sum(tokens_shown(exhibit.text) for exhibit in (*self.exhibits, *self.overviews))


def question_about(
    asked: Sequence[AskedCheck], around: Surroundings, shown: Shown, places: Places, *, is_part: bool
) -> Question:
    """Build the question whether checks are met.

    Args:
        asked: The checks, of one or more criteria.
        around: The context of the steps.
        shown: The steps.
        places: The citable places.
        is_part: Whether the run has more steps than these.
    """
    lines = (Exhibit(name="lines", text=shown.lines),) if shown.lines else ()
    return _question(
        asked,
        (*around.exhibits, *around.overviews, *lines, Exhibit(name="steps", passages=shown.passages)),
        {about: places.fields_of(shown.steps, about) for about in CITABLE},
        prompt="judge_checks" if places.shows_outcomes else "judge_account",
        is_part=is_part,
        is_whole=not shown.hidden,
    )


def _question(
    asked: Sequence[AskedCheck],
    exhibits: tuple[Exhibit, ...],
    cites: Mapping[CheckKind, Sequence[str]],
    *,
    prompt: str,
    is_part: bool,
    is_whole: bool,
) -> Question:
    return Question(
        prompt=read_prompt("adjudge_plugins.ai_judge", prompt),
        exhibits=exhibits,
        items=tuple(
            JudgedItem(
                item_id=each.item_id,
                text=each.check.text,
                purpose=each.purpose,
                kind=each.check.about,
                cites=tuple(cites[each.check.about]),
            )
            for each in asked
        ),
        choices=_CHOICES_OVER_A_PART if is_part else _CHOICES,
        rule="majority_or_unsure",
        notes=_NOTES | ({} if is_whole else {STEPS_WANTED: _STEPS_WANTED_MEANING}),
        instead_of_citing=ABSENT_WORDS,
    )


def asked_together(asked: Sequence[AskedCheck], budget: int, judge: Judge) -> Iterator[list[AskedCheck]]:
    """Group checks into questions that leave most of a request to the run."""
    together: list[AskedCheck] = []
    for each in asked:
        is_full = len(together) == MOST_ITEMS or (
            together and tokens_without_run([*together, each], judge) > budget // _SHARE
        )
        if is_full:
            yield together
            together = []
        together.append(each)
    if together:
        yield together


def tokens_without_run(asked: Sequence[AskedCheck], judge: Judge) -> int:
    """The maximum tokens of a request about these checks, without the run."""
    levels = dict.fromkeys(each.level for each in asked)
    names = (FACTS, TASK, HIDDEN_TASK, INSTRUCTIONS, TOOLS, *map(overview_name, levels), "lines", "steps")
    exhibits = tuple(Exhibit(name=name, passages=(Passage(heading="", text=""),)) for name in names)
    most = max(
        (
            _question(asked, exhibits, CITABLE, prompt=prompt, is_part=True, is_whole=False)
            for prompt in ("judge_checks", "judge_account")
        ),
        key=lambda question: len(question.prompt.text),
    )
    return judge.tokens_beside(most)


def overview_name(level: str, *, by_judge: bool = True) -> str:
    """The name of an overview: its granularity, and whether a model or code wrote it."""
    return f"overview {level}, {'written by a model' if by_judge else 'made by a program'}"


def steps_wanted(decision: Decision, hidden: Sequence[int]) -> list[int]:
    """The steps that votes request, in their order, limited to those that were not shown whole."""
    found: dict[int, None] = {}
    for vote in decision.votes:
        for first, last in _NUMBERS.findall(vote.notes.get(STEPS_WANTED, ""))[:_MOST_NUMBERS]:
            named = range(int(first), int(last or first) + 1)
            found |= dict.fromkeys(spread([step for step in hidden if step in named]))
    return list(found)
