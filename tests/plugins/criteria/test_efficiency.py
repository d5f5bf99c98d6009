"""The four efficiency figures: calls, model calls, tokens and seconds per turn."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from adjudge.model import Content, ConversationScenario, EvalCase, Invocation, Step, ToolCall, Usage
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Trajectory,
)
from adjudge.testing import manager
from adjudge_plugins.criteria.usage import (
    inference_call_count,
    invocation_duration,
    token_usage,
    tool_call_count,
)

NAMES = {
    tool_call_count: "tool_call_count_v1",
    inference_call_count: "inference_call_count_v1",
    token_usage: "token_usage_v1",
    invocation_duration: "invocation_duration_v1",
}


Measure = Callable[..., Measurement]


def turn(*steps: dict[str, Any], **figures: float) -> Invocation:
    return Invocation(
        user_content=Content.of_text("?"),
        steps=tuple(Step(number=number, **step) for number, step in enumerate(steps, start=1)),
        **figures,
    )


def simulated(*turns: Invocation) -> CaseUnderTest:
    scenario = ConversationScenario(starting_prompt="hi", conversation_plan="ask")
    return CaseUnderTest(
        case=EvalCase(eval_id="case", conversation_scenario=scenario), actual=Trajectory(invocations=turns)
    )


def scores(measurement: Measurement) -> list[float | None]:
    return [outcome.score for outcome in measurement.per_invocation]


@pytest.mark.parametrize("plugin", NAMES, ids=NAMES.get)
def test_a_figure_has_the_name_of_adk_and_gates_only_where_asked(plugin: ModuleType) -> None:
    [registered] = manager(plugin).criteria

    assert registered.spec.name == NAMES[plugin]
    assert registered.spec.lower_is_better
    assert registered.spec.default_threshold is None
    assert registered.spec.simulated_conversations
    assert registered.spec.problems() == []


def test_tool_calls_are_counted_per_turn_and_tool(measure: Measure) -> None:
    roll, check = ToolCall(name="roll_die"), ToolCall(name="check_prime")
    found = measure(tool_call_count, simulated(turn({"items": (roll, roll)}, {"items": (check,)}), turn()))

    assert scores(found) == [3.0, 0.0]
    assert found.per_invocation[0].details == {"tools": {"roll_die": 2, "check_prime": 1}}


def test_model_calls_are_the_steps_that_report_a_model_or_tokens(measure: Measure) -> None:
    known = turn({"model": "m-1"}, {"usage": Usage(total_tokens=3)}, {"model": "m-1", "usage": Usage()}, {})
    found = measure(inference_call_count, simulated(known, turn({})))

    assert scores(found) == [3.0, None]
    assert found.per_invocation[0].details == {"models": {"m-1": 2}}
    assert found.per_invocation[1].state == "not_applicable"


def test_tokens_are_summed_with_their_kinds(measure: Measure) -> None:
    first = Usage(input_tokens=10, output_tokens=5, total_tokens=18, reasoning_tokens=3)
    second = Usage(input_tokens=20, output_tokens=1, cached_tokens=8)
    found = measure(token_usage, simulated(turn({"usage": first}, {"usage": second}, {})))

    assert scores(found) == [18.0 + 21.0]
    assert found.per_invocation[0].details == {
        "total_tokens": 39,
        "input_tokens": 30,
        "output_tokens": 6,
        "cached_tokens": 8,
        "reasoning_tokens": 3,
    }


def test_tokens_that_nobody_reports_are_not_zero(measure: Measure) -> None:
    found = measure(
        token_usage, simulated(turn({"usage": Usage()}), turn({}), turn({"usage": Usage(total_tokens=0)}))
    )

    assert [outcome.state for outcome in found.per_invocation] == [
        "not_applicable",
        "not_applicable",
        "scored",
    ]
    assert scores(found) == [None, None, 0.0]


def test_seconds_are_split_into_model_tools_and_framework(measure: Measure) -> None:
    found = measure(
        invocation_duration,
        simulated(
            turn(duration=2.0, model_duration=1.25, tool_duration=0.5),
            turn(duration=1.0, model_duration=0.75, tool_duration=0.5),
            turn(duration=1.0, model_duration=0.5),
            turn(),
        ),
    )

    assert scores(found) == [2.0, 1.0, 1.0, None]
    assert [outcome.details for outcome in found.per_invocation] == [
        {"model_seconds": 1.25, "tool_seconds": 0.5, "framework_seconds": 0.25},
        {"model_seconds": 0.75, "tool_seconds": 0.5, "framework_seconds": 0.0},
        {"model_seconds": 0.5},
        {},
    ]
