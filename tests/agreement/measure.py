"""Whether judges are right, measured on runs that people labelled: ``nox -s agreement`` writes the page.

The recorded verdicts of three LLM judges and of a check by code are the votes; results and labels are files; the
figures are those of ``adjudge agreement``. What is computed here besides is said on the page.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import judge_model
import page
import prompt_trial
from figures import figures, labels, of_decisions, recorded
from replayed import panel
from samples import failed_runs, read, step_of_label
from web_runs import DATA, RULE, WebRun, load_runs, two_people

from adjudge.model import EvalCase, EvaluationResult
from adjudge.plugin import CaseUnderTest, Criterion, Measurement
from adjudge_plugins.agreement.statistics.confusion import Confusion, accuracy, kappa
from adjudge_plugins.agreement.statistics.localisation import TOLERANCES, majority_agent, position_prior
from adjudge_plugins.criteria.trace.action_cycles import ActionCycles
from adjudge_plugins.criteria.trace.action_repeats import ActionRepeats
from adjudge_plugins.readers.history_log_reader.reader import HistoryLogReader

PAGES = Path("docs/reference")

PAIR = ("webjudge-7B", "o4-mini")
THREE = (*PAIR, RULE)

LOOPS: dict[str, tuple[Criterion, int]] = {
    f"`{name}` at least {least}": (criterion, least)
    for name, criterion, counts in (
        ("action_repeats", ActionRepeats(), (2, 3, 4, 5)),
        ("action_cycles", ActionCycles(), (2, 3, 4)),
    )
    for least in counts
}
"""What may be called a loop: the count of a criterion, from a number on."""
HALVES = ("dev", "test")
WANTED = 0.8
"""The agreement that a threshold is chosen for: what so few labels can show."""


@dataclass(frozen=True)
class Voice:
    """A judge or a panel, as one criterion of the results."""

    name: str
    members: tuple[str, ...]
    rule: str = "majority"


VOICES = (
    Voice("webjudge-7B", ("webjudge-7B",)),
    Voice("o4-mini", ("o4-mini",)),
    Voice("gpt-4o", ("gpt-4o",)),
    Voice(RULE, (RULE,)),
    Voice("two judges, majority", PAIR),
    Voice("two judges, any", PAIR, "any"),
    Voice("two judges and the rule, majority", THREE),
    Voice("two judges and the rule, all", THREE, "all"),
    Voice("two judges and the rule, any", THREE, "any"),
)
FITTED = ("webjudge-7B", "two judges, majority", "two judges and the rule, majority")
CAP = "stopped at the limit of steps"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="the page")
    parser.add_argument("--judge", metavar="MODEL", help="ask this model instead, with adjudge's own prompts")
    parser.add_argument(
        "--folder", type=Path, help="where its answers are kept: asking again goes on from there"
    )
    parser.add_argument(
        "--before",
        metavar="COMMIT",
        help="the prompts of the judged criteria, of this commit and now, instead",
    )
    parser.add_argument("--minutes", type=float, default=15.0, help="how long to ask it; 0: not at all")
    arguments = parser.parse_args()
    if arguments.before is not None:
        if arguments.judge is None or arguments.folder is None:
            parser.error("--before needs a --judge and a --folder")
        output = arguments.output or PAGES / "agreement-prompts.md"
        prompt_trial.measure(
            arguments.judge, arguments.folder, output, arguments.before, ask=arguments.minutes > 0
        )
        return
    if not DATA.is_dir():
        sys.exit(f"the runs are absent: there is no {DATA}")
    if arguments.judge is None:
        _measure_recorded(arguments.output or PAGES / "agreement.md")
        return
    if arguments.folder is None:
        parser.error("--judge needs a --folder")
    output = arguments.output or PAGES / "agreement-judge.md"
    judge_model.measure(arguments.judge, arguments.folder, output, minutes=arguments.minutes)


def _measure_recorded(output: Path) -> None:
    runs = load_runs()
    decided = {voice.name: asyncio.run(panel(runs, voice.members, voice.rule)) for voice in VOICES}
    labelled = [run for run in runs if run.success is not None]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judged = {voice.name: of_decisions(voice.members, decided[voice.name]) for voice in VOICES}
        whole = figures(folder / "all", runs, judged, labels(labelled, judged))
        fitted = {name: judged[name] for name in FITTED}
        held_out = {
            half: figures(
                folder / f"fitted-on-{half}",
                runs,
                fitted,
                labels(labelled, fitted, fit_on=half),
                wanted=WANTED,
            )
            for half in HALVES
        }
        rules = loop_results(runs)
        looping = {
            split: figures(
                folder / split,
                runs,
                rules,
                labels([run for run in runs if split in (run.split, "both")], rules, of="looping"),
            )
            for split in ("dev", "test", "both")
        }
    text = page.text(
        page.Facts(
            runs=runs,
            pair=PAIR,
            whole=whole,
            held_out=held_out,
            fitted=FITTED,
            wanted=WANTED,
            looping=looping,
            loops=(*LOOPS, CAP),
            people={
                "success": _people("trajectory_success", {"Successful": "PASS", "Unsuccessful": "FAIL"}),
                "looping": _people("trajectory_looping", {"No": "PASS", "Yes": "FAIL"}),
            },
            located=located(),
            corrected=corrected(runs=labelled, judged=judged),
        )
    )
    output.write_text(text, encoding="utf-8")
    print(f"wrote {output}")  # noqa: T201


# --- the pass rate of runs without labels -------------------------------------------------


def corrected(
    runs: Sequence[WebRun], judged: Mapping[str, Mapping[str, EvaluationResult]]
) -> dict[str, dict[str, Any]]:
    """The judge's errors known from one half, the pass rate corrected on the other, and what people say there."""
    dev = [run for run in runs if run.split == "dev"]
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        for at, voice in enumerate(FITTED):
            mine = {voice: judged[voice]}
            report = figures(Path(name) / str(at), runs, mine, labels(dev, mine))
            decided = {run_id for run_id, result in judged[voice].items() if result.verdict != "UNSURE"}
            others = [run for run in runs if run.split == "test" and run.run_id in decided]
            truth = sum(run.success == "PASS" for run in others) / len(others)
            found[voice] = {**report[voice]["pass_rate"], "labelled": truth}
    return found


