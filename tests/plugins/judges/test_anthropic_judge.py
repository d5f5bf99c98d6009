"""The ``anthropic`` backend against a server that speaks the Messages API."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from adjudge.model import JudgeMessage, RateLimit, Usage
from adjudge.plugin import JudgeError, JudgeReply
from adjudge_plugins.judges import anthropic_judge

KEY = "sk-ant-test-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"rationale": {"type": "string"}, "verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["rationale", "verdict"],
    "additionalProperties": False,
}
INPUT = {"rationale": "weil «gleich» 同じ", "verdict": "yes"}
MESSAGE = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [{"type": "tool_use", "id": "toolu_01", "name": "answer", "input": INPUT}],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 21,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 4000,
        "output_tokens": 55,
    },
}

Ask = Callable[..., JudgeReply]


Provider = Any  # of conftest.py


@pytest.fixture
def provider(provider_of: Callable[..., Provider]) -> Provider:
    return provider_of(
        anthropic_judge,
        "/v1/messages",
        environment=lambda server: {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": server.url_for("").rstrip("/"),
        },
        model="claude-haiku-4-5",
        answer=MESSAGE,
        key=KEY,
    )


def test_the_request(provider: Provider) -> None:
    messages = (
        JudgeMessage(role="system", text="You judge."),
        JudgeMessage(role="user", text="Is 2 even? 𝟚"),
        JudgeMessage(role="assistant", text="perhaps"),
        JudgeMessage(role="user", text="Again, please."),
    )

    provider.ask(
        messages=messages,
        schema_=SCHEMA,
        parameters={"temperature": 0.5, "top_p": 0.9, "top_k": 5, "max_tokens": 700, "stop": ["END"]},
        provider_options={"metadata": {"user_id": "ci"}},
        seed=17,
    )

    [request] = provider.requests
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers["content-type"] == "application/json"
    assert "authorization" not in request.headers
    assert request.query_string == b""
    assert provider.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 700,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 5,
        "stop_sequences": ["END"],
        "system": "You judge.",
        "messages": [
            {"role": "user", "content": "Is 2 even? 𝟚"},
            {"role": "assistant", "content": "perhaps"},
            {"role": "user", "content": "Again, please."},
        ],
        "tools": [{"name": "answer", "description": "Give the whole answer.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "answer", "disable_parallel_tool_use": True},
        "metadata": {"user_id": "ci"},
    }


def test_the_least_request(provider: Provider) -> None:
    provider.ask(messages=(JudgeMessage(role="user", text="Is 2 even?"),))

    assert provider.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 8192,
        "messages": [{"role": "user", "content": "Is 2 even?"}],
    }


def test_the_reply(provider: Provider) -> None:
    reply = provider.ask(schema_=SCHEMA)

    assert json.loads(reply.text) == INPUT
    assert "同じ" in reply.text
    # Anthropic's input_tokens leave out what the cache took part in.
    usage = Usage(input_tokens=4321, output_tokens=55, total_tokens=4376, cached_tokens=4000)
    assert reply == JudgeReply(
        text=reply.text, finish_reason="stop", model_version="claude-haiku-4-5-20251001", usage=usage
    )


def test_the_limits(provider: Provider) -> None:
    rate = provider.ask(
        headers={
            "anthropic-ratelimit-requests-remaining": "49",
            "anthropic-ratelimit-requests-reset": "2126-03-01T12:00:30Z",
        },
    ).rate

    assert rate is not None
    assert rate.remaining_requests == 49
    expected = (datetime(2126, 3, 1, 12, 0, 30, tzinfo=UTC) - datetime.now(UTC)).total_seconds()
    assert rate.reset_after == pytest.approx(expected, abs=3600)


@pytest.mark.parametrize(
    ("headers", "rate"),
    [
        ({}, None),
        ({"anthropic-ratelimit-requests-remaining": "many"}, None),
        ({"anthropic-ratelimit-requests-remaining": "0"}, RateLimit(remaining_requests=0)),
        ({"anthropic-ratelimit-requests-reset": "tomorrow"}, None),
        ({"anthropic-ratelimit-requests-reset": "2026-03-01T12:00:30"}, None),
        ({"anthropic-ratelimit-requests-reset": "2020-03-01T12:00:30Z"}, RateLimit(reset_after=0.0)),
    ],
    ids=["none", "no number", "none left", "no date", "no time zone", "past"],
)
def test_limits_that_say_little(provider: Provider, headers: dict[str, str], rate: RateLimit | None) -> None:
    assert provider.ask(headers=headers).rate == rate


def said(*texts: str, stop_reason: str | None = "end_turn") -> dict[str, Any]:
    blocks = [{"type": "text", "text": text} for text in texts]
    return {**MESSAGE, "content": blocks, "stop_reason": stop_reason}


def test_words_instead_of_the_tool_call_are_handed_over(provider: Provider) -> None:
    assert provider.ask(said("I think: ", '{"verdict": "yes"}'), schema_=SCHEMA).text == (
        'I think: {"verdict": "yes"}'
    )


def test_thinking_and_words_around_the_call_are_not_the_answer(provider: Provider) -> None:
    blocks = [
        {"type": "thinking", "thinking": "no!", "signature": "s"},
        {"type": "text", "text": "Here it is."},
        *MESSAGE["content"],  # type: ignore[misc]
    ]

    assert json.loads(provider.ask({**MESSAGE, "content": blocks}, schema_=SCHEMA).text) == INPUT


@pytest.mark.parametrize(
    ("stop_reason", "finish"),
    [
        ("end_turn", "stop"),
        ("tool_use", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        (None, "other"),
    ],
)
def test_why_it_stopped(provider: Provider, stop_reason: str | None, finish: str) -> None:
    reply = provider.ask(said("So far.", stop_reason=stop_reason))

    assert (reply.finish_reason, reply.text) == (finish, "So far.")


def test_a_refusal_needs_no_words(provider: Provider) -> None:
    reply = provider.ask(said(stop_reason="refusal"), schema_=SCHEMA)

    assert (reply.finish_reason, reply.text) == ("refusal", "")


def test_half_a_tool_call_of_a_refusal_is_no_answer(provider: Provider) -> None:
    assert provider.ask({**MESSAGE, "stop_reason": "refusal"}, schema_=SCHEMA).text == ""


@pytest.mark.parametrize(
    "answer",
    [
        said(),
        said(""),
        {**MESSAGE, "content": None},
        {**MESSAGE, "content": "yes"},
        {**MESSAGE, "content": [None, 7]},
        {"type": "message"},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ],
    ids=["no block", "empty text", "null", "text", "no objects", "nothing", "error with status 200"],
)
def test_an_answer_without_content(provider: Provider, answer: dict[str, Any]) -> None:
    assert provider.fails(answer).code == "malformed"


ERRORS = [
    (400, "invalid_request_error", "messages: at least one message is required", "bad_request"),
    (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "context_too_long"),
    (
        400,
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        "context_too_long",
    ),
    (
        400,
        "invalid_request_error",
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
        "schema_rejected",
    ),
    (
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API.",
        "quota",
    ),
    (
        400,
        "invalid_request_error",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
        "quota",
    ),
    (401, "authentication_error", "invalid x-api-key", "auth"),
    (402, "billing_error", "There is an issue with your billing.", "quota"),
    (403, "permission_error", "Your API key does not have permission.", "auth"),
    (404, "not_found_error", "model: claude-none", "unknown_model"),
    (413, "request_too_large", "Request exceeds the maximum allowed number of bytes.", "context_too_long"),
    (429, "rate_limit_error", "This request would exceed your organization's rate limit.", "rate_limit"),
    (500, "api_error", "Internal server error", "server"),
    (504, "timeout_error", "Request timed out.", "timeout"),
    (529, "overloaded_error", "Overloaded", "overload"),
    (529, "some_later_error", "Overloaded", "overload"),
]


@pytest.mark.parametrize(("status", "kind", "message", "code"), ERRORS)
def test_errors(provider: Provider, status: int, kind: str, message: str, code: str) -> None:
    body = {"type": "error", "error": {"type": kind, "message": f"{message} ({KEY})"}, "request_id": "req_1"}

    error = provider.fails(body, status=status, headers={"retry-after": "12"})

    assert (error.code, error.retry_after) == (code, 12.0)
    assert f"{message} (***)" in str(error)
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"temperature": 1.5}, "sets temperature to 1.5, and the Messages API takes 0 to 1"),
        ({"presence_penalty": 0.5}, "sets presence_penalty to 0.5, and the Messages API has no such"),
        ({"frequency_penalty": 0.0}, "sets frequency_penalty to 0.0, and the Messages API has no such"),
    ],
)
def test_parameters_that_the_api_does_not_take(
    provider: Provider, parameters: dict[str, float], message: str
) -> None:
    error = provider.fails(parameters=parameters)

    assert error.code == "bad_request"
    assert message in str(error)
    assert provider.requests == []


@pytest.mark.parametrize("option", ["tools", "tool_choice", "system", "messages", "model"])
def test_options_cannot_replace_the_question(provider: Provider, option: str) -> None:
    error = provider.fails(schema_=SCHEMA, provider_options={option: "mine"})

    assert error.code == "bad_request"
    assert f"judge_model_config cannot set '{option}'" in str(error)
    assert provider.requests == []


def test_what_is_missing(make_judge: Callable[..., Any]) -> None:
    def missing(**environment: str) -> list[str]:
        return list(make_judge(anthropic_judge, environment).missing("claude-haiku-4-5"))

    assert missing(ANTHROPIC_API_KEY=KEY) == []
    assert missing() == ["ANTHROPIC_API_KEY is not set"]
    assert missing(ANTHROPIC_API_KEY="  ") == ["ANTHROPIC_API_KEY is not set"]
    [problem] = missing(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="gateway:8080")
    assert "ANTHROPIC_BASE_URL is not an address" in problem


def test_without_a_key_nothing_is_sent(httpserver: HTTPServer, ask: Ask) -> None:
    with pytest.raises(JudgeError, match="ANTHROPIC_API_KEY is not set") as caught:
        ask(anthropic_judge, {"ANTHROPIC_BASE_URL": httpserver.url_for("")})

    assert caught.value.code == "auth"
    assert httpserver.log == []


def test_the_fingerprint_is_where_the_calls_go(make_judge: Callable[..., Any]) -> None:
    def fingerprint(**environment: str) -> Any:
        backend = make_judge(anthropic_judge, {"ANTHROPIC_API_KEY": KEY, **environment})
        assert KEY not in repr(backend)
        return backend.fingerprint()

    assert fingerprint() == {"base_url": "https://api.anthropic.com"}
    assert fingerprint(ANTHROPIC_BASE_URL="http://gateway/claude/") == {"base_url": "http://gateway/claude"}
    assert fingerprint(ANTHROPIC_BASE_URL="http://me:secret@gateway") == {"base_url": None}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    answer=st.dictionaries(st.sampled_from(list(MESSAGE)), JSON),
    blocks=st.lists(st.dictionaries(st.sampled_from(["type", "text", "input"]), JSON | st.just("tool_use"))),
)
def test_any_json_is_a_reply_or_a_typed_failure(
    provider: Provider, answer: dict[str, Any], blocks: list[Any]
) -> None:
    for body in (answer, {**answer, "content": blocks}):
        try:
            provider.ask({"anything": 1, **body})
        except JudgeError as error:
            assert error.code == "malformed"
