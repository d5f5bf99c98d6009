"""The page of the documentation: what was measured, on what, and the tables."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from web_runs import PACKAGE, WebRun

import adjudge

_METHOD = """\
# Is the judge right?

Made by `nox -s agreement`; no figure on this page is written by hand. adjudge {version}, Python {python}.

This page measures what adjudge makes of judges' opinions (votes, panels, abstention, calibration, corrected pass rates) and its
rule for loops, on runs that people labelled. It does not measure a judge model of your choice, nor our prompts: the verdicts were
recorded by others. [Agreement with labels](../guide/agreement.md) says how to measure your own.

## The runs

{total} runs of four web agents on {tasks} tasks of four benchmarks: the *dev* split of AgentRewardBench. The rest of that set is
not here, so nothing on this page comes from its test split. Up to three LLM judges (WebJudge) gave a verdict on each run when
Online-Mind2Web was made; those recorded verdicts are the votes, given to the judge client of adjudge without a network. A fourth
voice is the benchmark's own check by code.

Labels are those of the package `{package}`, joined when the page is made. {unclear} runs on which the people who labelled
them differ, or are unsure, are left out: {passed} of the other {labelled} succeeded. So always saying FAIL agrees with
{majority} of the labels: look at kappa, not only at accuracy.

What is fitted or chosen is fitted on one half and measured on the other. A task belongs to the half `dev` if the first byte of
the SHA-256 of its name is even ({dev} labelled runs), else to `test` ({test}). No task is on both sides.

Numbers in brackets are 95 % intervals: bootstrap, 1000 draws of runs with a fixed seed; exact where all or none agree. Runs of
one task by several agents are drawn as if they were independent, so the intervals are rather too narrow. With so few runs most
differences between the rows of a table are within them.
"""

_VOICES = """\
## Judges and panels

Each on the runs for which all its members have a verdict: compare rows with the same number of runs. Nothing is fitted here.
A panel has one voice a model; a tie is the lower value, FAIL.
"""

_PEOPLE = """\
Two people who labelled the same run agree on success in {success} of {success_runs} cases (kappa {success_kappa}), over all runs
of the package that two people labelled: that is the bar, not 1.00.
"""

_COVERAGE = """\
## Answering only where it is sure

A verdict is kept only where the confidence of its votes, P(majority | tally) from a uniform prior, is at least as high. The first
row of a panel keeps the runs on which all its members agree. Nothing is fitted here.
"""

_FIT = """\
## Calibration

Fitted on one half and measured on the other by `adjudge agreement --fit`, both ways round. Brier score and calibration error
(ECE) are better where they are lower. The threshold is the lowest confidence at which the half that was fitted to shows agreement
of at least {wanted:.2f}, by fixed-sequence testing with 5 % error; "none" says that so few labels show it nowhere. Below a
hundred labels a calibration is rough: it may be worse than none, as some of these rows can show.
"""

_RATE = """\
## The pass rate without labels

The judge's errors are known from `dev`; the pass rate of `test` is corrected for them (Rogan and Gladen, interval of Lang and
Reiczigel), as if `test` had no labels. The last column is what people say there.
"""

_LOOPS = """\
## Loops

The rule counts identical actions with `action_repeats`, in the runs as history logs; people said whether the run loops. FAIL
stands for a loop. The row that is best on `dev` is marked: the number of repeats is chosen there, and `test` says what the choice
is worth. The column for both halves is for comparison with others who used this split, and flatters the marked row. To have been
stopped at the cap of steps is the mark that a rule for loops should beat; it costs nothing, and sees no loop that ends earlier.
"""

_STEPS = """\
## The step at fault