# --- loops --------------------------------------------------------------------------------


def loop_results(runs: Sequence[WebRun]) -> dict[str, dict[str, EvaluationResult]]:
    """The rules for loops on the runs as history logs, through the reader and the criteria; and the cap."""
    found: dict[str, dict[str, EvaluationResult]] = {name: {} for name in (*LOOPS, CAP)}
    for run in runs:
        actual = read(HistoryLogReader(), run.steps)
        case = CaseUnderTest(case=EvalCase(eval_id=run.run_id, conversation=()), actual=actual)
        for name, (criterion, least) in LOOPS.items():
            found[name][run.run_id] = recorded("FAIL" if _count(criterion, case) >= least else "PASS")
        found[CAP][run.run_id] = recorded("FAIL" if run.capped else "PASS")
    return found


async def _score(criterion: Criterion, case: CaseUnderTest) -> Measurement:
    return await criterion.score(case)


def _count(criterion: Criterion, case: CaseUnderTest) -> float:
    measured = asyncio.run(_score(criterion, case)).overall
    if measured is not None and measured.state == "not_applicable":
        return 0.0  # a run without an action is no loop
    if measured is None or measured.score is None:
        sys.exit(f"{case.case.eval_id}: the actions could not be counted")
    return measured.score


# --- people, and where runs fail ----------------------------------------------------------


def _people(column: str, words: dict[str, str]) -> tuple[int, float | None, float | None]:
    """How many runs two people labelled, how often they agree, and their kappa."""
    pairs = two_people(column, words)
    counts = Confusion(
        true_pass=pairs.count(("PASS", "PASS")),
        false_fail=pairs.count(("PASS", "FAIL")),
        false_pass=pairs.count(("FAIL", "PASS")),
        true_fail=pairs.count(("FAIL", "FAIL")),
    )
    return counts.total, accuracy(counts), kappa(counts)


def located() -> dict[str, Any]:
    """What guessing reaches on the failed runs of several agents whose faulty step a person named."""
    rows = list(failed_runs())
    steps = [step_of_label(row) for row in rows]
    return {
        "runs": len(rows),
        "longest": max(len(row["history"]) for row in rows),
        "prior": {within: position_prior(steps, within) for within in TOLERANCES},
        "agent": majority_agent([row["mistake_agent"] for row in rows]),
    }


if __name__ == "__main__":
    main()
