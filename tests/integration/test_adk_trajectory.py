"""Thousands of generated turns, decided as google-adk decides them."""

from __future__ import annotations

import json
import os
import random
import subprocess
from typing import Any

import pytest

from adjudge.kit.matching import match
from adjudge.model import ToolCall

ADK_PYTHON = "ADJUDGE_ADK_PYTHON"
TURNS = 4000
MODES = ("EXACT", "IN_ORDER", "ANY_ORDER")

ORACLE = """
import itertools, json, sys
from google.adk.evaluation.eval_case import IntermediateData, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.genai.types import Content, FunctionCall

def turn(calls):
    uses = [FunctionCall(**call) for call in calls]
    return Invocation(user_content=Content(), intermediate_data=IntermediateData(tool_uses=uses))

pairs = [(turn(expected), turn(actual)) for expected, actual in json.load(sys.stdin)]
scores = {}
for mode, names_only in itertools.product(("EXACT", "IN_ORDER", "ANY_ORDER"), (False, True)):
    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=mode, ignore_args=names_only)
    evaluator = TrajectoryEvaluator(eval_metric=EvalMetric(metric_name="t", criterion=criterion))
    result = evaluator.evaluate_invocations([a for _, a in pairs], [e for e, _ in pairs])
    scores[f"{mode} {names_only}"] = [one.score for one in result.per_invocation_results]
json.dump(scores, sys.stdout)
"""


def generated(chance: random.Random) -> list[tuple[list[Any], list[Any]]]:
    """Turns that are often nearly right: few names, few values, calls moved, lost, added and changed."""
    values = [0, 1, True, 1.0, "1", "a", "a ", None, [1, 2], [2, 1], {"x": 1}, {"x": {"y": []}}]

    def call() -> dict[str, Any]:
        args = {name: chance.choice(values) for name in "ab" if chance.random() < 0.5}
        return {"name": chance.choice("tuv"), "args": args or chance.choice([{}, None])}

    turns: list[tuple[list[Any], list[Any]]] = []
    for _ in range(TURNS):
        expected = [call() for _ in range(chance.randrange(5))]
        actual = json.loads(json.dumps(expected))
        for _ in range(chance.randrange(3)):
            match chance.randrange(4):
                case 0:
                    chance.shuffle(actual)
                case 1:
                    actual.insert(chance.randint(0, len(actual)), call())
                case 2 if actual:
                    del actual[chance.randrange(len(actual))]
                case _ if actual:
                    actual[chance.randrange(len(actual))] = call()
                case _:
                    pass
        turns.append((expected, actual))
    return turns


def without_nulls(calls: list[Any]) -> list[Any]:
    """The one documented difference: null arguments equal ``{}`` here, and not in google-adk."""
    return [{**call, "args": call["args"] or {}} for call in calls]


@pytest.fixture(scope="module")
def turns() -> list[tuple[list[Any], list[Any]]]:
    return generated(random.Random(20))


@pytest.fixture(scope="module")
def adk_scores(turns: list[tuple[list[Any], list[Any]]], tmp_path_factory: pytest.TempPathFactory) -> Any:
    python = os.environ.get(ADK_PYTHON)
    if not python:
        pytest.skip(f"{ADK_PYTHON} does not name a Python with google-adk[eval]")
    given = [(without_nulls(expected), without_nulls(actual)) for expected, actual in turns]
    done = subprocess.run(
        [python, "-W", "ignore", "-c", ORACLE],
        input=json.dumps(given),
        cwd=tmp_path_factory.mktemp("adk"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("names_only", [False, True], ids=["arguments", "ignore_args"])
@pytest.mark.parametrize("mode", MODES)
def test_every_turn_is_decided_as_adk_decides_it(
    mode: str, names_only: bool, turns: list[tuple[list[Any], list[Any]]], adk_scores: Any
) -> None:
    def calls(raw: list[Any]) -> list[ToolCall]:
        return [ToolCall(**call) for call in raw]

    found = [
        match(calls(expected), calls(actual), mode, ignore_args=names_only).score
        for expected, actual in turns
    ]
    wanted = adk_scores[f"{mode} {names_only}"]
    assert {0.0, 1.0} == set(wanted)
    assert [turns[at] for at in range(TURNS) if found[at] != wanted[at]] == []
