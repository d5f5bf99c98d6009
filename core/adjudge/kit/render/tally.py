"""Counts the results of each eval set while its cases are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from adjudge.kit.render.repeats import WholeCase
from adjudge.model.result import RepeatedCriterion
from adjudge.model.verdict import Status

Counted: TypeAlias = Status | Literal["unfinished"]
"""A status, or ``unfinished`` for a case that an interrupted run has not finished."""


@dataclass(slots=True)
class CriterionTally:
    """The counts of one criterion over the cases of an eval set."""

    name: str
    threshold: float | None
    counts: Counter[Counted] = field(default_factory=Counter[Counted])
    scored: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float | None:
        """The mean over the cases with a score."""
        return self.total / self.scored if self.scored else None

    def add(self, criterion: RepeatedCriterion) -> None:
        """Count one case."""
        self.counts[criterion.status] += 1
        if criterion.mean is not None:
            self.scored += 1
            self.total += criterion.mean


@dataclass(slots=True)
class EvalSetTally:
    """The counts of one eval set."""

    eval_set_id: str
    file: str | None
    counts: Counter[Counted] = field(default_factory=Counter[Counted])
    criteria: dict[str, CriterionTally] = field(default_factory=dict[str, CriterionTally])

    @property
    def cases(self) -> int:
        """The number of cases, without repeats."""
        return self.counts.total()

    def add(self, case: WholeCase) -> None:
        """Count one case."""
        self.counts[counted_as(case)] += 1
        if case.unfinished:
            return
        for criterion in case.overall.criteria:
            name = criterion.criterion_name
            if name not in self.criteria:
                self.criteria[name] = CriterionTally(name, criterion.threshold)
            self.criteria[name].add(criterion)


def counted_as(case: WholeCase) -> Counted:
    """The status of a case in the counts."""
    return "unfinished" if case.unfinished else case.overall.status


class Tally:
    """The counts of all eval sets of a run, in their order."""

    def __init__(self) -> None:
        self.retryable = 0
        """The number of errors, of agents and criteria, that a resumed run tries again."""
        self.counts: Counter[Counted] = Counter()
        """The counts of cases in the whole run."""
        self._sets: dict[tuple[str, str | None], EvalSetTally] = {}

    @property
    def eval_sets(self) -> tuple[EvalSetTally, ...]:
        """The eval sets."""
        return tuple(self._sets.values())

    def add(self, case: WholeCase) -> None:
        """Count one case."""
        key = (case.overall.eval_set_id, case.overall.eval_set_file)
        if key not in self._sets:
            self._sets[key] = EvalSetTally(*key)
        self._sets[key].add(case)
        self.counts[counted_as(case)] += 1
        for repeat in case.repeats:
            errors = [repeat.result.error, *(criterion.error for criterion in repeat.result.criteria)]
            self.retryable += sum(1 for error in errors if error is not None and error.retryable)


_WORDS: Final[dict[Counted, str]] = {
    "PASS": "passed",
    "FAIL": "failed",
    "error": "error",
    "UNSURE": "undecided",
    "not_applicable": "not applicable",
    "informational": "informational",
    "unfinished": "not finished",
}


def counts_text(counts: Mapping[Counted, int], *, without: tuple[Counted, ...] = ()) -> str:
    """Counts as a text, for instance "4 passed, 3 failed, 2 errors"."""
    shown = [
        f"{counts[status]} {'errors' if status == 'error' and counts[status] > 1 else word}"
        for status, word in _WORDS.items()
        if counts.get(status) and status not in without
    ]
    return ", ".join(shown)
