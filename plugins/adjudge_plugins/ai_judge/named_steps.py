"""Steps that votes name as the step at fault: their ranking, and their form in a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from adjudge.model import CheckResult, JsonObject, Trajectory

AT_FAULT: Final = "at_fault"
"""The note in which a vote on a statement names steps."""

AT_FAULT_MEANING: Final = (
    "for not_met alone: the number of the first step that made it so, or at which what was never done should have been "
    "done; then the next likeliest steps, the likeliest first, with commas; otherwise empty"
)
MOST_RUNNERS_UP: Final = 5

_NUMBERS: Final = re.compile(r"\d{1,9}")
_NOT_MET: Final = "not_met"


def numbers_in(text: str) -> list[int]:
    """The distinct numbers in a text, up to a limit."""
    return list(dict.fromkeys(map(int, _NUMBERS.findall(text))))[: MOST_RUNNERS_UP + 1]


def ranked(votes: Iterable[Sequence[int | None]]) -> list[int]:
    """Rank the steps that votes name, the likeliest first.

    The step that a vote names first scores 1, the second 1/2, the third 1/3 (reciprocal rank). Ties are
    broken by the order of the steps.

    Args:
        votes: The steps that each vote names, in order; ``None`` at a rank without a step.
    """
    weights: dict[int, float] = {}
    for named in votes:
        for place, step in enumerate(named, 1):
            if step is not None:
                weights[step] = weights.get(step, 0.0) + 1 / place
    return sorted(weights, key=lambda step: (-weights[step], step))


def place_of_step(run: Trajectory, number: int) -> JsonObject:
    """A step as shown in a result: its number, its agent, and its place in the log."""
    step = next((each for each in run.steps if each.number == number), None)
    author = None if step is None else step.author
    return {
        "step": number,
        "agent": author or run.agent,
        "source_ref": None if step is None else step.source_ref,
    }


def runners_up(run: Trajectory, steps: Iterable[int], step: int | None) -> list[JsonObject]:
    """The steps other than ``step`` that exist in the run, as shown in a result."""
    known = {each.number for each in run.steps}
    others = [other for other in dict.fromkeys(steps) if other in known and other != step]
    return [place_of_step(run, other) for other in others[:MOST_RUNNERS_UP]]


def at_fault(run: Trajectory, failed: Sequence[CheckResult]) -> JsonObject:
    """The first step at fault by the votes on unmet checks; empty if they name no step of the run.

    Each check contributes its likeliest step; the earliest of these is the first error.
    """
    known = {step.number for step in run.steps}
    by_check: list[list[int]] = []
    for check in failed:
        said = [vote.notes.get(AT_FAULT, "") for vote in check.votes.votes if vote.label == _NOT_MET]
        named = ranked([step for step in numbers_in(text) if step in known] for text in said)
        by_check += [named] if named else []
    if not by_check:
        return {}
    step = min(named[0] for named in by_check)
    others = runners_up(run, [*sorted(named[0] for named in by_check), *ranked(by_check)], step)
    return {**place_of_step(run, step), "runners_up": [*others]}
