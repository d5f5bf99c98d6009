"""Whether judges are right, measured on runs that people labelled: ``nox -s agreement`` writes the page.

The recorded verdicts of three LLM judges and of a check by code are the votes; results and labels are files; the
figures are those of ``adjudge agreement``. What is computed here besides is said on the page.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page
from replayed import panel
from web_runs import DATA, RULE, WebRun, load_runs, two_people

from adjudge.model.aggregated import TaskDecomposition
from adjudge.model.evaluation import EvaluationResult, GranularityChoice
from adjudge.model.judged_logs import JudgedLog, JudgedLogs
from adjudge.model.judging import Decision, JudgeUse
from adjudge.model.labelled import Confusion
from adjudge.model.measurement import Evidence
from adjudge.model.result import Verdict
from adjudge.plugin import CaseUnderTest, EvalCase, ReadOptions, Source
from adjudge.statistics.agreement import accuracy, kappa
from adjudge.statistics.localisation import TOLERANCES, majority_agent, position_prior
from adjudge_plugins.criteria.action_repeats.criterion import ActionRepeats
from adjudge_plugins.readers.history_log_reader.reader import HistoryLogReader

PAIR = ("webjudge-7B", "o4-mini")
THREE = (*PAIR, RULE)

LOOPS_FROM = (2, 3, 4, 5)
"""How many identical actions may be called a loop."""
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
CAP = "stopped at the cap of steps"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--output", type=Path, default=Path("docs/reference/agreement.md"))
    output: Path = arguments.parse_args().output
    if not DATA.is_dir():
        sys.exit(f"the runs are absent: there is no {DATA}")
    runs = load_runs()
    decided = {voice.name: asyncio.run(panel(runs, voice.members, voice.rule)) for voice in VOICES}
    labelled = [run for run in runs if run.success is not None]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judged = {voice.name: _results(voice.members, decided[voice.name]) for voice in VOICES}
        whole = agreement(folder / "all", labelled, judged)
        fitted = {name: judged[name] for name in FITTED}
        held_out = {
            half: agreement(folder / f"fitted-on-{half}", labelled, fitted, fit_on=half) for half in HALVES
        }
        rules = loop_results(runs, folder)
        looping = {
            split: agreement(
                folder / split,
                [run for run in runs if split in (run.split, "both")],
                rules,
                criterion="looping",
            )
            for split in ("dev", "test", "both")
        }
    text = page.text(
        page.Facts(
            runs=runs,
            whole=whole,
            held_out=held_out,
            fitted=FITTED,
            wanted=WANTED,
            looping=looping,
            loops=(*map(_loop_name, LOOPS_FROM), CAP),
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


# --- results and labels as files, figures by the command ----------------------------------


def agreement(
    folder: Path,
    runs: Sequence[WebRun],
    judged: Mapping[str, Mapping[str, EvaluationResult]],
    *,
    criterion: str = "success",
    fit_on: str | None = None,
    labels_of: Sequence[WebRun] | None = None,
) -> dict[str, Any]:
    """The report of ``adjudge agreement`` for the verdicts of every voice, which stands as a criterion.

    With ``fit_on``, calibrations are fitted to the labels of that half and measured on the other.
    """
    folder.mkdir()
    logs = [
        JudgedLog(
            source=run.run_id,
            run=1,
            reader="recorded",
            task=None,
            agent=None,
            steps=max(len(run.steps), 1),
            lost=(),
            task_decomposition=TaskDecomposition(clusters=(), named_by="code"),
            aggregated_steps=(),
            results=tuple(
                of_run[run.run_id].model_copy(update={"criterion_name": name})
                for name, of_run in judged.items()
                if run.run_id in of_run
            ),
        )
        for run in runs
    ]
    results, labels = folder / "results.json", folder / "labels.jsonl"
    _write_results(results, logs)
    lines = [
        json.dumps(
            {
                "source": run.run_id,
                "criterion": name,
                "label": run.success if criterion == "success" else run.looping,
                "split": "dev" if run.split == fit_on else "test",
            }
        )
        for run in (runs if labels_of is None else labels_of)
        for name, of_run in judged.items()
        if run.run_id in of_run and (run.success if criterion == "success" else run.looping)
    ]
    labels.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "adjudge", "agreement", str(results), str(labels), "--json"]
    if fit_on is not None:
        command += ["--fit", str(folder / "calibration.json"), "--target-agreement", str(WANTED)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    return {item["criterion_name"]: item for item in report["criteria"]} | {"": report}


def _write_results(path: Path, logs: Sequence[JudgedLog]) -> None:
    from adjudge_plugins.reporters.json_reporter.writer import JsonReporter

    judged = JudgedLogs(
        started_at="", duration=0, adjudge_version="", criteria=(), logs=tuple(logs), errors=()
    )
    with path.open("wb") as stream:
        JsonReporter().write_logs(judged, stream)


def _results(members: Sequence[str], decisions: Mapping[str, Decision]) -> dict[str, EvaluationResult]:
    return {
        run_id: _result("PASS" if decision.value else "FAIL", decision.confidence, tuple(members))
        for run_id, decision in decisions.items()
    }


def _result(verdict: str, confidence: float | None, models: tuple[str, ...]) -> EvaluationResult:
    return EvaluationResult(
        criterion_name="",
        verdict=Verdict(verdict),
        reasoning="recorded",
        confidence_score=confidence,
        used_granularity="global_summary",
        evidence=Evidence(),
        granularity=GranularityChoice(name="global_summary", reason="recorded", chosen_by="option"),
        criterion_sha256="recorded",
        judging=JudgeUse(models=models),
    )


# --- the pass rate of runs without labels -------------------------------------------------


def corrected(
    runs: Sequence[WebRun], judged: Mapping[str, Mapping[str, EvaluationResult]]
) -> dict[str, dict[str, Any]]:
    """The judge's errors known from one half, the pass rate corrected on the other, and what people say there."""
    dev = [run for run in runs if run.split == "dev"]
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        for at, voice in enumerate(FITTED):
            report = agreement(Path(name) / str(at), runs, {voice: judged[voice]}, labels_of=dev)
            others = [run for run in runs if run.split == "test" and run.run_id in judged[voice]]
            truth = sum(run.success == "PASS" for run in others) / len(others)
            found[voice] = {**report[voice]["pass_rate"], "labelled": truth}
    return found


