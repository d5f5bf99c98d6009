"""200 test items: pytest with ADK's ``AgentEvaluator`` in each, against pytest with adjudge's plugin."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import eval_sets
from environments import Environments, add_to
from evaluate import scripted_agents
from measure import Sample, in_turns, median, process
from table import Row

_ITEMS: Final = 200
_TURNS: Final = 2

_ADK_TESTS: Final = """
from pathlib import Path

import pytest
from google.adk.evaluation.agent_evaluator import AgentEvaluator

FILES = sorted(Path(__file__).parent.glob("*.test.json"))


@pytest.mark.asyncio
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
async def test_case(file):
    await AgentEvaluator.evaluate("scripted_agent", str(file), num_runs=1, print_detailed_results=False)
"""


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Wall time and peak memory of whole pytest processes: a file for each case, as ADK's users have them."""
    folder = environments.folder("pytest")
    scripted_agents(folder)
    tests = folder / "tests"
    shutil.rmtree(tests, ignore_errors=True)
    tests.mkdir()
    _write_files(tests)
    (tests / "test_adk.py").write_text(_ADK_TESTS, encoding="utf-8")
    add_to(environments.adk, "pytest", "pytest-asyncio")
    add_to(environments.adjudge, "pytest", "pytest-xdist")

    def adk() -> Sample:
        return _checked([environments.adk, "-m", "pytest", "-q", "tests/test_adk.py"], folder)

    def adjudge() -> Sample:
        agent = ("--adjudge-agent", "adjudge_agent:agent", "--ignore", "tests/test_adk.py")
        return _checked([environments.adjudge, "-m", "pytest", "-q", *agent, "tests"], folder)

    found = in_turns({"adk": adk, "adjudge": adjudge}, rounds)
    seconds = [median([sample.seconds for sample in found[side]]) for side in ("adk", "adjudge")]
    peaks = [median([sample.peak_bytes / 2**20 for sample in found[side]]) for side in ("adk", "adjudge")]
    work = f"pytest, {_ITEMS} files of a case x {_TURNS} turns"
    yield Row(work, "s", *seconds)
    yield Row(f"{work}, peak memory", "MiB", *peaks)


def _write_files(folder: Path) -> None:
    whole = json.loads(eval_sets.write(folder / "all.json", _ITEMS, _TURNS).read_text(encoding="utf-8"))
    (folder / "all.json").unlink()
    for case in whole["eval_cases"]:
        eval_set = {"eval_set_id": case["eval_id"], "eval_cases": [case]}
        (folder / f"{case['eval_id']}.test.json").write_text(json.dumps(eval_set), encoding="utf-8")


def _checked(command: list[str | Path], folder: Path) -> Sample:
    sample = process(command, folder)
    if f"{_ITEMS} passed" not in sample.output:
        raise RuntimeError(f"not {_ITEMS} passed:\n{sample.output[-2000:]}")
    return sample
