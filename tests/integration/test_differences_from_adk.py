"""Where adjudge decides otherwise than google-adk: each entry of docs/reference/differences-from-adk.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.cli import cli
from adjudge.cli.exits import run_cli
from adjudge.errors import InputError
from adjudge.model import CriterionResult

Agent = Callable[[str], Any]
Evaluate = Callable[..., RunResult]

EXACT = {"tool_trajectory_avg_score": 1.0}
WORDS = {"response_match_score": 0.8}


def turn(answer: str | None, calls: Any = None) -> dict[str, Any]:
    """A turn that expects an answer and calls; ``None`` leaves it out."""
    turn: dict[str, Any] = {"user_content": {"parts": [{"text": "Go."}]}}
    if answer is not None:
        turn["final_response"] = {"parts": [{"text": answer}]}
    if calls is not None:
        turn["intermediate_data"] = {"tool_uses": calls}
    return turn


@pytest.fixture
def evaluated(tmp_path: Path) -> Evaluate:
    """Evaluate an agent on cases of turns."""

    def evaluate(
        agent: Agent, criteria: dict[str, Any], *cases: list[dict[str, Any]], **config: Any
    ) -> RunResult:
        eval_cases = [
            {"eval_id": f"case {i}", "conversation": turns} for i, turns in enumerate(cases, start=1)
        ]
        path = tmp_path / "some.test.json"
        path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": eval_cases}), encoding="utf-8")
        return evaluate_sync(agent, path, config={"criteria": criteria, **config})

    return evaluate


def only_criterion(result: RunResult) -> CriterionResult:
    [case] = result.cases()
    [criterion] = case.criteria
    return criterion


def calls(*args: Any) -> Agent:
    """An agent that calls ``look`` with each of the arguments."""
    uses = [{"name": "look", **({} if one is Ellipsis else {"args": one})} for one in args]
    return lambda _: {
        "intermediate_data": {"tool_uses": uses},
        "final_response": {"parts": [{"text": "Done."}]},
    }


@pytest.mark.parametrize("expected", [{"args": {}}, {"args": None}, {}], ids=["empty", "null", "absent"])
@pytest.mark.parametrize("actual", [{}, None, ...], ids=["empty", "null", "absent"])
def test_arguments_that_are_null_absent_or_empty_are_equal(
    evaluated: Evaluate, expected: dict[str, Any], actual: Any
) -> None:
    result = evaluated(calls(actual), EXACT, [turn(None, [{"name": "look", **expected}])])

    assert result.passed


@pytest.mark.parametrize("blank", [None, "", " \n"], ids=["absent", "empty", "blank"])
def test_a_turn_without_a_reference_answer_is_not_scored(evaluated: Evaluate, blank: str | None) -> None:
    result = evaluated(lambda _: "Good morning", WORDS, [turn("Good morning"), turn(blank)])

    criterion = only_criterion(result)
    assert (criterion.status, criterion.score, criterion.scored, criterion.total) == ("PASS", 1.0, 1, 1)
    assert [turn.status for turn in criterion.per_invocation] == ["PASS", "not_applicable"]


def test_an_old_file_without_a_reference_has_no_reference(tmp_path: Path) -> None:
    path = tmp_path / "old.test.json"
    turns: list[dict[str, Any]] = [
        {"query": "Hello?", "expected_tool_use": [], "reference": "Good morning"},
        {"query": "And?", "expected_tool_use": []},
    ]
    path.write_text(json.dumps(turns), encoding="utf-8")

    criterion = only_criterion(evaluate_sync(lambda _: "Good morning", path, config={"criteria": WORDS}))
    assert (criterion.status, criterion.score, criterion.scored, criterion.total) == ("PASS", 1.0, 1, 1)


@pytest.mark.parametrize(("sides", "verdict"), [(6, "PASS"), (8, "FAIL")])
def test_old_calls_keep_arguments_under_another_name(sides: int, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "old.test.json"
    use = {"tool_name": "look", "tool_parameters": {"sides": sides}}
    path.write_text(json.dumps([{"query": "Go.", "expected_tool_use": [use]}]), encoding="utf-8")

    assert evaluate_sync(calls({"sides": 6}), path, config={"criteria": EXACT}).verdict == verdict

    del use["tool_parameters"]
    path.write_text(json.dumps([{"query": "Go.", "expected_tool_use": [use]}]), encoding="utf-8")
    with pytest.raises(InputError, match=r"expected_tool_use\[0\].*no 'tool_input'"):
        evaluate_sync(calls({"sides": 6}), path, config={"criteria": EXACT})


def test_thoughts_are_no_part_of_the_answer(evaluated: Evaluate) -> None:
    parts: list[dict[str, Any]] = [
        {"text": "Perhaps a greeting would do.", "thought": True},
        {"text": "Good morning"},
    ]

    result = evaluated(lambda _: {"final_response": {"parts": parts}}, WORDS, [turn("Good morning")])
    assert only_criterion(result).score == 1.0


@pytest.mark.parametrize(
    ("reference", "answer"), [("🎉", "🎉"), ("naïve café", "naive cafe")], ids=["emoji", "accents"]
)
def test_an_emoji_is_a_word_and_an_accent_may_be_left_out(
    evaluated: Evaluate, reference: str, answer: str
) -> None:
    assert only_criterion(evaluated(lambda _: answer, WORDS, [turn(reference)])).score == 1.0


def test_a_configuration_that_is_named_and_missing_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "some.test.json"
    cases = [{"eval_id": "greeting", "conversation": [turn("Good morning")]}]
    path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": cases}), encoding="utf-8")
    asked: list[str] = []

    with pytest.raises(InputError, match=r"nowhere\.json"):
        evaluate_sync(asked.append, path, config=tmp_path / "nowhere.json")
    assert asked == []


def test_a_misspelt_option_of_a_criterion_stops_the_run(evaluated: Evaluate) -> None:
    misspelt = {"tool_trajectory_avg_score": {"threshold": 1.0, "ignore_arg": True}}

    with pytest.raises(InputError, match="ignore_args"):
        evaluated(calls({}), misspelt, [turn(None, [{"name": "look", "args": {}}])])


def test_a_misspelt_key_where_adk_ignores_keys_stops_the_run(evaluated: Evaluate, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="custom_metrics"):
        evaluated(calls({}), EXACT, [turn(None, [])], custom_metric={})

    path = tmp_path / "misspelt.test.json"
    path.write_text(
        json.dumps({"eval_set_id": "some", "descripton": "x", "eval_cases": []}), encoding="utf-8"
    )
    with pytest.raises(InputError, match="description"):
        evaluate_sync(calls({}), path, config={"criteria": EXACT})


def test_an_unknown_criterion_stops_the_run(evaluated: Evaluate) -> None:
    with pytest.raises(InputError, match="response_match_score"):
        evaluated(calls({}), {**EXACT, "response_match_scor": 0.8}, [turn("Done.", [])])


def test_what_could_not_be_measured_is_no_pass(
    evaluated: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unlucky_metrics.py").write_text(
        "def unlucky(metric, actual, expected, scenario):\n    raise OSError('the model is away')\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    result = evaluated(
        lambda _: "Good morning",
        {**WORDS, "unlucky": 0.5},
        [turn("Good morning")],
        custom_metrics={"unlucky": {"code_config": {"name": "unlucky_metrics.unlucky"}}},
    )
    [case] = result.cases()
    assert {criterion.criterion_name: criterion.status for criterion in case.criteria} == {
        "response_match_score": "PASS",
        "unlucky": "error",
    }
    assert case.status == result.status == "error"


def test_an_agent_that_raises_is_an_error_of_its_case_alone(evaluated: Evaluate) -> None:
    def agent(text: str) -> str:
        answers.append(text)
        if len(answers) == 1:
            raise OSError("the model is away")
        return "Good morning"

    answers: list[str] = []
    result = evaluated(agent, WORDS, [turn("Good morning")], [turn("Good morning")])

    assert sorted(case.status for case in result.cases()) == ["PASS", "error"]
    assert [case.error.message for case in result.cases() if case.error] == ["OSError: the model is away"]


AGENTS = """
def good(text):
    return "Good morning"