# --- loops --------------------------------------------------------------------------------


def loop_results(runs: Sequence[WebRun], folder: Path) -> dict[str, dict[str, EvaluationResult]]:
    """The rule for loops on the runs as history logs, through the reader and the criterion; and the cap."""
    found: dict[str, dict[str, EvaluationResult]] = {_loop_name(least): {} for least in LOOPS_FROM}
    found[CAP] = {}
    for run in runs:
        repeats = asyncio.run(_most_repeated(run, folder))
        for least in LOOPS_FROM:
            verdict = "FAIL" if repeats >= least else "PASS"
            found[_loop_name(least)][run.run_id] = _result(verdict, None, ())
        found[CAP][run.run_id] = _result("FAIL" if run.capped else "PASS", None, ())
    return found


def _loop_name(least: int) -> str:
    return f"{least} or more identical actions"


async def _most_repeated(run: WebRun, folder: Path) -> float:
    path = folder / "log.json"
    path.write_text(json.dumps(run.steps), encoding="utf-8")
    [trajectory] = HistoryLogReader().read(Source(path), ReadOptions())
    case = CaseUnderTest(case=EvalCase(eval_id=run.run_id, conversation=()), actual=trajectory)
    measured = (await ActionRepeats().score(case)).overall
    if measured is None or measured.score is None:
        sys.exit(f"{run.run_id}: the actions could not be counted")
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
    rows = list(_failed_runs())
    steps = [int(row["mistake_step"]) + 1 for row in rows]  # the data counts from 0
    return {
        "runs": len(rows),
        "longest": max(len(row["history"]) for row in rows),
        "prior": {within: position_prior(steps, within) for within in TOLERANCES},
        "agent": majority_agent([row["mistake_agent"] for row in rows]),
    }


def _failed_runs() -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / "who_and_when" / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


if __name__ == "__main__":
    main()
