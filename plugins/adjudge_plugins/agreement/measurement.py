"""``adjudge agreement``: compares a file of results with a file of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from adjudge import __version__
from adjudge.kit.calibration import (
    Calibration,
    Calibrations,
    KeptCalibrations,
    calibrated_confidence,
    fit_curve,
    pass_probability,
)
from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.labels_file import read_verdict_labels
from adjudge_plugins.agreement.report import AgreementReport, CriterionAgreement, GivenVerdict
from adjudge_plugins.agreement.results_file import read_given_verdicts
from adjudge_plugins.agreement.statistics.agreement_report import criterion_agreement, held_out
from adjudge_plugins.agreement.statistics.bootstrap import RESAMPLES, SEED
from adjudge_plugins.agreement.statistics.joining import Pair, join
from adjudge_plugins.agreement.statistics.prevalence import corrected_pass_rate
from adjudge_plugins.agreement.statistics.selective import threshold_for

DEV: Final = "dev"
"""The split of the labels that calibrations are fitted to."""
ALL: Final = "all criteria"
LEAST: Final = 20
"""Fewer labelled verdicts fit nothing."""
FEW: Final = 100
"""Below so many labelled verdicts a calibration is called rough."""


@dataclass(frozen=True, slots=True)
class _Fitting:
    wanted: float | None
    labels_sha256: str


def measure_agreement(
    results: Path, labels: Path, *, fit: bool = False, wanted: float | None = None
) -> AgreementReport:
    """What labels say of verdicts.

    Args:
        results: JSON of ``adjudge judge`` or ``adjudge eval``.
        labels: CSV, JSON or JSON Lines.
        fit: Whether to fit calibrations to the labels of the split ``dev``; everything else is then
            measured on the other labels alone.
        wanted: The agreement above which a threshold of confidence is looked for, when fitting.

    Raises:
        InputError: a file cannot be used, or nothing can be fitted.
    """
    labelled, sha256 = read_verdict_labels(labels)
    given = read_given_verdicts(results)
    joined = join(labelled, given, str(labels))
    if not joined.pairs:
        what = "none of these labels is about a verdict in the results"
        raise InputError(Problem(what=what, file=str(labels), hint=_names_seen(given)))
    calibrations: tuple[Calibration, ...] = ()
    measured: Sequence[Pair] = joined.pairs
    if fit:
        calibrations = _fitted(joined.pairs, _Fitting(wanted, sha256), str(labels))
        measured = [pair for pair in joined.pairs if pair.label.split != DEV]
    return AgreementReport(
        measured_on=f"labels outside the split {DEV}" if fit else "all labels",
        labels=len(labelled),
        labelled_not_judged=tuple(
            f"{item.source}, {item.criterion} (line {item.line})" for item in joined.not_judged
        ),
        judged_not_labelled=sum(verdict.criterion is not None for verdict in joined.not_labelled),
        seed=SEED,
        resamples=RESAMPLES,
        criteria=_criteria(
            measured, joined.not_labelled, {item.criterion_name: item for item in calibrations}
        ),
        calibrations=calibrations,
    )


def calibrations_document(report: AgreementReport) -> Calibrations:
    """The calibrations as they are stored."""
    return Calibrations(adjudge_version=__version__, calibrations=report.calibrations)


def can_be_kept(calibration: Calibration) -> bool:
    """Whether later results can be known to be of the same criterion and the same judges."""
    return calibration.criterion_sha256 is not None and bool(calibration.judges)


def keep_calibrations(report: AgreementReport) -> None:
    """Keep what was fitted for the runs of this installation.

    Raises:
        RunError: it cannot be written.
    """
    KeptCalibrations().keep(filter(can_be_kept, report.calibrations))


def _criteria(
    pairs: Sequence[Pair], unlabelled: Sequence[GivenVerdict], calibrations: dict[str, Calibration]
) -> tuple[CriterionAgreement, ...]:
    by_name: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_name.setdefault(pair.label.criterion, []).append(pair)
    found: list[CriterionAgreement] = []
    for name, of_one in by_name.items():
        agreement = criterion_agreement(name, [pair.row() for pair in of_one])
        if (calibration := calibrations.get(name)) is not None:
            measured = held_out([pair.voted_row() for pair in of_one], calibration)
            agreement = agreement.model_copy(update={"calibrated": measured})
        rest = [item.verdict for item in unlabelled if item.criterion == name and item.verdict is not None]
        if rest:
            rate = corrected_pass_rate(rest.count("PASS"), len(rest), agreement.counts)
            agreement = agreement.model_copy(update={"pass_rate": rate})
        found.append(agreement)
    if len(found) > 1:
        found.append(criterion_agreement(ALL, [pair.row() for pair in pairs]))
    return tuple(found)


# --- fitting ------------------------------------------------------------------------------


def _fitted(pairs: Sequence[Pair], fitting: _Fitting, file: str) -> tuple[Calibration, ...]:
    by_name: dict[str, list[Pair]] = {}
    for pair in pairs:
        if (
            pair.label.split == DEV
            and pair.given.voted is not None
            and pair.given.vote_confidence is not None
        ):
            by_name.setdefault(pair.label.criterion, []).append(pair)
    problems: list[Problem] = []
    found: list[Calibration] = []
    for name, of_one in by_name.items():
        why_not = _why_not(name, of_one)
        if why_not is not None:
            problems.append(Problem(what=why_not, file=file))
        else:
            found.append(_calibration(name, of_one, fitting))
    if not by_name:
        what = f"no label of the split {DEV!r} is about a verdict with a confidence: nothing can be fitted"
        hint = (
            f"Give a part of the labels 'split': '{DEV}', by a rule that looks at neither label nor verdict."
        )
        problems.append(Problem(what=what, file=file, hint=hint))
    if problems:
        raise InputError(problems)
    return tuple(found)


def _why_not(name: str, pairs: Sequence[Pair]) -> str | None:
    if len(pairs) < LEAST:
        return f"{name!r} has {len(pairs)} verdicts to fit a calibration to; {LEAST} are the fewest, {FEW} are sound"
    if len({pair.label.label for pair in pairs}) < 2:
        return (
            f"all labels of {name!r} in the split {DEV!r} are {pairs[0].label.label}: nothing can be fitted"
        )
    if len({(pair.given.judges, pair.given.criterion_sha256) for pair in pairs}) > 1:
        return f"the verdicts on {name!r} come from different judges or checks: a calibration is of one"
    return None


def _calibration(name: str, pairs: Sequence[Pair], fitting: _Fitting) -> Calibration:
    rows = [pair.voted_row() for pair in pairs]
    curve = fit_curve(
        [
            (pass_probability(row.verdict, row.confidence), row.label == "PASS")
            for row in rows
            if row.verdict is not None and row.confidence is not None
        ]
    )
    threshold: float | None = None
    if fitting.wanted is not None:
        sure = [
            (calibrated_confidence(curve, row.verdict, row.confidence), row.right)
            for row in rows
            if row.verdict is not None and row.confidence is not None
        ]
        threshold = threshold_for(sure, fitting.wanted)
    return Calibration(
        criterion_name=name,
        criterion_sha256=pairs[0].given.criterion_sha256,
        judges=pairs[0].given.judges,
        curve=curve,
        rows=len(rows),
        threshold=threshold,
        wanted_agreement=fitting.wanted,
        fitted_at=datetime.now(UTC).isoformat(timespec="seconds"),
        labels_sha256=fitting.labels_sha256,
    )


def _names_seen(given: Sequence[GivenVerdict]) -> str:
    seen = sorted({f"{item.names[0]!r} by {item.criterion!r}" for item in given if item.criterion})
    return (
        f"The results have for instance: {', '.join(seen[:3])}."
        if seen
        else "The results contain no verdict."
    )
