"""The page of the documentation: what was measured, on what, and the tables."""

from __future__ import annotations

import platform
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from web_runs import PACKAGE, WebRun

import adjudge

_METHOD = """\
# Is the judge right?

Made by `nox -s agreement`; no figure on this page is written by hand. adjudge {version}, Python {python}.

This page measures what adjudge makes of judges' opinions (votes, panels, abstention, calibration, corrected pass rates) and its
criteria for loops, on runs that people labelled. The opinions were recorded by others. What a model says that adjudge itself asks, with its
own prompts, is on [a page of its own](agreement-judge.md), and [Agreement with labels](../guide/agreement.md) says how to measure yours.

{short}

## The runs

{total} runs of four web agents on {tasks} tasks of four benchmarks: the *dev* split of AgentRewardBench. The rest of that set is
not here, so nothing on this page comes from its test split, but for how often two people agree. Up to three LLM judges (WebJudge)
gave a verdict on each run when Online-Mind2Web was made; those recorded verdicts are the votes, given to the judge client of adjudge
without a network. A fourth voice is the benchmark's own check by code.

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

Each on the runs for which all its members have a verdict: compare rows with the same number of runs. The two judges of a panel are
{pair}, the rule is the benchmark's own check by code; gpt-4o judged too few of the runs to be in a panel. A panel has one voice a
model. Where its voices are tied it is UNSURE, as for every criterion in words: that costs coverage, the share of the runs with a
verdict, and all other columns are about the verdicts. PASS is the positive class;
[the guide](../guide/agreement.md#what-the-figures-say) explains the columns. Nothing is fitted here.
"""

_PEOPLE = """\
Two people who labelled the same run agree on success in {success} of {success_runs} cases (kappa {success_kappa}), over all runs
of the package that two people labelled: that is the bar, not 1.00.
"""

_COVERAGE = """\
## Answering only where it is sure

A verdict is kept only where the confidence of its votes, P(majority | tally) from a uniform prior, is at least as high. The first
row of a panel keeps the runs on which all its members agree; of two judges by majority that is all that there is. Under `all` and `any`
one voice can decide against the others, with a confidence below one half. Nothing is fitted here.
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

`action_repeats` counts how often the most repeated action of a run occurs, `action_cycles` the actions in its longest stretch that goes
round in a cycle, both by code. People said whether the run loops; FAIL stands for a loop. The row with the highest kappa on
`dev` is marked: the rule is chosen there, and `test` says what the choice is worth. The column for both halves is for comparison with
others who used this split, and flatters the marked row. To have been stopped at the cap of steps is the mark that a rule for
loops should beat; it costs nothing, and sees no loop that ends earlier.
"""

_DEFAULT = """\
Two people agree on looping in {looping} of {looping_runs} cases (kappa {looping_kappa}).

Both criteria come without a threshold, and are informational until one is set: how often an action may be repeated depends on the tools of
the agent (to scroll or to wait twice is no fault), and these are web agents alone. For agents like these `{chosen}` is the marked row.
"""

_STEPS = """\
## The step at fault

{runs} failed runs of several agents, of at most {longest} steps, in which a person named the faulty step (Who&When, the
algorithm-generated part). No judge is measured here: these are the marks that one must beat, and
[the page about a judge](agreement-judge.md) has them for its own runs. The position prior names the same step for every run, the
best one for all other runs. Naming the most frequent agent is right for {agent} of the runs.
"""


@dataclass(frozen=True)
class Facts:
    runs: Sequence[WebRun]
    pair: Sequence[str]
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
        for name, value in (("", share(agreed)), ("_runs", str(count)), ("_kappa", share(kappa)))
    }
    located = facts.located
    parts = [
        _METHOD.format(
            short=_short(facts, people),
            version=adjudge.__version__,
            python=platform.python_version(),
            package=PACKAGE,
            total=len(facts.runs),
            tasks=len({run.task for run in facts.runs}),
            unclear=len(facts.runs) - len(labelled),
            labelled=len(labelled),
            passed=passed,
            majority=share(1 - passed / len(labelled)),
            dev=dev,
            test=len(labelled) - dev,
        ),
        _VOICES.format(pair=" and ".join(facts.pair)),
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
        _DEFAULT.format(**people, chosen=_as_configured(_chosen_loop(facts))),
        _STEPS.format(runs=located["runs"], longest=located["longest"], agent=share(located["agent"])),
        table(
            ("within", "position prior"),
            [
                (f"{within} step{'s' * (within > 1)}" if within else "exact", share(value))
                for within, value in located["prior"].items()
            ],
        ),
    ]
    return "\n".join(parts)


