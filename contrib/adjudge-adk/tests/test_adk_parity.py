"""Agents in folders through google-adk's own evaluation and through adjudge: the same scores, calls and answers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from adjudge_adk import AgentEvaluator
from zoo_files import ZOO, written

import adjudge

HERE = Path(__file__).parent
METRICS = ("tool_trajectory_avg_score", "response_match_score")
STATUSES = {"PASS": "PASSED", "FAIL": "FAILED", "error": "FAILED"}

DIFFERENT = {("thoughts", "rolled")}
"""Cases that adjudge decides otherwise, as docs/reference/differences-from-adk.md says ("Thoughts")."""


def adk_python() -> str:
    python = os.environ.get("ADJUDGE_ADK_PYTHON")
    if not python:
        pytest.skip("ADJUDGE_ADK_PYTHON names no interpreter that has google-adk[eval]")
    return python


def of_adjudge(result: adjudge.RunResult) -> dict[str, Any]:
    """The same of adjudge's results as ``adk_evaluation.py`` prints of google-adk's."""
    found: dict[str, Any] = {}
    for item in result.details():
        scored = {criterion.criterion_name: criterion for criterion in item.result.criteria}
        # What was done until an agent raised is kept; google-adk forgets it.
        turns = () if item.result.error is not None else item.actual.invocations
        found[item.result.eval_id] = {
            "status": STATUSES[item.result.status],
            "scores": {name: scored[name].score for name in METRICS if name in scored},
            "turns": {
                name: [turn.score for turn in scored[name].per_invocation]
                for name in METRICS
                if name in scored
            },
            "calls": [[[call.name, call.args] for call in turn.tool_calls] for turn in turns],
            "answers": [turn.final_response.text if turn.final_response else "" for turn in turns],
            "instructions": [_instructions(turn) for turn in turns],
            "state": item.actual.final_session_state if turns else None,
        }
    return found


def of_adk(case: dict[str, Any]) -> dict[str, Any]:
    """A case of google-adk without its efficiency figures, and without what it adds to the session."""
    state = {
        key: value for key, value in (case["state"] or {}).items() if not key.startswith("__llm_request")
    }
    return {
        **case,
        "scores": {name: case["scores"][name] for name in METRICS if name in case["scores"]},
        "turns": {name: case["turns"][name] for name in METRICS if name in case["turns"]},
        "state": state if case["answers"] else None,
    }


def _instructions(turn: Any) -> dict[str, str]:
    """Of the agents that answer; those that are called as tools are known to adjudge alone."""
    own = {step.author for step in turn.own_steps}
    agents = turn.app_details.agent_details if turn.app_details else {}
    return {name: agent.instructions for name, agent in agents.items() if name in own}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What google-adk finds, of all agents in one process: its imports take seconds."""
    python = adk_python()
    folder = tmp_path_factory.mktemp("zoo")
    done = subprocess.run(
        [python, HERE / "adk_evaluation.py"],
        input=json.dumps([str(written(name, folder)) for name in ZOO]),
        env={**os.environ, "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", ZOO)
def test_scores_calls_answers_and_states_are_those_of_adk_eval(
    theirs: dict[str, Any], workspace: Path, name: str
) -> None:
    folder = written(name, workspace)

    ours = of_adjudge(adjudge.evaluate_sync(str(folder), str(folder / "cases.evalset.json")))

    expected = {key: of_adk(case) for key, case in theirs[name]["cases"].items()}
    for key in list(ours):
        if (name, key) in DIFFERENT:
            assert ours.pop(key) != expected.pop(key)
    assert ours == expected


@pytest.mark.parametrize("name", sorted(set(ZOO) - {name for name, _ in DIFFERENT}))
def test_a_test_with_agent_evaluator_passes_where_adks_own_does(
    theirs: dict[str, Any], workspace: Path, name: str
) -> None:
    folder = written(name, workspace)

    def passes() -> bool:
        try:
            asyncio.run(
                AgentEvaluator.evaluate(
                    agent_module=f"{folder.name}.agent",
                    eval_dataset_file_path_or_dir=str(folder / "cases.evalset.json"),
                    num_runs=1,
                    print_detailed_results=False,
                )
            )
        except AssertionError:
            return False
        return True

    assert passes() == theirs[name]["accepted"]


@pytest.mark.parametrize("name", ["memory", "sub_agents"])
def test_the_exit_status_is_that_of_adk_eval(workspace: Path, name: str) -> None:
    folder = written(name, workspace)
    evaluated = ["eval", name, f"{name}/cases.evalset.json"]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    adk = Path(adk_python()).with_name("adk")

    theirs = subprocess.run([adk, *evaluated], cwd=folder.parent, env=environment, check=False, timeout=300)
    ours = subprocess.run(
        [sys.executable, "-m", "adjudge", *evaluated],
        cwd=folder.parent,
        env=environment,
        check=False,
        timeout=300,
    )

    assert ours.returncode == theirs.returncode
