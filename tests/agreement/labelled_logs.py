"""A fixed sample of runs of an airline agent and of web agents, as logs for ``adjudge judge``, and their labels."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from web_runs import RULE, load_runs, people_are_known

from adjudge.kit.digests import tokens_of

SEED = "adjudge"
AIRLINE, WEB = "tau_airline", "web_agent_runs"
REWARD = "reward"
PEOPLE = "people"


@dataclass(frozen=True)
class LabelledLog:
    """A run: what a judge may see of it, and what it may not."""

    data_set: str
    run_id: str
    log: Mapping[str, Any]
    label: str
    """PASS or FAIL, by the data set's own rule."""
    labels: Mapping[str, str | None] = field(default_factory=dict)
    """By who says it, the rule included; ``None`` where people differ, or nobody labelled the run."""

    @property
    def tokens(self) -> int:
        """Of all texts of the log, as adjudge estimates them."""
        return sum(tokens_of(text) for text in _texts(self.log))

    def write(self, folder: Path) -> Path:
        """The log as a file. Its name says which run it is, and nothing of its label."""
        path = folder / self.data_set / f"{self.run_id.replace('/', '_')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.log), encoding="utf-8")
        return path


def sample(data: Path, runs: int) -> list[LabelledLog]:
    """So many runs of each data set, with as large a share of PASS as the whole has.

    Nearly all of a smaller sample is in a larger one: what was asked about it is not asked again.
    """
    return [*_balanced(list(_airline_runs(data)), runs), *_balanced(list(_web_runs(data)), runs)]


def _balanced(logs: Sequence[LabelledLog], wanted: int) -> list[LabelledLog]:
    passed = round(wanted * sum(log.label == "PASS" for log in logs) / len(logs))
    chosen: list[LabelledLog] = []
    for label, count in (("PASS", passed), ("FAIL", wanted - passed)):
        chosen += sorted((log for log in logs if log.label == label), key=_order)[:count]
    return sorted(chosen, key=_order)


def _order(log: LabelledLog) -> str:
    return hashlib.sha256(f"{SEED} {log.data_set} {log.run_id}".encode()).hexdigest()


def _airline_runs(data: Path) -> Iterator[LabelledLog]:
    """The messages, and what the simulated user was told. The reward and the expected calls stay behind."""
    with gzip.open(data / AIRLINE / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        for run in map(json.loads, file):
            told = {"task": {"instruction": run["info"]["task"]["instruction"]}}
            label = "PASS" if run["reward"] >= 1 else "FAIL"
            yield LabelledLog(
                data_set=AIRLINE,
                run_id=f"task-{run['task_id']}-trial-{run['trial']}",
                log={"messages": run["traj"], "info": told},
                label=label,
                labels={REWARD: label},
            )


def _web_runs(data: Path) -> Iterator[LabelledLog]:
    """The goal, the steps and how the run ended. The reward and the verdicts of other judges stay behind."""
    for run in load_runs(data, with_people=people_are_known()):
        label = run.verdicts[RULE]
        yield LabelledLog(
            data_set=WEB,
            run_id=run.run_id,
            log={
                "task": run.goal,
                "steps": run.steps,
                "terminated": not run.capped,
                "truncated": run.capped,
            },
            label=label,
            labels={RULE: label, PEOPLE: run.success},
        )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)