def bad(text):
    return "Rain"

def broken(text):
    raise OSError("the model is away")
"""


@pytest.mark.parametrize(
    ("agent", "selected", "status"),
    [
        ("good", "", 0),
        ("bad", "", 1),
        ("broken", "", 3),
        ("absent", "", 2),
        ("good", ":nobody", 2),
    ],
)
def test_the_exit_status_tells_failures_from_errors(
    agent: str, selected: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agents_of_the_exit_status.py").write_text(AGENTS, encoding="utf-8")
    cases = [{"eval_id": "greeting", "conversation": [turn("Good morning")]}]
    (tmp_path / "some.test.json").write_text(
        json.dumps({"eval_set_id": "some", "eval_cases": cases}), encoding="utf-8"
    )
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": WORDS}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "sys.argv", ["adjudge", "eval", f"agents_of_the_exit_status:{agent}", f"some.test.json{selected}"]
    )

    with pytest.raises(SystemExit) as ended:
        run_cli(cli)
    assert ended.value.code == status


def test_only_what_the_configuration_names_is_measured(evaluated: Evaluate) -> None:
    assert only_criterion(evaluated(calls({}), EXACT, [turn(None, [{"name": "look"}])])).criterion_name == (
        "tool_trajectory_avg_score"
    )


def test_a_decision_has_a_hundred_votes_at_most(evaluated: Evaluate) -> None:
    criterion = {"threshold": 0.5, "judge_model_options": {"num_samples": 100_000}}

    with pytest.raises(InputError, match="less than or equal to 100") as refused:
        evaluated(lambda _: "It is so.", {"final_response_match_v2": criterion}, [turn("It is so.")])
    assert "judge_model_options.num_samples" in str(refused.value)
