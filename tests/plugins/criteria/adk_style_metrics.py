"""Metric functions as ADK users write them, for ADK's objects or any that have their attributes."""

from __future__ import annotations

import asyncio
import threading
from enum import Enum
from types import SimpleNamespace
from typing import Any

try:
    from google.adk.evaluation.eval_metrics import EvalStatus
    from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult
except ImportError:

    class EvalStatus(Enum):
        PASSED = 1
        FAILED = 2
        NOT_EVALUATED = 3

    EvaluationResult = PerInvocationResult = SimpleNamespace


def response_length(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    """1.0 for every turn whose answer is at most as long as the criterion's own ``limit`` says."""
    limit = eval_metric.criterion.limit
    results = []
    for actual in actual_invocations:
        text = "".join(part.text for part in actual.final_response.parts if part.text)
        score = 1.0 if len(text) <= limit else 0.0
        status = EvalStatus.PASSED if score >= eval_metric.criterion.threshold else EvalStatus.FAILED
        results.append(PerInvocationResult(actual_invocation=actual, score=score, eval_status=status))
    overall = sum(result.score for result in results) / len(results)
    return EvaluationResult(
        overall_score=overall,
        overall_eval_status=EvalStatus.PASSED if overall >= 0.5 else EvalStatus.FAILED,
        per_invocation_results=results,
    )


async def tools_in_order(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    """The share of turns whose tools have the expected names."""
    await asyncio.sleep(0)
    results = []
    for actual, expected in zip(actual_invocations, expected_invocations, strict=True):
        names = [call.name for call in actual.intermediate_data.tool_uses]
        wanted = [call.name for call in expected.intermediate_data.tool_uses]
        results.append(
            PerInvocationResult(
                actual_invocation=actual,
                expected_invocation=expected,
                score=float(names == wanted),
                eval_status=EvalStatus.PASSED if names == wanted else EvalStatus.FAILED,
            )
        )
    return EvaluationResult(
        overall_score=sum(result.score for result in results) / len(results),
        overall_eval_status=EvalStatus.PASSED,
        per_invocation_results=results,
    )


def shown(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    """What the function is given, in the order of its parameters."""
    scenario = conversation_scenario
    raise LookupError(
        [
            eval_metric.metric_name,
            eval_metric.threshold,
            eval_metric.criterion.threshold,
            [turn.user_content.parts[0].text for turn in actual_invocations],
            [[rubric.rubric_id for rubric in turn.rubrics or ()] for turn in actual_invocations],
            None if expected_invocations is None else len(expected_invocations),
            None if scenario is None else scenario.starting_prompt,
        ]
    )


def only_the_first(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    turn = actual_invocations[0]
    return EvaluationResult(
        overall_score=1.0,
        overall_eval_status=EvalStatus.PASSED,
        per_invocation_results=[
            PerInvocationResult(actual_invocation=turn, score=1.0, eval_status=EvalStatus.PASSED)
        ],
    )


def half_evaluated(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    first, *rest = actual_invocations
    return EvaluationResult(
        overall_score=None,
        overall_eval_status=EvalStatus.PASSED,
        per_invocation_results=[
            PerInvocationResult(actual_invocation=first, score=1.0, eval_status=EvalStatus.PASSED),
            *(
                PerInvocationResult(actual_invocation=turn, score=None, eval_status=EvalStatus.NOT_EVALUATED)
                for turn in rest
            ),
        ],
    )


def not_evaluated(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    return EvaluationResult(
        overall_score=None, overall_eval_status=EvalStatus.NOT_EVALUATED, per_invocation_results=[]
    )


def with_rubrics(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    scores = [SimpleNamespace(rubric_id="polite", score=1.0, rationale="It says please.")]
    results = [
        SimpleNamespace(score=1.0, eval_status=EvalStatus.PASSED, rubric_scores=scores)
        for _ in actual_invocations
    ]
    return SimpleNamespace(
        overall_score=None, overall_eval_status=EvalStatus.PASSED, per_invocation_results=results
    )


def a_number(*arguments: Any) -> float:
    return 0.25


def nothing(*arguments: Any) -> None:
    return None


def text_for_a_score(eval_metric, actual_invocations, *rest):
    results = [SimpleNamespace(score="high", eval_status="PASSED") for _ in actual_invocations]
    return SimpleNamespace(overall_score=None, per_invocation_results=results)


def raising(*arguments: Any) -> float:
    raise ZeroDivisionError("no turns")


def exiting(*arguments: Any) -> float:
    raise SystemExit(3)


def stopping(*arguments: Any) -> float:
    raise StopIteration


_meeting = threading.Barrier(2, timeout=120)


def meeting(*arguments: Any) -> float:
    """Returns only where two of it run at the same time."""
    _meeting.wait()
    return 1.0


NOT_CALLABLE = 3
