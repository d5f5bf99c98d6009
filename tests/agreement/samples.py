"""The runs that a judge is asked about, chosen by a rule that looks at neither label nor verdict."""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from asking import Asked
from web_runs import DATA, WebRun

from adjudge.model import Step, WordedCriterion
from adjudge.plugin import ReadOptions, Source, TraceReader, Trajectory
from adjudge_plugins.readers.autogen_chat_reader.reader import AutogenChatReader
from adjudge_plugins.readers.history_log_reader.reader import HistoryLogReader

MOST_WEB_RUNS = 24
MOST_STEPS = 10
MOST_FAILED_RUNS = 8
"""Fewer: each takes a small model three times as long."""
MOST_CHARACTERS = 5000

DONE = WordedCriterion(
    name="task done",
    description="The task was done.",
    granularity="step_level",
    checks=("The task was done.",),
)
NO_MISTAKE = WordedCriterion(
    name="no mistake",
    description="No step of the run is a mistake because of which it fails.",
    granularity="step_level",
    checks=("No step of the run is a mistake because of which it fails.",),
)


@dataclass(frozen=True)
class FailedRun:
    """A failed run of several agents, and what a person says of it."""

    run_id: str
    trajectory: Trajectory
    mistake_step: int
    """From 1, as the trajectory's."""
    mistake_agent: str

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trajectory.steps

    @property
    def authors(self) -> dict[int, str | None]:
        """Whose step it is, by its number."""
        return {step.number: step.author for step in self.steps}


def web_sample(runs: Sequence[WebRun]) -> list[WebRun]:
    """Short runs on whose success everybody who labelled them agrees."""
    short = [run for run in runs if run.success is not None and len(run.steps) <= MOST_STEPS]
    return sorted(short, key=lambda run: _hash(run.run_id))[:MOST_WEB_RUNS]


def failed_sample() -> list[FailedRun]:
    """Short failed runs of several agents."""
    short = [row for row in failed_runs() if _characters(row) <= MOST_CHARACTERS]
    rows = sorted(short, key=lambda row: _hash(row["question_ID"]))[:MOST_FAILED_RUNS]
    return [
        FailedRun(
            run_id=row["question_ID"],
            trajectory=read(AutogenChatReader(), row),
            mistake_step=step_of_label(row),
            mistake_agent=row["mistake_agent"],
        )
        for row in rows
    ]


def step_of_label(row: Mapping[str, Any]) -> int:
    """The labelled step as adjudge numbers steps: the data counts messages from 0."""
    return int(row["mistake_step"]) + 1


def failed_runs() -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / "who_and_when" / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def questions(web: Sequence[WebRun], failed: Sequence[FailedRun]) -> list[Asked]:
    """What is asked, three of one kind and one of the other in turn, so that a sample cut short is one of both."""
    done = [
        Asked(run.run_id, read(HistoryLogReader(), {"task": run.goal, "steps": run.steps}), DONE)
        for run in web
    ]
    mistakes = [Asked(run.run_id, run.trajectory, NO_MISTAKE) for run in failed]
    both = chain.from_iterable(zip_longest(done[::3], done[1::3], done[2::3], mistakes))
    return [question for question in both if question is not None]


def read(reader: TraceReader, log: object) -> Trajectory:
    """A log as its reader reads it from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.json"
        path.write_text(json.dumps(log), encoding="utf-8")
        [trajectory] = reader.read(Source(path), ReadOptions())
    return trajectory


def _characters(row: dict[str, Any]) -> int:
    return sum(len(message["content"]) for message in row["history"])


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
