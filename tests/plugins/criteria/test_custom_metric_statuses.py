"""The statuses that a metric function gives, held against its scores in a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from enum import Enum, IntEnum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from adjudge import evaluate_sync
from adjudge.model import CriterionResult

Metric = Callable[..., CriterionResult]


class EvalStatus(Enum):
    """As google-adk has it."""

    PASSED = 1
    FAILED = 2
    NOT_EVALUATED = 3


class Grade(IntEnum):
    """An enumeration of somebody's own."""

    FAILED = 2


class Word(Enum):
    """One that only its values make clear."""

    BAD = "failed"


PASSED, FAILED, NOT_EVALUATED = EvalStatus


@pytest.fixture
def metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Metric:
    """What a run with the threshold 0.5 makes of a function's result; each turn is ``(score, status)``."""

    def run(overall: Any, status: Any, *turns: Any, threshold: float = 0.5) -> CriterionResult:
        results = [
            SimpleNamespace(score=turn[0], eval_status=turn[1]) if isinstance(turn, tuple) else turn
            for turn in turns
        ]
        given = SimpleNamespace(
            overall_score=overall, overall_eval_status=status, per_invocation_results=results
        )
        module = ModuleType("metric_with_statuses")
        module.measure = lambda *_: given  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        conversation = [{"user_content": {"parts": [{"text": "hi"}]}} for _ in turns]
        path = tmp_path / "some.test.json"
        cases = [{"eval_id": "case", "conversation": conversation}]
        path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": cases}), encoding="utf-8")
        config = {
            "criteria": {"metric": threshold},
            "custom_metrics": {"metric": {"code_config": {"name": "metric_with_statuses.measure"}}},
        }
        result = evaluate_sync(lambda _: "hello", path, config=config)
        [case] = result.cases()
        [found] = case.criteria
        return found

    return run


@pytest.mark.parametrize("status", [PASSED, "PASSED", "passed", "Pass", 1, "EvalStatus.PASSED"])
def test_a_status_that_agrees_with_its_scores_changes_nothing(metric: Metric, status: Any) -> None:
    found = metric(None, status, (1.0, status), (0.5, None))

    assert (found.status, found.score) == ("PASS", 0.75)


@pytest.mark.parametrize(
    "status", [FAILED, "FAILED", "failed", " Failed ", 2, Grade.FAILED, Word.BAD, "fail"]
)
@pytest.mark.parametrize("overall", [1.0, None])
def test_failed_is_never_shown_as_passed(metric: Metric, overall: float | None, status: Any) -> None:
    found = metric(overall, status, (1.0, None), (1.0, None))

    assert found.status == "error"
    assert found.error is not None
    assert found.error.code == "status_contradicts_threshold"
    assert "says FAILED for the " in found.error.message


def test_a_mean_that_fails_although_the_function_says_passed_is_an_error(metric: Metric) -> None:
    found = metric(None, PASSED, (0.0, None), (0.5, None))

    assert found.error is not None
    assert found.error.code == "status_contradicts_threshold"
    assert "says PASSED for the mean of the turns 0.25" in found.error.message


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        ((1.0, FAILED), "status_contradicts_threshold"),
        ((0.0, 1), "status_contradicts_threshold"),
        ((None, NOT_EVALUATED), "not_evaluated"),
        ((1.0, "not evaluated"), "not_evaluated"),
        ((None, FAILED), "no_score"),
        ((1.0, "maybe"), "unknown_status"),
        ((1.0, 4), "unknown_status"),
        ((1.0, True), "unknown_status"),
        ({"score": 0.0, "eval_status": 2}, "not_a_result"),
    ],
)
@pytest.mark.parametrize("overall", [(1.0, PASSED), (None, PASSED), (1.0, None), (None, None)])
def test_one_turn_that_cannot_be_used_is_an_error_of_the_criterion(
    metric: Metric, overall: tuple[Any, Any], turn: Any, code: str
) -> None:
    found = metric(*overall, (1.0, PASSED), turn)

    assert (found.status, found.verdict) == ("error", None)
    assert found.error is not None
    assert found.error.code == code


@pytest.mark.parametrize(
    ("overall", "status", "code"),
    [
        (None, PASSED, "no_score"),
        (None, FAILED, "no_score"),
        (1.0, "good", "unknown_status"),
        (1.0, 0, "unknown_status"),
        (1.0, 3, "not_evaluated"),
        (1.0, "not_evaluated", "not_evaluated"),
    ],
)
def test_an_overall_status_that_says_nothing_usable_is_an_error(
    metric: Metric, overall: float | None, status: Any, code: str
) -> None:
    found = metric(overall, status, (None, None), (None, None))

    assert found.status == "error"
    assert found.error is not None
    assert found.error.code == code
