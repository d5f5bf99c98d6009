"""The agreement of a judge with labelled turns, and reasons not to use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from adjudge.model.base import Frozen
from adjudge.model.result import CriterionResult, JudgeCalls
from adjudge_plugins.agreement.judge_trial.labelled_turns import LabelledTurn
from adjudge_plugins.agreement.statistics.confusion import (
    Confusion,
    accuracy,
    balanced_accuracy,
    chance_probability,
    doubt,
    kappa,
    true_negative_rate,
    true_positive_rate,
)


class LabelledGroup(Frozen):
    """The agreement of a judge with the labels of one language and difficulty."""

    language: str
    difficulty: str
    counts: Confusion
    not_measured: int = 0
    """Turns without a verdict: errors, undecided, not applicable."""


class JudgeMeasurement(Frozen):
    """The agreement of a judge with the labels of one criterion."""

    judge: str
    """As ``provider/model``."""
    criterion: str
    """The component, as ``plugin/component``."""
    criterion_version: int
    model_versions: tuple[str, ...] = ()
    """The usage that the provider reports."""
    num_samples: int = 1
    """The most votes for each decision."""
    measured_at: str
    """ISO 8601, UTC."""
    labels: dict[str, str]
    """The SHA-256 of every file of labels, by its name."""
    groups: tuple[LabelledGroup, ...]

    @property
    def counts(self) -> Confusion:
        """All groups together."""
        return sum((group.counts for group in self.groups), Confusion())

    @property
    def not_measured(self) -> int:
        """Turns without a verdict, of all groups."""
        return sum(group.not_measured for group in self.groups)


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One labelled turn, and the judge's verdict."""

    turn: LabelledTurn
    criterion: str
    """The component, as ``plugin/component``."""
    result: CriterionResult

    @property
    def why_not(self) -> str | None:
        """Why there is no verdict; ``None`` where there is one."""
        if self.result.status in ("PASS", "FAIL"):
            return None
        error = self.result.error
        said = self.result.reasoning if error is None else error.message
        return f"{self.result.status}: {said}" if said else self.result.status

    @property
    def counts(self) -> Confusion:
        """This row alone; nothing where there is no verdict."""
        judged_pass = self.result.status == "PASS"
        if self.why_not is not None:
            return Confusion()
        if self.turn.label == "PASS":
            return Confusion(true_pass=int(judged_pass), false_fail=int(not judged_pass))
        return Confusion(false_pass=int(judged_pass), true_fail=int(not judged_pass))


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """The agreement of a model with the labels."""

    judge: str
    measurements: tuple[JudgeMeasurement, ...]
    """One a criterion."""
    rows: tuple[JudgedRow, ...]
    """In the order of the files."""
    calls: JudgeCalls


def doubts_of(measurement: JudgeMeasurement) -> Iterator[str]:
    """Reasons not to use a judge on the measured criterion."""
    judge, counts = measurement.judge, measurement.counts
    criterion = measurement.criterion.partition("/")[2]
    when = f"measured {measurement.measured_at[:10]}"
    match doubt(counts):
        case "near_chance":
            yield (
                f"{judge} was near chance on {criterion}: {_told(counts)}, {when}; "
                "its verdicts there are unreliable"
            )
        case "too_few":
            missing = measurement.not_measured
            rest = f", {missing} more could not be measured" if missing else ""
            yield (
                f"{judge} could not be distinguished from chance on {criterion}: {_told(counts)}{rest}, {when}; "
                "measure it with more labels"
            )
        case None:
            poor = list(_poor_languages(measurement))
            if poor:
                yield f"{judge} was near chance on {criterion} in {', '.join(poor)}, {when}"


def _poor_languages(measurement: JudgeMeasurement) -> Iterator[str]:
    """The languages in which a judge is near chance although it is not over all."""
    for language, groups in groupby(measurement.groups, key=lambda group: group.language):
        counts = sum((group.counts for group in groups), Confusion())
        if doubt(counts) == "near_chance":
            yield f"{language} ({_told(counts)})"


def _told(counts: Confusion) -> str:
    value = kappa(counts)
    known = "kappa undefined" if value is None else f"kappa {value:.2f}"
    return f"{known} over {counts.total} labelled turns"


def measurement_facts(item: JudgeMeasurement) -> dict[str, Any]:
    """The measurements of a judge on one criterion, as JSON for programs."""
    return {
        "judge": item.judge,
        "criterion": item.criterion,
        "criterion_version": item.criterion_version,
        "model_versions": list(item.model_versions),
        "num_samples": item.num_samples,
        "measured_at": item.measured_at,
        "labels": item.labels,
        **figures_of(item.counts),
        "not_measured": item.not_measured,
        "doubt": doubt(item.counts),
    }


def figures_of(counts: Confusion) -> dict[str, Any]:
    """The counts and what they say, for programs."""
    return {
        "measured": counts.total,
        "counts": counts.model_dump(),
        "accuracy": accuracy(counts),
        "balanced_accuracy": balanced_accuracy(counts),
        "kappa": kappa(counts),
        "true_positive_rate": true_positive_rate(counts),
        "true_negative_rate": true_negative_rate(counts),
        "chance_probability": chance_probability(counts),
    }
