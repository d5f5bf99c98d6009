"""Every kind of agent of google-adk: what becomes of its cases, and what it called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from zoo_files import ZOO, module_of, written

import adjudge


@pytest.mark.parametrize("name", ZOO)
def test_an_agent_of_every_kind_is_run_and_scored(workspace: Path, name: str) -> None:
    zoo = module_of(name)

    result = adjudge.evaluate_sync(
        str(written(name, workspace)), str(workspace / name / "cases.evalset.json")
    )

    found = {
        item.result.eval_id: (
            item.result.status,
            [[call.name for call in turn.tool_calls] for turn in item.actual.invocations],
        )
        for item in result.details()
    }
    assert found == zoo.EXPECTED, [item.error for item in result.cases()]


def test_the_transcript_shows_the_calls_of_an_agent_that_is_a_tool(workspace: Path) -> None:
    written("agent_tool", workspace)

    done = subprocess.run(
        [sys.executable, "-m", "adjudge", "eval", "agent_tool", "cases:asked", "--print_detailed_results"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    told = [line.strip() for line in done.stdout.splitlines()]
    nested = told.index("nested calls:")
    assert told[nested - 1] == 'expert {"request": "chat"}'
    assert told[nested + 1] == 'look_up {"word": "chat"}'