def _short(facts: Facts, people: Mapping[str, str]) -> str:
    """What one would tell a friend, from the same numbers as the tables."""
    two, three = (facts.whole[name] for name in ("two judges, majority", "two judges and the rule, majority"))
    unanimous = three["risk_coverage"][0]
    chosen, cap = _chosen_loop(facts), facts.loops[-1]
    loops = facts.looping["test"]
    return wrapped(
        f"**In short.** A panel of two judges, UNSURE where they differ, gives a verdict on {share(_coverage_of(two))} of "
        f"{two['labelled']} runs, and {figure(two['figures']['accuracy'])} of its verdicts are what people say. With "
        f"the benchmark's check by code as a third voice, the majority gives a verdict on {share(_coverage_of(three))} of them and "
        f"{figure(three['figures']['accuracy'])} are right; where all three agree, {share(unanimous['agreement'])} at coverage "
        f"{share(unanimous['coverage'])}. Two people agree in {people['success']}. The rule for loops that was best on one half, "
        f"{chosen}, has kappa {figure(loops[chosen]['figures']['kappa'])} with people on the other; two people have "
        f"{people['looping_kappa']}, and whether a run was stopped at its cap of steps, which needs no look at its actions, has "
        f"{figure(loops[cap]['figures']['kappa'])}."
    )


def _coverage_of(item: Mapping[str, Any]) -> float:
    share_of: float = item["decided"] / item["labelled"]
    return share_of


def _voices(facts: Facts) -> str:
    names = ("coverage", "accuracy", "kappa", "precision", "true_positive_rate", "true_negative_rate", "f1")
    return table(
        ("judge or panel", "runs", "coverage", "accuracy", "kappa", "precision", "TPR", "TNR", "F1"),
        [
            (name, str(item["labelled"]), *(figure(item["figures"][measure]) for measure in names))
            for name, item in _named(facts.whole)
        ],
    )


def _coverage(facts: Facts) -> str:
    rows = [
        (
            name,
            str(item["labelled"]),
            f"{point['confidence']:.3f}",
            share(point["coverage"]),
            share(point["agreement"]),
            str(point["decided"]),
            figure(item["figures"]["auroc"]),
        )
        for name, item in _named(facts.whole)
        if len(item["risk_coverage"]) > 1 or item["unsure"]
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
                        f"{figure(raw[measure])}, {figure(after[measure])}"
                        for measure in ("brier", "ece", "auroc")
                    ),
                    "none" if threshold is None else f"{threshold:.3f}",
                    "-" if threshold is None else share(after["coverage"]),
                    "-" if threshold is None else figure(after["agreement"]),
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
            share(rate["judged"]),
            share(rate["corrected"]),
            "-" if rate["interval"] is None else "{:.2f} to {:.2f}".format(*rate["interval"]),
            share(rate["labelled"]),
        )
        for name, rate in facts.corrected.items()
    ]
    return table(("judge or panel", "runs", "as judged", "corrected", "interval", "labelled"), rows)


def _loops(facts: Facts) -> str:
    dev, test, both = (facts.looping[split] for split in ("dev", "test", "both"))

    chosen = _chosen_loop(facts)
    rows: list[tuple[str, ...]] = []
    for name in facts.loops:
        counts = test[name]["counts"]
        rows.append(
            (
                f"**{name}**" if name == chosen else name,
                figure(dev[name]["figures"]["kappa"]),
                figure(test[name]["figures"]["kappa"]),
                figure(both[name]["figures"]["kappa"]),
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


def _chosen_loop(facts: Facts) -> str:
    """The rule with the highest kappa on the half ``dev``; the first of several. The cap of steps is no rule."""

    def on_dev(name: str) -> float:
        kappa = facts.looping["dev"][name]["figures"]["kappa"]
        return kappa["value"] if kappa else -1.0

    return max(facts.loops[:-1], key=on_dev)


def _as_configured(rule: str) -> str:
    """A rule as a configuration has it: what loops is above the maximum."""
    criterion, _, least = rule.partition(" at least ")
    return f'"{criterion.strip("`")}": {{"maximum": {int(least) - 1}}}'


def _named(report: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, item) for name, item in report.items() if name not in ("", "all criteria"))


def figure(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "-"
    value, interval = f"{figure['value']:.2f}", figure["interval"]
    return value if interval is None else f"{value} ({interval['low']:.2f}-{interval['high']:.2f})"


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, 130, break_long_words=False, break_on_hyphens=False)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if any(len(cells) != len(header) for cells in rows):
        raise ValueError(f"a row does not fit the header {header}")
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
