"""``custom_metric``: functions that were written for ADK, and what becomes of their results."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.model import Content, ConversationScenario, EvalCase, Invocation, Rubric, Step, ToolCall
from adjudge.plugin import (
    CaseUnderTest,
    InputError,
    Measurement,
    Trajectory,
)
from adjudge.testing import FakeHost, manager
from adjudge_plugins.criteria import custom_metric

METRICS = Path(__file__).parent / "adk_style_metrics.py"


Call = Callable[..., Measurement]


@pytest.fixture(autouse=True)
def _metrics_are_importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The functions lie in the folder from which the user starts; nothing of it stays behind."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / METRICS.name).write_bytes(METRICS.read_bytes())
    yield
    sys.modules.pop(METRICS.stem, None)


@pytest.fixture
def call(measure: Callable[..., Measurement]) -> Call:
    """What a function of the file makes of a conversation; keywords are options."""

    def call(function: str, case: CaseUnderTest, **options: Any) -> Measurement:
        return measure(custom_metric, case, function=f"{METRICS.stem}.{function}", **options)

    return call


def turn(question: str, answer: str, *tools: str, rubric: str | None = None) -> Invocation:
    return Invocation(
        user_content=Content.of_text(question, role="user"),
        steps=(Step(number=1, items=tuple(ToolCall(name=name, args={}) for name in tools)),),
        final_response=Content.of_text(answer, role="model"),
        rubrics=None if rubric is None else (Rubric(rubric_id=rubric, text="It is polite."),),
    )


def two_turns() -> CaseUnderTest:
    expected = (turn("one?", "1", "add", rubric="short"), turn("two?", "2", "add"))
    actual = (turn("one?", "one", "add"), turn("two?", "two, I think", "subtract"))
    return CaseUnderTest(
        case=EvalCase(
            eval_id="case", conversation=expected, rubrics=(Rubric(rubric_id="polite", text="Polite."),)
        ),
        actual=Trajectory(invocations=actual),
    )


def code_of(measurement: Measurement) -> str:
    assert measurement.overall is not None
    assert measurement.overall.error is not None
    return measurement.overall.error.code


def test_a_function_finds_its_options_and_threshold_in_its_criterion(call: Call) -> None:
    found = call("response_length", two_turns(), limit=5, threshold=0.5)

    assert [outcome.score for outcome in found.per_invocation] == [1.0, 0.0]
    assert [outcome.details["eval_status"] for outcome in found.per_invocation] == ["PASSED", "FAILED"]
    assert found.overall is not None
    assert found.overall.score == 0.5


def test_an_asynchronous_function_sees_expected_and_actual_calls(call: Call) -> None:
    found = call("tools_in_order", two_turns())

    assert [outcome.score for outcome in found.per_invocation] == [1.0, 0.0]


def test_a_function_is_told_what_adk_tells_it(call: Call) -> None:
    found = call("shown", two_turns(), metric_name="my_metric", threshold=0.75)

    assert found.overall is not None
    assert found.overall.reasoning is not None
    told = [
        "my_metric",
        None,
        0.75,
        ["one?", "two?"],
        [["polite", "short"], ["polite"]],
        2,
        None,
    ]
    assert repr(told) in found.overall.reasoning


def test_a_simulated_conversation_has_a_scenario_and_expects_nothing(call: Call) -> None:
    scenario = ConversationScenario(starting_prompt="hello", conversation_plan="ask")
    case = CaseUnderTest(
        case=EvalCase(eval_id="case", conversation_scenario=scenario),
        actual=Trajectory(invocations=(turn("hello", "hi"),)),
    )

    found = call("shown", case)

    assert found.overall is not None
    assert "['shown', None, None, ['hello'], [[]], None, 'hello']" in str(found.overall.reasoning)


def test_a_turn_that_was_not_evaluated_is_an_error(call: Call) -> None:
    found = call("half_evaluated", two_turns())

    assert found.overall is None
    assert [outcome.state for outcome in found.per_invocation] == ["scored", "error"]


def test_scores_of_rubrics_are_kept(call: Call) -> None:
    found = call("with_rubrics", two_turns())

    outcome = found.per_invocation[0]
    assert outcome.details["rubric_scores"] == [
        {"rubric_id": "polite", "score": 1.0, "rationale": "It says please."}
    ]
    assert outcome.reasoning == "polite: It says please."


def test_a_bare_number_is_the_score_of_the_case(call: Call) -> None:
    found = call("a_number", two_turns())

    assert found.overall is not None
    assert found.overall.score == 0.25


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        ("only_the_first", "wrong_number_of_results", "1 results for 2 turns"),
        ("not_evaluated", "not_evaluated", "without an evaluation"),
        ("nothing", "not_a_result", "NoneType"),
        ("raising", "metric_raised", "ZeroDivisionError: no turns"),
        ("exiting", "metric_raised", "SystemExit: 3"),
        ("stopping", "metric_raised", "StopIteration"),
        ("text_for_a_score", "metric_raised", "a score must be a number, found 'high'"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_names_the_function(
    call: Call, function: str, code: str, words: str
) -> None:
    found = call(function, two_turns())

    assert code_of(found) == code
    assert found.overall is not None
    assert words in str(found.overall.reasoning)
    assert f"{METRICS.stem}.{function}" in str(found.overall.reasoning)


def test_a_blocking_function_blocks_nobody(tmp_path: Path) -> None:
    [registered] = manager(custom_metric).criteria
    config = registered.spec.config.model_validate({"function": f"{METRICS.stem}.meeting"})
    criterion = registered.spec.factory(config, FakeHost(tmp_path))

    async def both() -> list[Measurement]:
        return list(await asyncio.gather(*(criterion.score(two_turns()) for _ in range(2))))

    assert [found.overall and found.overall.score for found in asyncio.run(both())] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("a_number", "package.module.function"),
        ("no_such_module.a_number", "No module named 'no_such_module'"),
        ("adk_style_metrics.a_numbr", "Did you mean 'a_number'?"),
        ("adk_style_metrics.NOT_CALLABLE", "not a function but int"),
        ("leaves_at_once.a_number", "raised SystemExit"),
    ],
)
def test_a_function_that_cannot_be_found_stops_the_plan(function: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "leaves_at_once.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    [registered] = manager(custom_metric).criteria

    with pytest.raises(InputError) as caught:
        registered.spec.factory(
            registered.spec.config.model_validate({"function": function}), FakeHost(tmp_path)
        )

    assert words in str(caught.value)
    assert repr(function) in str(caught.value)


UNDER_ADK = """
import asyncio, json, sys
from pathlib import Path
folder, *others = sys.argv[1:]
sys.path += others  # after what google-adk brings
from adjudge.plugin import CaseUnderTest
from adjudge.testing import FakeHost, manager
from adjudge_plugins.criteria import custom_metric
[registered] = manager(custom_metric).criteria
case = CaseUnderTest.model_validate_json(sys.stdin.read())
for options in (
    {"function": "adk_style_metrics.response_length", "limit": 5, "threshold": 0.5},
    {"function": "adk_style_metrics.tools_in_order"},
    {"function": "adk_style_metrics.shown", "metric_name": "m", "threshold": 0.5},
):
    config = registered.spec.config.model_validate(options)
    found = asyncio.run(registered.spec.factory(config, FakeHost(Path(folder))).score(case))
    import adk_style_metrics
    assert adk_style_metrics.EvaluationResult.__module__ == "google.adk.evaluation.evaluator"
    print(found.model_dump_json())
"""


def test_functions_get_the_objects_of_google_adk_where_it_is_installed(tmp_path: Path) -> None:
    python = os.environ.get("ADJUDGE_ADK_PYTHON")
    if not python:
        pytest.skip("ADJUDGE_ADK_PYTHON names no interpreter that has google-adk")
    pluggy = importlib.util.find_spec("pluggy")
    assert pluggy is not None
    assert pluggy.origin is not None
    roots = [
        Path(adjudge.__file__).parents[1],
        Path(custom_metric.__file__).parents[3],
        Path(pluggy.origin).parents[1],
    ]
    done = subprocess.run(
        [python, "-c", UNDER_ADK, str(tmp_path), *map(str, roots)],
        input=two_turns().model_dump_json(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    length, tools, shown = (json.loads(line) for line in done.stdout.splitlines())

    assert [outcome["score"] for outcome in length["per_invocation"]] == [1.0, 0.0]
    assert length["overall"]["score"] == 0.5
    assert [outcome["score"] for outcome in tools["per_invocation"]] == [1.0, 0.0]
    assert (
        "['m', None, 0.5, ['one?', 'two?'], [['polite', 'short'], ['polite']], 2, None]"
        in (shown["overall"]["reasoning"])
    )
