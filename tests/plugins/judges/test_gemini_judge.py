"""The ``gemini`` backend against a server that speaks ``generateContent``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.model import JudgeMessage, Usage
from adjudge.plugin import JudgeError, JudgeReply
from adjudge_plugins.judges import gemini_judge

KEY = "AIza-test-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {
        "item_1": {
            "type": "object",
            "properties": {
                "rationale": {"type": "string"},
                "verdict": {"type": "string", "enum": ["yes", "no"]},
            },
            "required": ["rationale", "verdict"],
            "additionalProperties": False,
        },
        "all": {
            "type": "array",
            "items": {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}},
        },
    },
    "required": ["item_1", "all"],
    "additionalProperties": False,
}
CANDIDATE = {
    "content": {"parts": [{"text": '{"verdict": "yes"}'}], "role": "model"},
    "finishReason": "STOP",
    "index": 0,
}
ANSWER = {
    "candidates": [CANDIDATE],
    "usageMetadata": {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 40,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 300,
        "totalTokenCount": 420,
    },
    "modelVersion": "gemini-2.5-flash-preview-09",
}

Ask = Callable[..., JudgeReply]


Provider = Any  # of conftest.py


@pytest.fixture
def provider(provider_of: Callable[..., Provider]) -> Provider:
    return provider_of(
        gemini_judge,
        re.compile("/v1beta/.*"),
        environment=lambda server: {
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": server.url_for("").rstrip("/"),
        },
        model="gemini-2.5-flash",
        answer=ANSWER,
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
        parameters={
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 5,
            "max_tokens": 700,
            "stop": ["END"],
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
        },
        seed=17,
    )

    [request] = provider.requests
    assert request.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert request.query_string == b""
    assert request.headers["x-goog-api-key"] == KEY
    ordered = {
        **SCHEMA,
        "properties": {
            "item_1": {**SCHEMA["properties"]["item_1"], "propertyOrdering": ["rationale", "verdict"]},  # type: ignore[index]
            "all": {
                "type": "array",
                "items": {**SCHEMA["properties"]["all"]["items"], "propertyOrdering": ["z", "a"]},  # type: ignore[index]
            },
        },
        "propertyOrdering": ["item_1", "all"],
    }
    assert provider.body == {
        "systemInstruction": {"parts": [{"text": "You judge."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Is 2 even? 𝟚"}]},
            {"role": "model", "parts": [{"text": "perhaps"}]},
            {"role": "user", "parts": [{"text": "Again, please."}]},
        ],
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 5,
            "maxOutputTokens": 700,
            "stopSequences": ["END"],
            "presencePenalty": 0.1,
            "frequencyPenalty": 0.2,
            "seed": 17,
            "responseMimeType": "application/json",
            "responseJsonSchema": ordered,
        },
    }


def test_the_least_request(provider: Provider) -> None:
    provider.ask(messages=(JudgeMessage(role="user", text="Is 2 even?"),))

    assert provider.body == {"contents": [{"role": "user", "parts": [{"text": "Is 2 even?"}]}]}


@pytest.mark.parametrize("model", ["gemma-3-27b-it", "models/gemma-3n-e4b-it"])
def test_gemma_3_takes_neither_a_system_instruction_nor_a_schema(provider: Provider, model: str) -> None:
    provider.ask(model=model, schema_=SCHEMA, parameters={"temperature": 0.5})

    assert provider.body == {
        "contents": [
            {"role": "user", "parts": [{"text": "You judge."}]},
            {"role": "user", "parts": [{"text": "Is 2 even?"}]},
        ],
        "generationConfig": {"temperature": 0.5},
    }


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("models/gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("tunedModels/mine-1", "/v1beta/tunedModels/mine-1:generateContent"),
        ("../../v1/x?key=1", "/v1beta/models/../../v1/x?key=1:generateContent"),
    ],
)
def test_the_model_is_one_part_of_the_path(provider: Provider, model: str, path: str) -> None:
    provider.ask(model=model)

    [request] = provider.requests
    assert (request.path, request.query_string) == (path, b"")


SAFETY = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]


@pytest.mark.parametrize(
    "options",
    [
        {"safety_settings": SAFETY, "thinking_config": {"thinking_budget": 0}, "response_logprobs": True},
        {"safetySettings": SAFETY, "thinkingConfig": {"thinking_budget": 0}, "responseLogprobs": True},
    ],
    ids=["as ADK writes them", "as REST writes them"],
)
def test_options_go_where_the_api_has_them(provider: Provider, options: dict[str, Any]) -> None:
    provider.ask(provider_options={**options, "labels": {"my_team": "qa"}, "service_tier": "flex"})

    body = provider.body
    assert body["safetySettings"] == SAFETY
    assert body["labels"] == {"my_team": "qa"}
    assert body["serviceTier"] == "flex"
    assert body["generationConfig"] == {"thinkingConfig": {"thinking_budget": 0}, "responseLogprobs": True}


@pytest.mark.parametrize(
    "option", ["contents", "system_instruction", "generationConfig", "response_json_schema"]
)
def test_options_cannot_replace_the_question(provider: Provider, option: str) -> None:
    error = provider.fails(schema_=SCHEMA, provider_options={option: "mine"})

    assert error.code == "bad_request"
    assert "judge_model_config cannot set" in str(error)
    assert provider.requests == []


def test_the_reply(provider: Provider) -> None:
    assert provider.ask(schema_=SCHEMA) == JudgeReply(
        text='{"verdict": "yes"}',
        finish_reason="stop",
        model_version="gemini-2.5-flash-preview-09",
        # What the model thought is billed as output, and not among the candidates' tokens.
        usage=Usage(
            input_tokens=100, output_tokens=320, total_tokens=420, cached_tokens=40, reasoning_tokens=300
        ),
    )


def with_candidate(**changes: Any) -> dict[str, Any]:
    return {**ANSWER, "candidates": [{**CANDIDATE, **changes}]}


def test_thoughts_are_not_the_answer(provider: Provider) -> None:
    parts = [{"text": "no, wait", "thought": True}, {"text": '{"verdict":'}, {"text": ' "yes"}'}]

    assert provider.ask(with_candidate(content={"parts": parts})).text == '{"verdict": "yes"}'


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "safety"),
        ("BLOCKLIST", "safety"),
        ("PROHIBITED_CONTENT", "safety"),
        ("SPII", "safety"),
        ("IMAGE_SAFETY", "safety"),
        ("RECITATION", "other"),
        ("LANGUAGE", "other"),
        ("MALFORMED_FUNCTION_CALL", "other"),
        (None, "other"),
    ],
)
def test_why_it_stopped(provider: Provider, reason: str | None, finish: str) -> None:
    assert provider.ask(with_candidate(finishReason=reason)).finish_reason == finish


@pytest.mark.parametrize(
    ("reason", "finish"), [("SAFETY", "safety"), ("MAX_TOKENS", "length"), ("RECITATION", "other")]
)
def test_a_candidate_that_was_stopped_before_its_first_word(
    provider: Provider, reason: str, finish: str
) -> None:
    for candidate in ({"finishReason": reason}, {"finishReason": reason, "content": {"role": "model"}}):
        reply = provider.ask({**ANSWER, "candidates": [candidate]})

        assert (reply.finish_reason, reply.text) == (finish, "")


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "OTHER"])
@pytest.mark.parametrize("candidates", [{}, {"candidates": []}], ids=["without", "empty"])
def test_a_blocked_question(provider: Provider, reason: str, candidates: dict[str, Any]) -> None:
    reply = provider.ask({"promptFeedback": {"blockReason": reason}, **candidates})

    assert (reply.finish_reason, reply.text) == ("safety", "")


@pytest.mark.parametrize(
    "answer",
    [
        {"usageMetadata": {}},
        {"candidates": []},
        {"candidates": [None]},
        {"candidates": "yes"},
        {"candidates": [{"finishReason": "STOP"}]},
        {"candidates": [{"finishReason": "STOP", "content": {"parts": []}}]},
        {"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": ""}]}}]},
        {"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "hm", "thought": True}]}}]},
        {"promptFeedback": {"safetyRatings": []}},
    ],
    ids=["none", "empty", "null", "text", "no content", "no part", "no text", "thought alone", "no reason"],
)
def test_an_answer_without_a_candidate(provider: Provider, answer: dict[str, Any]) -> None:
    assert provider.fails(answer).code == "malformed"


# --- keys and addresses -------------------------------------------------------------------


def test_of_two_keys_the_one_that_googles_client_takes(httpserver: HTTPServer, ask: Ask) -> None:
    seen: list[str] = []

    def handle(request: Request) -> Response:
        seen.append(request.headers["x-goog-api-key"])
        return Response(json.dumps(ANSWER))

    httpserver.expect_request(re.compile(".*")).respond_with_handler(handle)
    base = {"GOOGLE_GEMINI_BASE_URL": httpserver.url_for("")}
    for keys in (
        {"GEMINI_API_KEY": "gemini"},
        {"GOOGLE_API_KEY": "google"},
        {"GEMINI_API_KEY": "gemini", "GOOGLE_API_KEY": "google"},
        {"GEMINI_API_KEY": "gemini", "GOOGLE_API_KEY": ""},
    ):
        ask(gemini_judge, {**base, **keys})

    assert seen == ["gemini", "google", "google", "gemini"]


def test_what_is_missing(make_judge: Callable[..., Any], httpserver: HTTPServer, ask: Ask) -> None:
    def missing(**environment: str) -> list[str]:
        return list(make_judge(gemini_judge, environment).missing("gemini-2.5-flash"))

    assert missing(GEMINI_API_KEY=KEY) == []
    assert missing(GOOGLE_API_KEY=KEY) == []
    assert missing() == ["neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"]
    [problem] = missing(GEMINI_API_KEY=KEY, GOOGLE_GEMINI_BASE_URL="localhost")
    assert "GOOGLE_GEMINI_BASE_URL is not an address" in problem
    for hidden in ("me:secret@gateway", "https://me:secret@gateway", "https://me:secret@gateway:port"):
        [problem] = missing(GEMINI_API_KEY=KEY, GOOGLE_GEMINI_BASE_URL=hidden)
        assert problem.startswith("GOOGLE_GEMINI_BASE_URL contains a user or a password")
        assert "secret" not in problem

    with pytest.raises(JudgeError, match="neither GEMINI_API_KEY nor GOOGLE_API_KEY is set") as caught:
        ask(gemini_judge, {"GOOGLE_GEMINI_BASE_URL": httpserver.url_for("")})
    assert caught.value.code == "auth"
    assert httpserver.log == []


def test_the_fingerprint_is_where_the_calls_go(make_judge: Callable[..., Any]) -> None:
    def fingerprint(**environment: str) -> Any:
        backend = make_judge(gemini_judge, {"GEMINI_API_KEY": KEY, **environment})
        assert KEY not in repr(backend)
        return backend.fingerprint()

    assert fingerprint() == {"base_url": "https://generativelanguage.googleapis.com"}
    assert fingerprint(GOOGLE_GEMINI_BASE_URL="http://gateway/g/") == {"base_url": "http://gateway/g"}
    assert fingerprint(GOOGLE_GEMINI_BASE_URL="http://me:secret@gateway") == {"base_url": None}


# --- anything -----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["STOP", "5s"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "thought", "parts", "content", "finishReason", "error", "details"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=st.dictionaries(st.sampled_from([*ANSWER, "promptFeedback", "error"]), JSON, min_size=1))
def test_any_json_is_a_reply_or_a_typed_failure(provider: Provider, answer: dict[str, Any]) -> None:
    try:
        provider.ask(answer)
    except JudgeError as failure:
        assert failure.code == "malformed"
    assert provider.fails(answer, status=500).code is not None
