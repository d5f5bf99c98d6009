"""Every report of ``adjudge judge`` and ``adjudge agreement`` as it is."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., CompletedProcess[str]]

JUDGE = ("judge", "logs", "--judge", "scripted/m", "--run", "golden")
OUTPUTS = ("--output", "out.json", "--output", "out.xml")


def reports(golden: Any, name: str) -> None:
    """Compare the JSON and the JUnit that were written."""
    golden.json(f"{name}.json", (golden.folder / "out.json").read_bytes().decode())
    golden.text(f"{name}.xml", (golden.folder / "out.xml").read_bytes().decode())


def test_logs_with_every_verdict(golden: Any, adjudge_here: Run) -> None:
    done = adjudge_here(*JUDGE, "--criteria", "criteria.yaml", *OUTPUTS)
    golden.command("judge/verdicts.txt", done)
    reports(golden, "judge/verdicts")

    agreement = ("agreement", "out.json", "labels.csv")
    golden.command("agreement/screen.txt", adjudge_here(*agreement))
    done = adjudge_here(*agreement, "--json")
    golden.text("agreement/figures.json", done.stdout)
    golden.command("agreement/fitted.txt", adjudge_here(*agreement, "--fit", "fitted.json"))


def test_logs_that_pass_by_a_recording(golden: Any, adjudge_here: Run) -> None:
    judge = ("judge", "logs/milk.json", "--criteria", "one.yaml")
    adjudge_here(*judge, "--judge", "scripted/m", "--record", "calls.rec")
    done = adjudge_here(*judge, "--judge", "replay:calls.rec", "--no-cache", "--run", "golden", *OUTPUTS)
    golden.command("judge/replayed.txt", done)
    reports(golden, "judge/replayed")


@pytest.mark.parametrize("granularity", ["step_level", "phase_level", "global_summary"])
def test_logs_that_are_aggregated(golden: Any, adjudge_here: Run, granularity: str) -> None:
    done = adjudge_here(
        "judge", "logs", "--aggregate-only", "--granularity", granularity, "--run", "golden", *OUTPUTS
    )
    golden.command(f"judge/aggregated-{granularity}.txt", done)
    reports(golden, f"judge/aggregated-{granularity}")


def test_logs_that_are_aggregated_for_criteria(golden: Any, adjudge_here: Run) -> None:
    done = adjudge_here(*JUDGE, "--aggregate-only", "--criteria", "criteria.yaml", *OUTPUTS)
    golden.command("judge/aggregated.txt", done)
    reports(golden, "judge/aggregated")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("no-criteria", JUDGE),
        ("bad-criteria", (*JUDGE, "--criteria", "misspelt.yaml")),
        ("no-judge", ("judge", "logs", "--criteria", "criteria.yaml")),
        ("no-log", ("judge", "absent.json", "--criteria", "one.yaml", "--judge", "scripted/m")),
    ],
)
def test_what_stops_a_command(golden: Any, adjudge_here: Run, name: str, arguments: tuple[str, ...]) -> None:
    golden.command(f"stopped/judge-{name}.txt", adjudge_here(*arguments))
