"""The criteria on tool calls, each as a plan makes it, on cases of several turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudge.model import Content, ConversationScenario, EvalCase, Invocation, Step, ToolCall
from adjudge.plugin import (
    CaseUnderTest,
    InputError,
    Measurement,
    Trajectory,
)
from adjudge.testing import criterion_conformance, manager
from adjudge_plugins.criteria.trajectory import (
    tool_trajectory,
    trajectory_edit_similarity,
    trajectory_f1,
    trajectory_precision,
    trajectory_recall,
    trajectory_single_tool_use,
)

TestToolTrajectory = criterion_conformance("tool_trajectory_avg_score", plugin=tool_trajectory)
TestToolTrajectoryWithOptions = criterion_conformance(
    "tool_trajectory_avg_score",
    plugin=tool_trajectory,
    config={"match_type": "ANY_ORDER", "arguments": {"mode": "subset"}},
)
TestPrecision = criterion_conformance("trajectory_precision", plugin=trajectory_precision)
TestRecall = criterion_conformance("trajectory_recall", plugin=trajectory_recall)
TestF1 = criterion_conformance("trajectory_f1", plugin=trajectory_f1)
TestPartialF1 = criterion_conformance("trajectory_f1", plugin=trajectory_f1, config={"partial_credit": True})
TestEditSimilarity = criterion_conformance("trajectory_edit_similarity", plugin=trajectory_edit_similarity)
TestSingleToolUse = criterion_conformance(
    "trajectory_single_tool_use", plugin=trajectory_single_tool_use, config={"tool_name": "search"}
)

Call = tuple[str, dict[str, Any] | None]
Measure = Callable[..., Measurement]


def turn(*calls: Call) -> Invocation:
    steps = tuple(
        Step(number=number, items=(ToolCall(name=name, args=args),))
        for number, (name, args) in enumerate(calls, start=1)
    )
    return Invocation(user_content=Content.of_text("Go."), steps=steps)


def case(*turns: tuple[list[Call], list[Call]]) -> CaseUnderTest:
    """Expected and actual calls of every turn."""
    return CaseUnderTest(
        case=EvalCase(eval_id="case", conversation=tuple(turn(*expected) for expected, _ in turns)),
        actual=Trajectory(invocations=tuple(turn(*actual) for _, actual in turns)),
    )


def scores(measurement: Measurement) -> list[float | None]:
    assert {outcome.state for outcome in measurement.per_invocation} == {"scored"}
    assert measurement.overall is None
    return [outcome.score for outcome in measurement.per_invocation]


LOOK: Call = ("look", {"room": "hall"})
OFF: Call = ("set", {"room": "hall", "status": "OFF"})
ON: Call = ("set", {"room": "hall", "status": "ON"})
SAY: Call = ("say", None)

CASE = case(
    ([LOOK, OFF], [LOOK, OFF]),
    ([LOOK, OFF], [OFF, LOOK]),
    ([LOOK, OFF], [LOOK, SAY, OFF]),
    ([LOOK, OFF], [LOOK, ON]),
    ([], []),
    ([], [SAY]),
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 0, 0, 0, 1, 0]),
        ({"match_type": "IN_ORDER"}, [1, 0, 1, 0, 1, 1]),
        ({"matchType": "any order"}, [1, 1, 1, 0, 1, 1]),
        ({"match_type": 2, "ignoreArgs": True}, [1, 1, 1, 1, 1, 1]),
        ({"arguments": {"tools": {"set": {"ignore": ["status"]}}}}, [1, 0, 0, 1, 1, 0]),
        ({"arguments": {"regex": {"status": "ON|OFF"}}}, [1, 0, 0, 1, 1, 0]),
    ],
)
def test_a_turn_is_right_or_wrong(measure: Measure, options: dict[str, Any], expected: list[int]) -> None:
    assert scores(measure(tool_trajectory, CASE, **options)) == expected


@pytest.mark.parametrize(
    ("plugin", "options", "expected"),
    [
        (trajectory_precision, {}, [1, 1, 2 / 3, 1 / 2, 1, 0]),
        (trajectory_recall, {}, [1, 1, 1, 1 / 2, 1, 1]),
        (trajectory_f1, {}, [1, 1, 4 / 5, 1 / 2, 1, 0]),
        (trajectory_f1, {"partial_credit": True}, [1, 1, 4 / 5, 3 / 4, 1, 0]),
        (trajectory_f1, {"ignore_args": True}, [1, 1, 4 / 5, 1, 1, 0]),
        (trajectory_edit_similarity, {}, [1, 0, 2 / 3, 1 / 2, 1, 0]),
        (trajectory_edit_similarity, {"partial_credit": True}, [1, 0, 2 / 3, 3 / 4, 1, 0]),
        (trajectory_single_tool_use, {"tool_name": "say"}, [0, 0, 1, 0, 0, 1]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_every_turn_has_its_figure(
    measure: Measure, plugin: Any, options: dict[str, Any], expected: list[float]
) -> None:
    assert scores(measure(plugin, CASE, **options)) == pytest.approx(expected)


def test_a_turn_that_says_nothing_of_tools_expects_none(measure: Measure) -> None:
    silent = Invocation(user_content=Content.of_text("Hi."), form=None)
    quiet, busy = (
        CaseUnderTest(
            case=EvalCase(eval_id="case", conversation=(silent,)), actual=Trajectory(invocations=(actual,))
        )
        for actual in (silent, turn(SAY))
    )
    assert scores(measure(tool_trajectory, quiet)) == [1.0]
    assert scores(measure(tool_trajectory, busy)) == [0.0]
    assert scores(measure(trajectory_recall, busy)) == [1.0]


def test_a_wrong_turn_shows_what_differs_and_a_right_one_only_that_it_is_right(measure: Measure) -> None:
    right, _, _, wrong, *_ = measure(tool_trajectory, CASE).per_invocation
    assert right.details == {"match_type": "EXACT", "matched": 2}
    assert right.reasoning == "2 expected calls matched EXACT."
    assert wrong.reasoning == "1 of 2 expected calls matched EXACT; different arguments: set."
    assert wrong.details["calls"][1] == {
        "expected": {"name": "set", "args": {"room": "hall", "status": "OFF"}},
        "actual": {"name": "set", "args": {"room": "hall", "status": "ON"}},
        "status": "different_args",
        "differences": [{"path": "$.status", "expected": "OFF", "actual": "ON"}],
    }


@pytest.mark.parametrize(
    "plugin", [trajectory_precision, trajectory_recall, trajectory_f1, trajectory_edit_similarity]
)
def test_the_figures_show_the_calls_where_a_turn_differs(measure: Measure, plugin: Any) -> None:
    right, _, longer, *_ = measure(plugin, CASE).per_invocation
    assert "calls" not in right.details
    assert [row["status"] for row in longer.details["calls"]] == ["match", "unexpected", "match"]
    assert longer.reasoning.endswith("unexpected: say.")


def test_partial_credit_is_shown_with_the_call(measure: Measure) -> None:
    _, _, _, wrong, *_ = measure(trajectory_f1, CASE, partial_credit=True).per_invocation
    assert wrong.details["calls"][1]["credit"] == 0.5
    assert wrong.details["calls"][1]["differences"] == [
        {"path": "$.status", "expected": "OFF", "actual": "ON"}
    ]


def test_single_tool_use_says_what_was_called_instead(measure: Measure) -> None:
    outcome = measure(
        trajectory_single_tool_use, case(([], [LOOK, OFF, OFF])), tool_name="pay"
    ).per_invocation[0]
    assert outcome.reasoning == "pay was not called; the turn called look, set."
    outcome = measure(trajectory_single_tool_use, case(([], [OFF, OFF])), tool_name="set").per_invocation[0]
    assert outcome.reasoning == "set was called 2 times."
    assert outcome.details == {"tool_name": "set", "times": 2}


def test_only_single_tool_use_measures_a_conversation_that_nobody_wrote_down(measure: Measure) -> None:
    simulated = CaseUnderTest(
        case=EvalCase(
            eval_id="case",
            conversation_scenario=ConversationScenario(starting_prompt="Go.", conversation_plan="Go on."),
        ),
        actual=Trajectory(invocations=(turn(LOOK),)),
    )
    assert scores(measure(trajectory_single_tool_use, simulated, tool_name="look")) == [1.0]
    assert measure(tool_trajectory, simulated).per_invocation[0].state == "not_applicable"
    modules = (
        tool_trajectory,
        trajectory_precision,
        trajectory_recall,
        trajectory_f1,
        trajectory_edit_similarity,
        trajectory_single_tool_use,
    )
    able = {item.spec.name for item in manager(*modules).criteria if item.spec.simulated_conversations}
    assert able == {"trajectory_single_tool_use"}


@pytest.mark.parametrize(
    ("plugin", "options", "message"),
    [
        (tool_trajectory, {"match_tpye": "EXACT"}, "Did you mean 'match_type'"),
        (tool_trajectory, {"match_type": "EXAKT"}, r"\$\.match_type: .*'EXACT', 'IN_ORDER' or 'ANY_ORDER'"),
        (tool_trajectory, {"arguments": {"ignroe": []}}, r"\$\.arguments: .*Did you mean 'ignore'"),
        (tool_trajectory, {"arguments": {"regex": {"a": "["}}}, "not a regular expression"),
        (tool_trajectory, {"ignore_args": True, "arguments": {"mode": "subset"}}, "set only one"),
        (trajectory_recall, {"partial_credit": True}, "unknown option 'partial_credit'"),
        (trajectory_precision, {"match_type": "EXACT"}, "unknown option 'match_type'"),
        (trajectory_single_tool_use, {}, "tool_name"),
        (trajectory_single_tool_use, {"tool_name": ""}, "tool_name"),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(
    measure: Measure, plugin: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        measure(plugin, CASE, **options)
