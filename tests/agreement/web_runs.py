"""The runs of web agents with the recorded verdicts of their judges, and what people say of them."""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.metadata
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "agent-reward-bench"
DATA = Path(__file__).parents[3] / "shared" / "data"

RULE = "rule-based reward"
"""The benchmark's own check by code, a voice beside the judges."""
JUDGES = {"webjudge_7B": "webjudge-7B", "webjudge_o4_mini": "o4-mini", "webjudge_gpt4o": "gpt-4o"}


@dataclass(frozen=True)
class WebRun:
    run_id: str
    task: str
    goal: str
    steps: list[dict[str, Any]]
    capped: bool
    verdicts: dict[str, str]
    """Voice to PASS or FAIL."""
    success: str | None
    """PASS or FAIL where everybody who labelled the run says the same."""
    looping: str | None
    """FAIL where everybody says that it loops."""

    @property
    def split(self) -> str:
        """By the task, so that no task is on both sides: whether the first byte of its SHA-256 is even."""
        return "test" if hashlib.sha256(self.task.encode()).digest()[0] % 2 else "dev"


def load_runs(data: Path = DATA, *, with_people: bool = True) -> list[WebRun]:
    """All runs; without the labels of people where they are not wanted, or not installed."""
    labels = annotations() if with_people else defaultdict(list)
    runs: list[WebRun] = []
    with gzip.open(data / "web_agent_runs" / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            run = json.loads(line)
            said = labels[run["benchmark"], run["agent"], run["task_id"]]
            voices = {
                JUDGES[name]: "PASS" if judge["verdict"] == "success" else "FAIL"
                for name, judge in run["judges"].items()
            }
            voices[RULE] = "PASS" if run["rule_based_reward"] >= 1 else "FAIL"
            runs.append(
                WebRun(
                    run_id=run["id"],
                    task=run["task_id"],
                    goal=run["goal"],
                    steps=run["steps"],
                    capped=bool(run["truncated"]),
                    verdicts=voices,
                    success=unanimous(
                        said, "trajectory_success", {"Successful": "PASS", "Unsuccessful": "FAIL"}
                    ),
                    looping=unanimous(said, "trajectory_looping", {"No": "PASS", "Yes": "FAIL"}),
                )
            )
    return runs


def people_are_known() -> bool:
    """Whether the package with the labels is installed."""
    return bool(list(importlib.metadata.distributions(name=PACKAGE)))


def annotations() -> defaultdict[tuple[str, str, str], list[dict[str, str]]]:
    """What people say, from the installed package; its own code, which needs a browser, is not imported."""
    files = importlib.metadata.files(PACKAGE) or []
    [table] = [file for file in files if file.name == "annotations.csv"]
    found: defaultdict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    with Path(str(table.locate())).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["benchmark"], row["model_name"], row["task_id"]].append(row)
    return found


def unanimous(rows: list[dict[str, str]], column: str, words: dict[str, str]) -> str | None:
    said = {words.get(row[column]) for row in rows}
    return said.pop() if len(said) == 1 else None


def two_people(column: str, words: dict[str, str]) -> list[tuple[str, str]]:
    """What two people say of the same run, of all runs of the package that two people labelled."""
    pairs: list[tuple[str, str]] = []
    for rows in annotations().values():
        said = [words[row[column]] for row in rows if row[column] in words]
        if len(said) == 2:
            pairs.append((said[0], said[1]))
    return pairs
