"""Steps that votes name as the one at fault: their order, and how a result shows them."""

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
    """The numbers in what a vote says, each once; of very many the first."""
    return list(dict.fromkeys(map(int, _NUMBERS.findall(text))))[: MOST_RUNNERS_UP + 1]


def ranked(votes: Iterable[Sequence[int | None]]) -> list[int]:
    """The steps that votes name, the likeliest first.

    A vote counts one for the step that it names first, a half for the second and a third for the third. Of steps that
    are equally likely the earlier one comes first.

    Args:
        votes: For each vote what it names, in its order; ``None`` for a place at which it names no step.
    """
    weights: dict[int, float] = {}
    for named in votes:
        for place, step in enumerate(named, 1):
            if step is not None:
                weights[step] = weights.get(step, 0.0) + 1 / place
    return sorted(weights, key=lambda step: (-weights[step], step))


def place_of_step(run: Trajectory, number: int) -> JsonObject:
    """A step by number, with who took it and where it was read from."""
    step = next((each for each in run.steps if each.number == number), None)
    author = None if step is None else step.author
    return {
        "step": number,
        "agent": author or run.agent,
        "source_ref": None if step is None else step.source_ref,
    }


def runners_up(run: Trajectory, steps: Iterable[int], step: int | None) -> list[JsonObject]:
    """Steps of the run other than ``step``, in their order, as a result shows them."""
    known = {each.number for each in run.steps}
    others = [other for other in dict.fromkeys(steps) if other in known and other != step]
    return [place_of_step(run, other) for other in others[:MOST_RUNNERS_UP]]


def at_fault(run: Trajectory, failed: Sequence[CheckResult]) -> JsonObject:
    """The first step at fault by the votes on checks that are not met; empty where they name none of the run.

    Every check has its likeliest step; the first of those in the run is the one.
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
