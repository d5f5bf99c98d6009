"""The other peers: trivial cases in a whole process, and plain equality of calls."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import trajectory
from environments import Environments, script
from measure import Sample, in_turns, median, process, worker
from table import Row, faster

_WORKERS = Path(__file__).parent / "workers"

_AGENT = """def agent(text):
    return f"Answer {text.removeprefix('Question ').removesuffix('?')}."
"""


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """pydantic-evals, the fastest of them."""
    assert environments.peers is not None
    folder = environments.folder("peers")
    (folder / "trivial_agent.py").write_text(_AGENT, encoding="utf-8")
    # Both sides only look whether two things are equal.
    criteria = {"criteria": {"tool_trajectory_avg_score": 1.0}}
    (folder / "test_config.json").write_text(json.dumps(criteria), encoding="utf-8")
    for cases in (50, 1_000, 10_000):
        yield from _trivial(environments, environments.peers, folder, cases, rounds)
    yield _equality(environments, environments.peers, rounds)


def _trivial(environments: Environments, peers: Path, folder: Path, cases: int, rounds: int) -> Iterator[Row]:
    eval_set = folder / f"trivial_{cases}.evalset.json"
    eval_set.write_text(json.dumps(_eval_set(cases)), encoding="utf-8")

    def other() -> Sample:
        sample = process([peers, _WORKERS / "pydantic_evals_trivial.py", str(cases)], folder)
        if int(sample.output) != cases:
            raise RuntimeError(f"{sample.output} of {cases} trivial cases passed")
        return sample

    def adjudge() -> Sample:
        shutil.rmtree(folder / ".adjudge", ignore_errors=True)
        command = [script(environments.adjudge, "adjudge"), "eval", "trivial_agent:agent", eval_set.name]
        return process(command, folder)

    found = in_turns({"other": other, "adjudge": adjudge}, rounds)
    seconds = [median([sample.seconds for sample in samples]) for samples in found.values()]
    peaks = [median([sample.peak_bytes / 2**20 for sample in samples]) for samples in found.values()]
    yield Row(f"{cases:,} trivial cases", "s", *seconds, faster(1.5 if cases == 10_000 else 2))
    yield Row(f"{cases:,} trivial cases, peak memory", "MiB", *peaks)


def _equality(environments: Environments, peers: Path, rounds: int) -> Row:
    folder, turns = trajectory.turns(environments)
    found = in_turns(
        {
            "other": lambda: worker(peers, "pydantic_evals_trajectory", folder, turns, trajectory.SECONDS),
            "adjudge": lambda: worker(
                environments.adjudge, "adjudge_trajectory", folder, turns, trajectory.SECONDS
            ),
        },
        rounds,
    )
    if found["other"][0]["EXACT"]["matched"] != found["adjudge"][0]["EXACT"]["matched"]:
        raise RuntimeError("the verdicts of plain equality differ")
    speeds = [median([run["EXACT"]["per_second"] for run in runs]) for runs in found.values()]
    return Row("trajectory, plain equality", "turns/s", *speeds, faster(1))


def _eval_set(cases: int) -> dict[str, object]:
    return {
        "eval_set_id": "trivial",
        "eval_cases": [
            {
                "eval_id": f"case_{number}",
                "conversation": [
                    {
                        "user_content": {"role": "user", "parts": [{"text": f"Question {number}?"}]},
                        "final_response": {"role": "model", "parts": [{"text": f"Answer {number}."}]},
                    }
                ],
            }
            for number in range(cases)
        ],
    }
