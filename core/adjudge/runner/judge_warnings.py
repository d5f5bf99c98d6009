"""Doubts: what was measured of the judges of a plan, where it speaks against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from adjudge.errors import RunError
from adjudge.journal.measured import MeasuredJudges
from adjudge.model.confusion import doubt, kappa
from adjudge.model.labelled import Confusion, JudgeMeasurement
from adjudge.runner.plan import PlannedCriterion


def doubts_about(criteria: Iterable[PlannedCriterion]) -> tuple[str, ...]:
    """One message for every judge that was measured and should not be believed on its criterion."""
    measured = MeasuredJudges()
    found: list[str] = []
    try:
        for criterion in criteria:
            spec = criterion.component.spec
            for document in criterion.judges:
                for model, backend in zip(document["models"], document["backends"], strict=True):
                    known = measured.of(model, backend, criterion.component.id, spec.version)
                    if known is not None:
                        found += doubts_of(known)
    except RunError as error:
        found.append(str(error))
    return tuple(dict.fromkeys(found))


def doubts_of(measurement: JudgeMeasurement) -> Iterator[str]:
    """What speaks against a judge on the criterion that it was measured on."""
    judge, counts = measurement.judge, measurement.counts
    criterion = measurement.criterion.partition("/")[2]
    when = f"measured {measurement.measured_at[:10]}"
    match doubt(counts):
        case "near_chance":
            yield (
                f"{judge} was near chance on {criterion}: {_told(counts)}, {when}; "
                "its verdicts there say little"
            )
        case "too_few":
            missing = measurement.not_measured
            rest = f", {missing} more could not be measured" if missing else ""
            yield (
                f"{judge} could not be told from chance on {criterion}: {_told(counts)}{rest}, {when}; "
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
