"""Short runs that failed, as history logs: web agents that people labelled, and airline agents whose database tells."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from payloads import Run

DATA = Path(__file__).parents[3] / "shared" / "data"

MOST_STEPS = 7
EACH = 8
"""Runs of each kind."""

CRITERION = {
    "name": "task done",
    "description": "The task was done.",
    "granularity": "step_level",
    "checks": ["In the end the task was done as it was asked for."],
}


def failed_runs() -> dict[str, Run]:
    """Runs by their names, chosen by a rule that looks at the label and the length alone."""
    both = zip(_some(_web()).items(), _some(_airline()).items(), strict=True)
    return {name: run for pair in both for name, run in pair}


def all_texts() -> Iterator[tuple[str, list[str]]]:
    """Every run of the real files, and all that it says: what the detector is tried on."""
    for path in sorted(DATA.rglob("*")):
        name = f"{path.parent.name}/{path.name}"
        if path.name.endswith(".jsonl.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from ((name, list(_texts(json.loads(line)))) for line in lines)
        elif path.suffix in (".json", ".traj"):
            yield name, list(_texts(json.loads(path.read_text(encoding="utf-8"))))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _some(runs: dict[str, Run]) -> dict[str, Run]:
    short = [name for name, run in runs.items() if len(run["steps"]) <= MOST_STEPS]
    return {name: runs[name] for name in sorted(short, key=_hash)[:EACH]}


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _web() -> dict[str, Run]:
    """Those of which everybody who labelled them says so."""
    from web_runs import annotations, unanimous

    labels = annotations()
    found: dict[str, Run] = {}
    for row in rows_of("web_agent_runs"):
        said = labels[row["benchmark"], row["agent"], row["task_id"]]
        if unanimous(said, "trajectory_success", {"Successful": "PASS", "Unsuccessful": "FAIL"}) == "FAIL":
            found[row["id"]] = web_run(row)
    return found


def web_run(row: dict[str, Any]) -> Run:
    """The steps of a run, with what another judge noted of the screen after each: nothing else came back."""
    noted = next(iter(row["judges"].values()), {"screenshot_notes": []})["screenshot_notes"]
    notes = {note["i"]: note["text"] for note in noted}
    steps = [{**step, "observation": notes.get(step["step"], "")} for step in row["steps"] if step["action"]]
    return {"task": row["goal"], "steps": steps}


def _airline() -> dict[str, Run]:
    """Those of which the final database says so."""
    failed = (row for row in rows_of("tau_airline") if not row["reward"])
    return {f"airline/{row['task_id']}/{row['trial']}": airline_run(row) for row in failed}


def airline_run(row: dict[str, Any]) -> Run:
    """A step for every call, with its result, and for every answer, with what the user said to it."""
    steps: list[dict[str, Any]] = []
    for message in row["traj"]:
        if message["role"] == "assistant":
            calls = message.get("tool_calls") or []
            actions = [
                {"name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
                for call in calls
            ] or [{"name": "respond", "args": {"text": message["content"]}}]
            steps.append({"step": len(steps) + 1, "thinking": "", "action": actions})
        elif steps and message["role"] in ("tool", "user"):
            steps[-1]["result" if message["role"] == "tool" else "observation"] = message["content"]
    return {"task": row["info"]["task"]["instruction"], "steps": steps}


def rows_of(folder: str) -> Iterator[dict[str, Any]]:
    """The runs of a data set, as it has them."""
    with gzip.open(DATA / folder / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
