"""``adjudge agreement``: measures the agreement of a judge with human labels."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudge.plugin import InputError, Problem, say, say_json

if TYPE_CHECKING:
    from adjudge_plugins.agreement.report import AgreementReport


@click.command("agreement")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.argument("labels", metavar="LABELS", type=click.Path(path_type=Path))
@click.option(
    "--plot",
    metavar="FILE.svg",
    type=click.Path(path_type=Path),
    help="Draw agreement by coverage, and accuracy by confidence.",
)
@click.option(
    "--fit",
    metavar="FILE.json",
    type=click.Path(path_type=Path),
    help="Fit a calibration to the labels of the split 'dev', store it in FILE and for later runs, and measure it on the other labels.",
)
@click.option(
    "--target-agreement",
    "wanted",
    metavar="SHARE",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="With --fit: find the lowest confidence from which on verdicts agree at least that often.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def agreement_command(
    results: Path, labels: Path, plot: Path | None, fit: Path | None, wanted: float | None, as_json: bool
) -> int:
    """Measure how well verdicts agree with people's labels.

    RESULTS is the JSON of 'adjudge judge' or 'adjudge eval'. LABELS is CSV, JSON or JSON Lines with
    'source' (the log) or 'case', 'criterion' and 'label' (PASS or FAIL). Optional are 'run', 'agent',
    'length', 'split', and 'step' or 'source_ref' (the step at fault).

    \b
    Exit status: 0, whatever the figures are; 2 if a file cannot be used.
    """  # noqa: D301 - click reads \b
    if wanted is not None and fit is None:
        raise click.UsageError("--target-agreement chooses a threshold while fitting: add --fit FILE.json")
    if plot is not None and plot.suffix.lower() != ".svg":
        raise click.UsageError(f"--plot draws SVG: {plot} does not end with .svg")
    from adjudge_plugins.agreement.measurement import (
        calibrations_document,
        keep_calibrations,
        measure_agreement,
    )

    for output in filter(None, (fit, plot)):
        _refuse_input(output, (results, labels))

    report = measure_agreement(results, labels, fit=fit is not None, wanted=wanted)
    if fit is not None:
        _write(fit, calibrations_document(report).model_dump_json(indent=2) + "\n")
        keep_calibrations(report)
    if plot is not None:
        from adjudge_plugins.agreement.plot import agreement_svg

        _write(plot, agreement_svg(report))
    if as_json:
        say_json(report.model_dump_json(indent=2))
    else:
        _show(report, fit)
    return 0


def _refuse_input(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse an output that is one of the inputs, also where one of them is a link."""
    for path in inputs:
        if path.resolve() == output.resolve() or (
            path.exists() and output.exists() and path.samefile(output)
        ):
            raise InputError(
                Problem(
                    what="it is read by this command, and what is written would take its place",
                    file=str(output),
                    hint="Name another file.",
                )
            )


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(what=f"cannot be written: {error.strerror}", file=str(path))) from None


def _show(report: AgreementReport, fitted: Path | None) -> None:
    from adjudge_plugins.agreement.console import show_report

    show_report(report)
    if fitted is not None:
        from adjudge_plugins.agreement.measurement import can_be_kept

        names = ", ".join(item.criterion_name for item in report.calibrations)
        say(f"calibration of {names} kept in {fitted}")
        for item in report.calibrations:
            if can_be_kept(item):
                judges = ", ".join(item.judges)
                say(f"  {item.criterion_name}, judged by {judges}, is calibrated from now on")
