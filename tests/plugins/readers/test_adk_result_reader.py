"""Results of ADK's own evaluations as recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.plugin import InputError, ReadOptions, Source, TraceReader, Trajectory
from adjudge_plugins.readers import adk_result_reader as plugin

NULLS = {"thought": None, "inline_data": None, "function_call": None, "function_response": None}
"""ADK writes every key of a part."""


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def invocation(said: str, answer: str, *calls: str, **more: Any) -> dict[str, Any]:
    uses = [{"id": f"adk-{name}", "name": name, "args": {}} for name in calls]
    return {
        "invocation_id": "e-1",
        "user_content": {"parts": [{**NULLS, "text": said}], "role": "user"},
        "final_response": {"parts": [{**NULLS, "text": answer}], "role": "model"},
        "intermediate_data": {"tool_uses": uses, "tool_responses": [], "intermediate_responses": []},
        "creation_timestamp": 0.0,
        "rubrics": None,
        **more,
    }


def case(eval_id: str, *turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "eval_set_file": None,
        "eval_set_id": "home",
        "eval_id": eval_id,
        "final_eval_status": 1,
        "eval_metric_results": None,
        "overall_eval_metric_results": [{"metric_name": "tool_trajectory_avg_score", "score": 1.0}],
        "eval_metric_result_per_invocation": [
            {"actual_invocation": turn, "expected_invocation": None, "eval_metric_results": []}
            for turn in turns
        ],
        "session_id": f"adk-eval-session-{eval_id}",
        "session_details": {
            "id": "s",
            "app_name": "lights",
            "user_id": "u",
            "state": {"on": 1},
            "events": [],
        },
        "user_id": "test_user_id",
        **more,
    }


def result(*cases: dict[str, Any]) -> str:
    found = {"eval_set_result_id": "home_1", "eval_set_result_name": "home_1", "eval_set_id": "home"}
    return json.dumps({**found, "eval_case_results": cases, "creation_timestamp": 1.0}, indent=2)


def expected(path: Path, *cases: tuple[str, list[dict[str, Any]]], set_id: str = "home") -> Path:
    found = [{"eval_id": eval_id, "conversation": turns} for eval_id, turns in cases]
    path.write_text(json.dumps({"eval_set_id": set_id, "eval_cases": found}), encoding="utf-8")
    return path


LOOK = invocation("Hello?", "Hi", "look")
JUMP = invocation("Hello?", "Hi", "jump")


@pytest.mark.parametrize("twice", [False, True], ids=["as it is", "JSON in a JSON text"])
def test_what_adk_has_evaluated_is_evaluated_again(tmp_path: Path, twice: bool) -> None:
    written = result(case("a", LOOK), case("b", JUMP), case("a", JUMP), case("b", JUMP))
    (tmp_path / "home.evalset_result.json").write_text(json.dumps(written) if twice else written)
    cases = expected(tmp_path / "home.evalset.json", ("a", [LOOK]), ("b", [LOOK]))

    done = adjudge.evaluate_sync(
        f"recorded:{tmp_path / 'home.evalset_result.json'}",
        cases,
        config={"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}},
        num_runs=2,
    )

    scores = {(one.eval_id, one.repeat): one.criteria[0].score for one in done.cases()}
    assert scores == {("a", 1): 1.0, ("a", 2): 0.0, ("b", 1): 0.0, ("b", 2): 0.0}
    first, *_ = done.details()
    assert first.actual.final_session_state == {"on": 1}


def test_the_result_of_another_eval_set_is_not_this_ones(tmp_path: Path) -> None:
    (tmp_path / "home.evalset_result.json").write_text(result(case("a", LOOK)))
    cases = expected(tmp_path / "away.evalset.json", ("a", [LOOK]), set_id="away")

    done = adjudge.evaluate_sync(
        f"recorded:{tmp_path / 'home.evalset_result.json'}",
        cases,
        config={"criteria": {"tool_trajectory_avg_score": 1.0}},
    )
    assert [one.error.code for one in done.cases() if one.error] == ["not_the_same_conversation"]


def test_what_a_case_says(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    newer = {**LOOK, "novel": {"a": 1}}
    path.write_text(result(case("a", newer, JUMP), case("b", eval_set_id="evals/home.evalset.json")))
    first, failed = reader().read(Source(path), ReadOptions(task="t"))
    assert (first.eval_id, first.eval_set_id, first.agent, first.task) == ("a", "home", "lights", "t")
    assert first.session_id == "adk-eval-session-a"
    assert [step.number for step in first.steps] == [1, 2]
    assert first.steps[0].source_ref == (
        "r.json:6 $.eval_case_results[0].eval_metric_result_per_invocation[0].actual_invocation"
        ".intermediate_data.tool_uses[0]"
    )
    assert first.invocations[0].extra == {"novel": {"a": 1}}
    assert first.lost == ("overall_eval_metric_results of the case", "session_details of the case")
    assert (failed.invocations, failed.eval_set_id) == ((), None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("7", "expected an object"),
        ('{"eval_set_id": "a"}', "no 'eval_case_results'"),
        ('{"eval_case_results": {}}', "expected a list"),
        ('{"eval_case_results": [7]}', "$.eval_case_results[0]: found a number"),
        ('{"eval_case_results": [{}]}', "$.eval_case_results[0]: found no 'eval_id'"),
        ('{"eval_case_results": [{"eval_id": "a", "eval_metric_result_per_invocation": [{}]}]}', "actual_invocation: found null, expected an object"),
        (result(case("a", {**LOOK, "user_content": {"parts": [{"text": 7}]}})), "log.json:6, $.eval_case_results[0].eval_metric_result_per_invocation[0].actual_invocation.user_content.parts[0]: 'text' must be a string"),
        (json.dumps("{"), "log.json:1"),
    ],
)  # fmt: skip
def test_a_broken_result_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "log.json", content)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["eval_id", "evalId", "session_details", "state", "actual_invocation", "eval_metric_result_per_invocation", "user_content", "final_response", "intermediate_data", "parts", "text", "novel"]), inner, max_size=4),
    max_leaves=15,
)  # fmt: skip


@given(json_values | st.fixed_dictionaries({"eval_case_results": st.lists(json_values, max_size=3)}))
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "any.json"
    path.write_text(json.dumps(value))
    try:
        found = list(reader().read(Source(path), ReadOptions()))
    except InputError as error:
        assert "any.json" in str(error)
    else:
        for trajectory in found:
            assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory
