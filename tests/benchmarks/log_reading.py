"""Reading a log and aggregating its steps: ``adjudge judge LOG --aggregate-only`` in whole processes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import agent_logs
from environments import Environments, script
from measure import Sample, in_turns, median, process, worker_process
from table import Row, markdown, rounded

GRANULARITIES: Final = ("step_level", "phase_level", "global_summary")
STEPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Reading:
    """One format: medians."""

    kind: str
    mib: float
    json_seconds: float
    """``json.load`` and ``json.dumps`` of the same file, in a process of its own."""
    json_peak_mib: float
    seconds: tuple[float, ...]
    """For each granularity."""
    peak_mib: float
    """The largest of the granularities."""


@dataclass(frozen=True, slots=True)
class Growth:
    """One format at one size, one run."""

    kind: str
    granularity: str
    steps: int
    seconds: float
    processor_seconds: float
    peak_mib: float


def readings(environments: Environments, rounds: int) -> Iterator[Reading]:
    """Every format at 10,000 steps."""
    for kind in agent_logs.FORMATS:
        folder, log = _log(environments, kind, STEPS)
        sides = {
            "json": lambda log=log, folder=folder: worker_process(
                environments.adjudge, "json_floor", folder, log
            )
        }
        for granularity in GRANULARITIES:
            sides[granularity] = lambda log=log, granularity=granularity: aggregated(
                environments, log, granularity, STEPS
            )
        found = in_turns(sides, rounds)
        seconds, peaks = (
            {name: median([getattr(sample, field) for sample in samples]) for name, samples in found.items()}
            for field in ("seconds", "peak_bytes")
        )
        yield Reading(
            kind=kind,
            mib=log.stat().st_size / 2**20,
            json_seconds=seconds["json"],
            json_peak_mib=peaks["json"] / 2**20,
            seconds=tuple(seconds[granularity] for granularity in GRANULARITIES),
            peak_mib=max(peaks[granularity] for granularity in GRANULARITIES) / 2**20,
        )


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Beside the formats' own libraries, which read a file into their models and write it again."""
    for kind, tool, python in (
        ("ADK session", "adk_session_reading", environments.adk),
        ("ATIF", "atif_reading", environments.logs),
    ):
        folder, log = _log(environments, kind, STEPS)
        found = in_turns(
            {
                "other": lambda python=python, tool=tool, folder=folder, log=log: worker_process(
                    python, tool, folder, log
                ),
                "adjudge": lambda log=log: aggregated(environments, log, "step_level", STEPS),
            },
            rounds,
        )
        work = f"{kind}, {STEPS:,} steps"
        yield Row(work, "s", *(median([sample.seconds for sample in samples]) for samples in found.values()))
        peaks = (median([sample.peak_bytes / 2**20 for sample in samples]) for samples in found.values())
        yield Row(f"{work}, peak memory", "MiB", *peaks)


def growth(environments: Environments, sizes: Sequence[int]) -> Iterator[Growth]:
    """One run a size: every granularity for one format, one granularity for every format."""
    for kind in agent_logs.FORMATS:
        for granularity in GRANULARITIES if kind == "history log" else GRANULARITIES[:1]:
            for steps in sizes:
                _, log = _log(environments, kind, steps)
                sample = aggregated(environments, log, granularity, steps)
                yield Growth(
                    kind=kind,
                    granularity=granularity,
                    steps=steps,
                    seconds=sample.seconds,
                    processor_seconds=sample.processor_seconds,
                    peak_mib=sample.peak_bytes / 2**20,
                )


def aggregated(environments: Environments, log: Path, granularity: str, steps: int | None = None) -> Sample:
    """A whole process from the file to the JSON report.

    Raises:
        RuntimeError: not every step of the log is in a sub-task.
    """
    command = [script(environments.adjudge, "adjudge"), "judge", log, "--aggregate-only"]
    sample = process([*command, "--granularity", granularity, "--output", "result.json"], log.parent)
    if steps is not None:
        [run] = json.loads((log.parent / "result.json").read_text(encoding="utf-8"))["cases"]
        clusters = run["task_decomposition"]["clusters"]
        # A chat ends with an answer, which is a message and so a step of its own.
        if sum(len(cluster["steps"]) for cluster in clusters) not in (steps, steps + 1):
            raise RuntimeError(f"{log}: steps are missing")
    return sample


def listed(readings: Sequence[Reading]) -> str:
    """A Markdown table of the formats."""
    return markdown(
        [
            "log",
            "MiB",
            "`json` s",
            *(f"{name} s" for name in GRANULARITIES),
            "times `json`",
            "`json` peak MiB",
            "adjudge peak MiB",
        ],
        [
            [
                reading.kind,
                rounded(reading.mib),
                rounded(reading.json_seconds),
                *map(rounded, reading.seconds),
                f"{rounded(max(reading.seconds) / reading.json_seconds)}x",
                f"{reading.json_peak_mib:.0f}",
                f"{reading.peak_mib:.0f}",
            ]
            for reading in readings
        ],
    )


def scaled(sizes: Sequence[Growth]) -> str:
    """A Markdown table of the sizes."""
    return markdown(
        ["log", "granularity", "steps", "s", "processor s", "ms a step", "peak MiB"],
        [
            [
                size.kind,
                size.granularity,
                f"{size.steps:,}",
                rounded(size.seconds),
                rounded(size.processor_seconds),
                rounded(1000 * size.processor_seconds / size.steps),
                f"{size.peak_mib:.0f}",
            ]
            for size in sizes
        ],
    )


def _log(environments: Environments, kind: str, steps: int) -> tuple[Path, Path]:
    folder = environments.folder("logs")
    return folder, agent_logs.write(folder / f"{kind.replace(' ', '_')}_{steps}.json", kind, steps)
