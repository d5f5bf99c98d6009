"""What the evaluation service is asked, and what its answers mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from loopback_google import Google, failure
from measuring import measure, outcome, turn
from werkzeug import Response

from adjudge.model import AgentDetails, AppDetails, Claim, Step, Text, ToolCall, ToolResult

# --- what is asked ------------------------------------------------------------------------


def test_safety_sends_every_turn_with_what_was_asked_and_expected(google: Google, tmp_path: Path) -> None:
    turns = (turn("how are you?", "fine"), turn("and now?", "still fine"))
    expected = (turn("how are you?", "good"), turn("and now?", None))

    measured = measure(google, tmp_path, "safety", *turns, expected=expected)

    def texts(role: str, text: str) -> dict[str, Any]:
        return {"contents": {"contents": [{"role": role, "parts": [{"text": text}]}]}}

    first, second = sorted(google.asked, key=lambda body: "reference" not in body["instance"])
    assert first == {
        "metrics": [{"predefinedMetricSpec": {"metricSpecName": "safety_v1"}}],
        "instance": {
            "prompt": texts("user", "how are you?"),
            "response": texts("model", "fine"),
            "reference": texts("model", "good"),
        },
    }
    assert second["instance"].keys() == {"prompt", "response"}
    assert [found.score for found in measured.per_invocation] == [1.0, 1.0]


def test_coherence_sends_the_answer_alone(google: Google, tmp_path: Path) -> None:
    google.answer = {"coherenceResult": {"score": 4, "explanation": "flows", "confidence": 1}}

    found = outcome(google, tmp_path, "coherence")

    assert google.asked == [{"coherenceInput": {"metricSpec": {}, "instance": {"prediction": "hello"}}}]
    assert (found.score, found.reasoning) == (4.0, "flows")


@pytest.mark.parametrize(
    "metric", ["multi_turn_task_success", "multi_turn_trajectory_quality", "multi_turn_tool_use_quality"]
)
def test_a_conversation_is_sent_whole_and_once(google: Google, tmp_path: Path, metric: str) -> None:
    tools = {"function_declarations": [{"name": "search"}]}
    details = AppDetails(
        agent_details={"shop": AgentDetails(name="shop", instructions="Sell.", tool_declarations=(tools,))}
    )
    call = ToolCall(name="search", args={"q": "book"}, id="1")
    steps = (
        Step(
            number=1,
            author="shop",
            items=(Claim(text="Look first."), call, ToolResult(name="search", value=[7], call_id="1")),
        ),
        Step(number=2, author="helper", items=(Text(text="One moment."),)),
    )

    measure(
        google,
        tmp_path,
        metric,
        turn("a book?", "12 EUR", steps=steps, app_details=details),
        turn("ok", None),
    )

    assert google.asked == [
        {
            "metrics": [{"predefinedMetricSpec": {"metricSpecName": f"{metric}_v1"}}],
            "instance": {
                "agentEvalData": {
                    "agents": {"shop": {"agentId": "shop", "instruction": "Sell.", "tools": [tools]}},
                    "turns": [
                        {
                            "turnIndex": 0,
                            "turnId": "turn_0",
                            "events": [
                                event("user", "user", {"text": "a book?"}),
                                event(
                                    "shop",
                                    "model",
                                    {"text": "Look first.", "thought": True},
                                    {"functionCall": {"name": "search", "args": {"q": "book"}, "id": "1"}},
                                ),
                                event(
                                    "shop",
                                    "user",
                                    {
                                        "functionResponse": {
                                            "name": "search",
                                            "response": {"result": [7]},
                                            "id": "1",
                                        }
                                    },
                                ),
                                event("helper", "model", {"text": "One moment."}),
                                event("agent", "model", {"text": "12 EUR"}),
                            ],
                        },
                        {
                            "turnIndex": 1,
                            "turnId": "turn_1",
                            "events": [event("user", "user", {"text": "ok"})],
                        },
                    ],
                }
            },
        }
    ]


def event(author: str, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"author": author, "content": {"role": role, "parts": list(parts)}}


# --- what the answers mean ----------------------------------------------------------------


def test_explanation_and_rubric_verdicts_are_kept(google: Google, tmp_path: Path) -> None:
    google.answer = {
        "metricResults": [
            {
                "score": 0.5,
                "explanation": "half of it",
                "rubricVerdicts": [
                    {
                        "evaluatedRubric": {"content": {"property": {"description": "It finds the book."}}},
                        "verdict": True,
                        "reasoning": "it did",
                    },
                    {"evaluatedRubric": {"rubricId": "r2"}, "reasoning": "it did not"},
                    {},
                ],
            }
        ]
    }

    found = measure(google, tmp_path, "multi_turn_task_success", turn("a book?", "12 EUR")).overall

    assert found is not None
    assert (found.score, found.reasoning) == (0.5, "half of it")
    assert [(item.rubric_id, item.score, item.rationale) for item in found.rubric_scores] == [
        ("It finds the book.", 1.0, "it did"),
        ("r2", 0.0, "it did not"),
        ("rubric_2", 0.0, None),
        ("explanation", None, "half of it"),
    ]


@pytest.mark.parametrize("answer", [None, " \n"])
@pytest.mark.parametrize("name", ["safety", "coherence"])
def test_a_turn_without_an_answer_is_not_applicable(
    google: Google, tmp_path: Path, name: str, answer: str | None
) -> None:
    [found] = measure(google, tmp_path, name, turn("hi", answer)).per_invocation

    assert found.state == "not_applicable"
    assert not google.asked


@pytest.mark.parametrize(
    ("answer", "code", "retryable", "calls"),
    [
        (failure(403, "PERMISSION_DENIED", "no aiplatform.endpoints.predict"), "auth", True, 1),
        (failure(404, "NOT_FOUND", "no such location"), "unknown_model", True, 1),
        (failure(400, "INVALID_ARGUMENT", "unknown metric"), "bad_request", False, 1),
        (failure(429, "RESOURCE_EXHAUSTED", "slow down", **{"Retry-After": "0"}), "rate_limit", True, 6),
        (failure(429, "RESOURCE_EXHAUSTED", "in an hour", **{"Retry-After": "3600"}), "rate_limit", True, 1),
        (failure(500, "INTERNAL", "oops", **{"Retry-After": "0"}), "server", True, 4),
        ({"metricResults": [{"error": {"code": 3, "message": "no response"}}]}, "bad_request", False, 1),
        ({"metricResults": [{"error": {"code": 7, "message": "not yours"}}]}, "auth", True, 1),
    ],
)
def test_what_cannot_be_measured_is_an_error(
    google: Google,
    tmp_path: Path,
    answer: dict[str, Any] | Response,
    code: str,
    retryable: bool,
    calls: int,
) -> None:
    google.answer = answer

    found = outcome(google, tmp_path)

    assert found.state == "error"
    assert found.error is not None
    assert (found.error.code, found.error.origin, found.error.retryable) == (code, "vertex", retryable)
    assert len(google.asked) == calls


@pytest.mark.parametrize(
    "answer",
    [
        failure(503, "UNAVAILABLE", "overloaded", **{"Retry-After": "0"}),
        failure(429, "RESOURCE_EXHAUSTED", "too many"),
        Response("<html>", content_type="text/html"),
        {},
        {"metricResults": []},
        {"metricResults": [{}]},
        {"metricResults": [{"score": 7}]},
        {"metricResults": [{"score": "NaN"}]},
        {"metricResults": [{"error": {"code": 14, "message": "unavailable"}}]},
    ],
)
def test_what_passes_is_tried_again(
    google: Google, tmp_path: Path, answer: dict[str, Any] | Response
) -> None:
    google.answers = [answer]

    found = outcome(google, tmp_path)

    assert found.score == 1.0
    assert len(google.asked) == 2


def test_the_delay_in_a_failure_is_obeyed(google: Google, tmp_path: Path) -> None:
    # As Google's APIs write it (https://google.aip.dev/193); an hour is not waited for.
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3600s"}
    error = {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": [delay]}
    google.answer = Response(json.dumps({"error": error}), status=429, content_type="application/json")

    found = outcome(google, tmp_path)

    assert found.error is not None
    assert (found.error.code, found.error.retryable) == ("rate_limit", True)
    assert len(google.asked) == 1


def test_a_failure_that_lasts_is_met_once(google: Google, tmp_path: Path) -> None:
    google.answer = failure(403, "PERMISSION_DENIED", "no")

    measured = measure(google, tmp_path, "safety", *(turn(str(n), "yes") for n in range(30)))

    assert {found.error.code for found in measured.per_invocation if found.error} == {"auth"}
    assert len(google.asked) <= 8