{runs} failed runs of several agents, of at most {longest} steps, in which a person named the faulty step (Who&When, the
algorithm-generated part). No judge is measured here: these are the marks that one must beat. The position prior names
the same step for every run, the best one for all other runs. Naming the most frequent agent is right for {agent} of the runs.
"""


@dataclass(frozen=True)
class Facts:
    runs: Sequence[WebRun]
    whole: Mapping[str, Any]
    held_out: Mapping[str, Any]
    fitted: Sequence[str]
    wanted: float
    looping: Mapping[str, Mapping[str, Any]]
    loops: Sequence[str]
    people: Mapping[str, tuple[int, float | None, float | None]]
    located: Mapping[str, Any]
    corrected: Mapping[str, Mapping[str, Any]]


def text(facts: Facts) -> str:
    """The whole page, as Markdown."""
    labelled = [run for run in facts.runs if run.success is not None]
    passed = sum(run.success == "PASS" for run in labelled)
    dev = sum(run.split == "dev" for run in labelled)
    people = {
        f"{what}{name}": value
        for what, (count, agreed, kappa) in facts.people.items()
        for name, value in (("", _share(agreed)), ("_runs", str(count)), ("_kappa", _share(kappa)))
    }
    located = facts.located
    parts = [
        _METHOD.format(
            version=adjudge.__version__,
            python=platform.python_version(),
            package=PACKAGE,
            total=len(facts.runs),
            tasks=len({run.task for run in facts.runs}),
            unclear=len(facts.runs) - len(labelled),
            labelled=len(labelled),
            passed=passed,
            majority=_share(1 - passed / len(labelled)),
            dev=dev,
            test=len(labelled) - dev,
        ),
        _VOICES,
        _voices(facts),
        _PEOPLE.format(**people),
        _COVERAGE,
        _coverage(facts),
        _FIT.format(wanted=facts.wanted),
        _calibration(facts),
        _RATE,
        _rates(facts),
        _LOOPS,
        _loops(facts),
        f"Two people agree on looping in {people['looping']} of {people['looping_runs']} cases "
        f"(kappa {people['looping_kappa']}).\n",
        _STEPS.format(runs=located["runs"], longest=located["longest"], agent=_share(located["agent"])),
        table(
            ("within", "position prior"),
            [
                (f"{within} step{'s' * (within > 1)}" if within else "exact", _share(value))
                for within, value in located["prior"].items()
            ],
        ),
    ]
    return "\n".join(parts)


def _voices(facts: Facts) -> str:
    names = ("accuracy", "kappa", "precision", "true_positive_rate", "true_negative_rate", "f1")
    return table(
        ("judge or panel", "runs", "accuracy", "kappa", "precision", "TPR", "TNR", "F1"),
        [
            (name, str(item["labelled"]), *(_figure(item["figures"][figure]) for figure in names))
            for name, item in _named(facts.whole)
        ],
    )


def _coverage(facts: Facts) -> str:
    rows = [
        (
            name,
            str(item["labelled"]),
            f"{point['confidence']:.3f}",
            _share(point["coverage"]),
            _share(point["agreement"]),
            str(point["decided"]),
            _figure(item["figures"]["auroc"]),
        )
        for name, item in _named(facts.whole)
        if len(item["risk_coverage"]) > 1
        for point in item["risk_coverage"]
    ]
    return table(
        ("panel", "runs", "confidence from", "coverage", "agreement", "verdicts", "AUROC of confidence"), rows
    )


def _calibration(facts: Facts) -> str:
    rows: list[tuple[str, ...]] = []
    for name in facts.fitted:
        for half, report in facts.held_out.items():
            item = report[name]
            raw, after = item["figures"], item["calibrated"]
            threshold = after["threshold"]
            rows.append(
                (
                    name,
                    f"{half}, {after['fitted_on']}",
                    str(item["labelled"]),
                    *(
                        f"{_figure(raw[figure])}, {_figure(after[figure])}"
                        for figure in ("brier", "ece", "auroc")
                    ),
                    "none" if threshold is None else f"{threshold:.3f}",
                    "-" if threshold is None else _share(after["coverage"]),
                    "-" if threshold is None else _figure(after["agreement"]),
                )
            )
    header = ("judge or panel", "fitted on", "measured on the other", "Brier: raw, calibrated",
              "ECE: raw, calibrated", "AUROC: raw, calibrated", "threshold", "coverage", "agreement")  # fmt: skip
    return table(header, rows)


def _rates(facts: Facts) -> str:
    rows = [
        (
            name,
            str(rate["verdicts"]),
            _share(rate["judged"]),
            _share(rate["corrected"]),
            "-" if rate["interval"] is None else "{:.2f} to {:.2f}".format(*rate["interval"]),
            _share(rate["labelled"]),
        )
        for name, rate in facts.corrected.items()
    ]
    return table(("judge or panel", "runs", "as judged", "corrected", "interval", "labelled"), rows)


def _loops(facts: Facts) -> str:
    dev, test, both = (facts.looping[split] for split in ("dev", "test", "both"))

    def on_dev(name: str) -> float:
        figure = dev[name]["figures"]["kappa"]
        return figure["value"] if figure else -1.0

    chosen = max(facts.loops[:-1], key=on_dev)
    rows: list[tuple[str, ...]] = []
    for name in facts.loops:
        counts = test[name]["counts"]
        rows.append(
            (
                f"**{name}**" if name == chosen else name,
                _figure(dev[name]["figures"]["kappa"]),
                _figure(test[name]["figures"]["kappa"]),
                _figure(both[name]["figures"]["kappa"]),
                f"{counts['true_fail']} of {counts['true_fail'] + counts['false_pass']}",
                f"{counts['false_fail']} of {counts['false_fail'] + counts['true_pass']}",
                str(test[name]["labelled"]),
            )
        )
    return table(
        (
            "rule",
            "kappa on dev",
            "kappa on test",
            "kappa on both",
            "loops found on test",
            "false alarms on test",
            "runs of test",
        ),
        rows,
    )


def _named(report: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, item) for name, item in report.items() if name not in ("", "all criteria"))


def _figure(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "-"
    value, interval = f"{figure['value']:.2f}", figure["interval"]
    return value if interval is None else f"{value} ({interval['low']:.2f}-{interval['high']:.2f})"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if any(len(cells) != len(header) for cells in rows):
        raise ValueError(f"a row does not fit the header {header}")
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
