"""An agreement report on the console."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.trace import counted
from adjudge.plugin import say, show_table
from adjudge_plugins.agreement.report import (
    AgreementReport,
    CriterionAgreement,
    CurvePoint,
    Figure,
    HeldOut,
    Localisation,
    PassRate,
)

_FIGURES: Final = {
    "coverage": "coverage",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "kappa": "kappa",
    "precision": "precision",
    "true_positive_rate": "recall (TPR)",
    "true_negative_rate": "TNR",
    "f1": "F1",
    "brier": "Brier",
    "ece": "ECE",
    "auroc": "AUROC of confidence",
}
_LISTED: Final = 5
_POINTS: Final = 8


def show_report(report: AgreementReport) -> None:
    """Print it: what is missing first, then every criterion."""
    missing = len(report.labelled_not_judged)
    told = counted(report.labels, "label")
    if missing:
        told += f", {missing} without a result"
    if report.judged_not_labelled:
        told += f"; {counted(report.judged_not_labelled, 'result')} without a label"
    say(told)
    for name in report.labelled_not_judged[:_LISTED]:
        say(f"  no result: {name}")
    if missing > _LISTED:
        say(f"  and {missing - _LISTED} more")
    say(f"measured on {report.measured_on}; 95 % intervals")
    if not report.criteria:
        say("no label is left to measure on")
    for item in report.criteria:
        say()
        _show_criterion(item)


def _show_criterion(item: CriterionAgreement) -> None:
    counts = item.counts
    say(f"{item.criterion_name}: {item.labelled} labelled, {counted(item.decided, 'verdict')}{_rest(item)}")
    say(
        f"  labelled PASS: {counts.true_pass} judged PASS, {counts.false_fail} FAIL; "
        f"labelled FAIL: {counts.true_fail} judged FAIL, {counts.false_pass} PASS"
    )
    if item.majority_class is not None:
        say(f"  always the more frequent label: accuracy {item.majority_class:.2f}")
    for note in item.notes:
        say(f"  note: {note}")
    rows = [(told, *_cells(item.figures[name])) for name, told in _FIGURES.items() if item.figures.get(name)]
    say()
    show_table(("measure", "value", "interval"), rows)
    if item.lengths:
        say()
        show_table(
            ("length", "labelled", "verdicts", "accuracy", "interval", "kappa", "majority class"),
            [
                (
                    str(part.shortest)
                    if part.shortest == part.longest
                    else f"{part.shortest}-{part.longest}",
                    str(part.labelled),
                    str(part.decided),
                    *_cells(part.accuracy),
                    _cells(part.kappa)[0],
                    f"{part.majority_class:.2f}",
                )
                for part in item.lengths
            ],
        )
    if len(item.risk_coverage) > 1:
        say()
        show_table(
            ("confidence from", "coverage", "agreement", "verdicts"),
            [
                (
                    f"{point.confidence:.3f}",
                    f"{point.coverage:.2f}",
                    f"{point.agreement:.2f}",
                    str(point.decided),
                )
                for point in _thinned(item.risk_coverage)
            ],
        )
    if item.localisation is not None:
        _show_localisation(item.localisation)
    for line in (*_pass_rate(item.pass_rate), *_held_out(item.calibrated)):
        say(line)


def _rest(item: CriterionAgreement) -> str:
    parts = [(item.unsure, "UNSURE"), (item.not_measured, "not measured")]
    return "".join(f", {count} {what}" for count, what in parts if count)


def _cells(figure: Figure | None) -> tuple[str, str]:
    if figure is None:
        return "-", ""
    interval = figure.interval
    return f"{figure.value:.2f}", "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _thinned(points: tuple[CurvePoint, ...]) -> list[CurvePoint]:
    """Evenly chosen ones, the first and the last among them."""
    if len(points) <= _POINTS:
        return list(points)
    return [points[round(at * (len(points) - 1) / (_POINTS - 1))] for at in range(_POINTS)]


def _show_localisation(found: Localisation) -> None:
    say()
    say(
        f"  the step at fault: {found.labelled} labelled, {found.located} named by the judge; "
        "what is not named is missed"
    )
    show_table(
        ("within", "judge", "interval", "best fixed position"),
        [
            (
                f"{part.within} step{'s' * (part.within > 1)}" if part.within else "exact",
                *_cells(part.judge),
                "-" if part.position_prior is None else f"{part.position_prior:.2f}",
            )
            for part in found.accuracies
        ],
    )
    if found.agent is not None:
        share, interval = _cells(found.agent)
        say(f"  the agent at fault: {share} named by the judge{f' ({interval})' if interval else ''}")
    if found.majority_agent is not None:
        say(f"  always the most frequent agent: {found.majority_agent:.2f} of the agents")


def _pass_rate(rate: PassRate | None) -> Iterator[str]:
    if rate is None:
        return
    told = f"pass rate of {counted(rate.verdicts, 'verdict')} without a label: {rate.judged:.2f} as judged"
    if rate.corrected is None or rate.interval is None:
        yield f"{told}; the judge does not separate PASS from FAIL well enough to correct it"
    else:
        low, high = rate.interval
        yield f"{told}, {rate.corrected:.2f} corrected for its errors ({low:.2f} to {high:.2f})"


def _held_out(held: HeldOut | None) -> Iterator[str]:
    if held is None:
        return
    figures = [("Brier", held.brier), ("ECE", held.ece), ("AUROC", held.auroc)]
    known = ", ".join(f"{name} {figure.value:.2f}" for name, figure in figures if figure is not None)
    yield f"calibrated by {held.fitted_on} other labels: {known or 'nothing to measure it on'}"
    if held.wanted_agreement is None:
        return
    if held.threshold is None:
        yield f"  the labels show no confidence from which on {held.wanted_agreement:.2f} of the verdicts agree"
        return
    value, interval = _cells(held.agreement)
    yield (
        f"  for agreement {held.wanted_agreement:.2f}, UNSURE below {held.threshold:.3f}: {value} of the verdicts "
        f"agree{f' ({interval})' if interval else ''} at coverage {held.coverage or 0:.2f}"
    )
