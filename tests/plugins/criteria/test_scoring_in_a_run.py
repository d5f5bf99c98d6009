"""The criteria of this folder, named in a configuration and run over a case."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.errors import InputError
from adjudge.model import CriterionResult

METRICS = Path(__file__).parent / "adk_style_metrics.py"


def agent(text: str, context: Any) -> dict[str, Any]:
    """Puts a book into the cart."""
    context.state["cart"] = {"items": ["本"], "total": 12.5}
    return {
        "intermediate_data": {
            "tool_uses": [{"name": "search", "args": {}}, {"name": "add", "args": {}}],
            "intermediate_responses": [["stock_agent", [{"text": "在庫は3冊です。"}]]],
        },
        "final_response": {"parts": [{"text": "カートに入れました。"}]},
    }


CASE = {
    "eval_id": "buy",
    "conversation": [
        {
            "user_content": {"parts": [{"text": "本を一冊ください。"}]},
            "final_response": {"parts": [{"text": "カートに入れました。"}]},
            "intermediate_data": {
                "intermediate_responses": [["stock_agent", [{"text": "在庫は3冊です。"}]]],
            },
        }
    ],
    "final_session_state": {"cart": {"items": ["本"], "total": 12.5}},
}

Evaluate = Callable[..., RunResult]


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evaluate]:
    """Run criteria over the case, in a folder that has metric functions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / METRICS.name).write_bytes(METRICS.read_bytes())
    path = tmp_path / "shop.test.json"
    path.write_text(json.dumps({"eval_set_id": "shop", "eval_cases": [CASE]}), encoding="utf-8")
    yield lambda criteria, **config: evaluate_sync(agent, path, config={"criteria": criteria, **config})
    sys.modules.pop(METRICS.stem, None)


def criteria_of(result: RunResult) -> dict[str, CriterionResult]:
    [case] = result.cases()
    return {criterion.criterion_name: criterion for criterion in case.criteria}


def custom(function: str) -> dict[str, Any]:
    return {"metric": {"code_config": {"name": function}}}


def test_answers_texts_and_state_pass(evaluate: Evaluate) -> None:
    result = evaluate(
        {
            "response_match_score": 1.0,
            "intermediate_response_match_score": 1.0,
            "session_state_match": {"mode": "exact", "threshold": 1.0},
        }
    )

    assert result.passed
    assert [criterion.score for criterion in criteria_of(result).values()] == [1.0, 1.0, 1.0]


class WithoutSession:
    def __call__(self, text: str) -> str:
        return "ok"


def only_text(text: str) -> str:
    return "ok"


@pytest.mark.parametrize("silent", [only_text, WithoutSession, lambda: only_text])
def test_an_agent_that_is_not_given_the_session_shows_no_state(tmp_path: Path, silent: Any) -> None:
    path = tmp_path / "shop.test.json"
    # The expected state is the one that the session starts with: nobody changed it, and nobody could.
    case = {**CASE, "session_input": {"app_name": "a", "user_id": "u", "state": CASE["final_session_state"]}}
    path.write_text(json.dumps({"eval_set_id": "shop", "eval_cases": [case]}), encoding="utf-8")
    found = criteria_of(evaluate_sync(silent, path, config={"criteria": {"session_state_match": 1.0}}))

    error = found["session_state_match"].error
    assert error is not None
    assert error.code == "state_not_shown"


@pytest.mark.parametrize(
    ("entry", "status"),
    [({"maximum": 2}, "PASS"), ({"maximum": 1}, "FAIL"), ({"threshold": 2}, "PASS"), (1, "FAIL")],
)
def test_an_efficiency_figure_gates_through_a_maximum(evaluate: Evaluate, entry: Any, status: str) -> None:
    found = criteria_of(evaluate({"tool_call_count_v1": entry}))["tool_call_count_v1"]

    assert (found.score, found.status) == (2.0, status)


def test_an_efficiency_figure_without_a_maximum_decides_nothing(evaluate: Evaluate) -> None:
    result = evaluate({"response_match_score": 0.8, "tool_call_count_v1": {}})

    assert result.passed
    assert criteria_of(result)["tool_call_count_v1"].status == "informational"


def test_a_custom_metric_of_an_adk_configuration_runs(evaluate: Evaluate) -> None:
    result = evaluate(
        {"metric": {"threshold": 0.5, "limit": 5}}, custom_metrics=custom(f"{METRICS.stem}.response_length")
    )

    found = criteria_of(result)["metric"]
    assert (found.status, found.score) == ("FAIL", 0.0)
    assert not any("limit" in warning for warning in result.warnings), "it is the function's own option"


def test_a_custom_metric_is_told_its_name_and_threshold(evaluate: Evaluate) -> None:
    result = evaluate({"metric": 0.5}, custom_metrics=custom(f"{METRICS.stem}.shown"))

    found = criteria_of(result)["metric"]
    assert found.status == "error"
    assert found.error is not None
    assert "['metric', None, 0.5," in found.error.message


def test_a_status_that_contradicts_the_threshold_is_an_error_and_no_verdict(evaluate: Evaluate) -> None:
    result = evaluate({"metric": 0.5}, custom_metrics=custom(f"{METRICS.stem}.tools_in_order"))

    found = criteria_of(result)["metric"]
    assert (found.status, found.verdict) == ("error", None)
    assert found.error is not None
    assert found.error.code == "status_contradicts_threshold"
    assert "says PASSED for the score 0.0" in found.error.message


def test_a_custom_metric_that_cannot_be_imported_stops_the_run(evaluate: Evaluate) -> None:
    with pytest.raises(InputError, match="No module named 'nowhere'"):
        evaluate({"metric": 0.5}, custom_metrics=custom("nowhere.at_all"))


def test_a_custom_metric_that_raises_what_is_no_exception_does_not_hold_up_the_run(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rude_metric.py").write_text("def stop(*_):\n    raise KeyboardInterrupt\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = criteria_of(evaluate({"metric": 0.5}, custom_metrics=custom("rude_metric.stop")))["metric"]
    assert found.status == "error"
    assert found.error is not None
    assert "KeyboardInterrupt" in found.error.message
