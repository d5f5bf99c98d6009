"""Every kind of agent of google-adk: what becomes of its cases, and what it called."""

from __future__ import annotations

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
