"""One judge model with adjudge's own prompts, on runs that people labelled: ``nox -s agreement -- --judge MODEL``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import judge_page
from asking import BUDGET, ask
from figures import Judged, figures, labels, recorded
from samples import (
    DONE,
    MOST_CHARACTERS,
    MOST_STEPS,
    NO_MISTAKE,
    FailedRun,
    failed_sample,
    questions,
    web_sample,
)
from web_runs import JUDGES, RULE, WebRun, load_runs

from adjudge.model import EvaluationResult

OURS = "the judge measured here"
VOTES = "its votes, without evidence"
"""What the same judge says before anything is asked of its evidence."""
_LABELS = {"met": "PASS", "not_met": "FAIL"}


def measure(model: str, folder: Path, output: Path, *, minutes: float) -> None:
    """Ask what time allows, and write the page about everything that was asked so far."""
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder}: the answers are kept in it")
    web, failed = web_sample(load_runs()), failed_sample()
    results = asyncio.run(ask(model, folder.resolve(), questions(web, failed), minutes=minutes))
    web = [run for run in web if run.run_id in results]
    failed = [run for run in failed if run.run_id in results]
    if not web or not failed:
        sys.exit("too little was asked for a page: ask again, with more --minutes; what was asked is kept")
    with tempfile.TemporaryDirectory() as name:
        done = _done(Path(name) / "done", web, results)
        located = _located(Path(name) / "located", failed, results)
    text = judge_page.text(
        judge_page.Facts(
            ours=OURS,
            votes=VOTES,
            results=list(results.values()),
            day=datetime.now(UTC).date().isoformat(),
            budget=BUDGET,
            most_steps=MOST_STEPS,
            most_characters=MOST_CHARACTERS,
            web=web,
            done_check=DONE.checks[0],
            done=done,
            done_results=[results[run.run_id] for run in web],
            failed=failed,
            mistake_check=NO_MISTAKE.checks[0],
            located=located,
            located_results=[results[run.run_id] for run in failed],
        )
    )
    output.write_text(text, encoding="utf-8")
    print(f"wrote {output}: {len(web)} and {len(failed)} runs")  # noqa: T201


def _done(folder: Path, web: list[WebRun], results: dict[str, EvaluationResult]) -> judge_page.Report:
    """Whether the task was done: this judge, and everybody else who judged the same runs."""
    judged: Judged = {
        OURS: {run.run_id: results[run.run_id] for run in web},
        VOTES: {run.run_id: _voted(results[run.run_id]) for run in web},
    } | {
        voice: {run.run_id: recorded(run.verdicts[voice]) for run in web if voice in run.verdicts}
        for voice in (*JUDGES.values(), RULE)
    }
    asked = {voice: of_runs for voice, of_runs in judged.items() if of_runs}
    return figures(folder, web, asked, labels(web, asked))


def _voted(result: EvaluationResult) -> EvaluationResult:
    [check] = result.checks
    return recorded(_LABELS.get(str(check.votes.get("label")), "UNSURE"))


def _located(
    folder: Path, failed: list[FailedRun], results: dict[str, EvaluationResult]
) -> judge_page.Report:
    """Where failed runs fail. Every one is labelled FAIL, with the step at fault and whose step it was."""
    judged = {OURS: {run.run_id: results[run.run_id] for run in failed}}
    lines = [
        {
            "source": run.run_id,
            "criterion": OURS,
            "label": "FAIL",
            "step": run.mistake_step,
            "agent": run.mistake_agent,
        }
        for run in failed
    ]
    return figures(folder, failed, judged, lines)
