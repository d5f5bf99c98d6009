"""How trajectory measures relate to the reward of tau-bench's airline runs.

    python tau_airline.py RUNS.jsonl.gz

Writes an eval set of the expected actions and the runs as recordings into the current folder, evaluates
them, and prints how well each measure tells the runs with reward 1 from those with reward 0.
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import adjudge
from adjudge.kit.matching import f1
from adjudge.model import Invocation, ToolCall
from adjudge.plugin import ReportedCase

CONFIG = {
    "criteria": {
        # One of them decides; the others are informational, because every score reaches their threshold.
        "recall": {"criterion": "trajectory_recall", "threshold": 1.0},
        "recall of names": {"criterion": "trajectory_recall", "ignore_args": True, "threshold": 0.0},
        "precision": {"criterion": "trajectory_precision", "threshold": 0.0},
        "f1": {"criterion": "trajectory_f1", "threshold": 0.0},
    }
}

WRITES = {
    "book_reservation",
    "cancel_reservation",
    "send_certificate",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
}
"""The tools that change the database, and so the reward."""


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The runs of the file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def first_message(run: dict[str, Any]) -> dict[str, Any]:
    """What the user said first."""
    messages: list[dict[str, Any]] = run["traj"]
    return next(message for message in messages if message["role"] == "user")


def eval_case(run: dict[str, Any]) -> dict[str, Any]:
    """The expected actions of a task as one turn: they belong to the conversation as a whole."""
    return {
        "eval_id": str(run["task_id"]),
        "conversation": [
            {
                "user_content": {"role": "user", "parts": [{"text": first_message(run)["content"]}]},
                "intermediate_data": {
                    "tool_uses": [
                        {"name": action["name"], "args": action["kwargs"]}
                        for action in run["info"]["task"]["actions"]
                    ]
                },
            }
        ],
    }


def recording(run: dict[str, Any]) -> dict[str, Any]:
    """A run as one turn: the first message of the user, then everything that the agent did."""
    agent = [message for message in run["traj"] if message["role"] in {"assistant", "tool"}]
    return {"task_id": run["task_id"], "messages": [first_message(run), *agent]}


def prepare(runs: Sequence[dict[str, Any]]) -> None:
    """Write the eval set and the recordings."""
    cases = [eval_case(run) for run in runs if run["trial"] == 0]
    eval_set = {"eval_set_id": "airline", "eval_cases": cases}
    Path("airline.evalset.json").write_text(json.dumps(eval_set), encoding="utf-8")
    lines = "".join(json.dumps(recording(run)) + "\n" for run in runs)
    Path("airline-runs.jsonl").write_text(lines, encoding="utf-8")


def writes(turns: Iterable[Invocation]) -> list[ToolCall]:
    """The calls that change the database."""
    return [call for turn in turns for call in turn.tool_calls if call.name in WRITES]


@dataclass(frozen=True)
class Run:
    """One run of the agent, measured."""

    reward: float
    passed: bool
    acts: bool
    """Whether the task expects any action."""
    scores: dict[str, float]


def measure(case: ReportedCase, reward: float) -> Run:
    """The scores of one run: those of the criteria, and one made with ``adjudge.kit.matching``."""
    expected = case.case.conversation or ()
    actual = case.actual.invocations
    scores = {item.criterion_name: item.score for item in case.result.criteria if item.score is not None}
    scores["f1 of writes"] = f1(writes(expected), writes(actual))
    acts = any(turn.tool_calls for turn in expected)
    return Run(reward, case.result.status == "PASS", acts, scores)


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """How often a run with reward 1 scores higher than one with reward 0; a tie counts half."""
    wins = sum((one > other) + (one == other) / 2 for one in good for other in bad)
    return wins / (len(good) * len(bad))


def table(runs: Sequence[Run]) -> Iterator[str]:
    """One row a measure."""
    yield "| measure | mean, reward 1 | mean, reward 0 | AUROC | point-biserial r |"
    yield "|---|---|---|---|---|"
    rewards = [run.reward for run in runs]
    for name in runs[0].scores:
        values = [run.scores[name] for run in runs]
        good = [run.scores[name] for run in runs if run.reward == 1]
        bad = [run.scores[name] for run in runs if run.reward != 1]
        r = f"{statistics.correlation(values, rewards):.2f}" if len(set(values)) > 1 else "none"
        means = f"{statistics.mean(good):.2f} | {statistics.mean(bad):.2f}"
        yield f"| {name} | {means} | {auroc(good, bad):.2f} | {r} |"


def report(runs: Sequence[Run]) -> Iterator[str]:
    """The study as Markdown."""
    acting = [run for run in runs if run.acts]
    idle = [run for run in runs if not run.acts]
    for title, chosen in (("All runs", runs), ("Tasks with actions", acting), ("Tasks without any", idle)):
        good = sum(run.reward == 1 for run in chosen)
        yield f"\n{title}: {len(chosen)}, {good} with reward 1\n"
        yield from table(chosen)
    yield "\nRecall of 1.0 as the verdict\n"
    yield "| | reward 1 | reward 0 |\n|---|---|---|"
    for word, passed in (("PASS", True), ("FAIL", False)):
        counts = [sum(run.passed is passed and run.reward == reward for run in runs) for reward in (1, 0)]
        yield f"| {word} | {counts[0]} | {counts[1]} |"


def main() -> None:
    """Run the study on the file that the command line names."""
    # The n-th recording of a task is its n-th repeat.
    runs = sorted(rows(Path(sys.argv[1])), key=lambda run: (run["task_id"], run["trial"]))
    prepare(runs)
    result = adjudge.evaluate_sync(
        "recorded:airline-runs.jsonl",
        "airline.evalset.json",
        config=CONFIG,
        num_runs=4,
        agent_options={"any_conversation": True},  # a simulated user words every trial in its own way
    )
    rewards = {(str(run["task_id"]), run["trial"] + 1): run["reward"] for run in runs}
    measured = [measure(case, rewards[case.result.eval_id, case.result.repeat]) for case in result.details()]
    click.echo("\n".join(report(measured)))


if __name__ == "__main__":
    main()
