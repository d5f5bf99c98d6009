"""The ``openai`` backend against a real server on this machine that speaks Chat Completions."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.model import JudgeMessage, RateLimit, Usage
from adjudge.plugin import JudgeError, JudgeReply, JudgeRequest
from adjudge.testing import FakeHost, JudgeBackendConformance
from adjudge_plugins.judges import openai_judge as plugin

KEY = "sk-test-0123456789abcdef"

Ask = Callable[..., JudgeReply]
Make = Callable[..., Any]

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}


def completion(message: object = None, finish_reason: object = "stop", **more: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": '{"verdict": "yes"}', "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini-2025-08-07",
        "choices": [{"index": 0, "message": message or said, "logprobs": None, "finish_reason": finish_reason}],
        **more,
    }  # fmt: skip


def here(httpserver: HTTPServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": httpserver.url_for("/v1"), "OPENAI_API_KEY": KEY}


def serve(httpserver: HTTPServer, body: Any, status: int = 200, **headers: str) -> list[Request]:
    seen: list[Request] = []

    def handle(request: Request) -> Response:
        seen.append(request)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(json.dumps(body), status, names, content_type="application/json")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handle)
    return seen


# --- the request ----------------------------------------------------------------------


def test_the_request_is_the_one_that_is_documented(httpserver: HTTPServer, ask: Ask) -> None:
    seen = serve(httpserver, completion())

    ask(
        plugin,
        {**here(httpserver), "OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj_1"},
        model="Qwen/Qwen3-8B",
        messages=(
            JudgeMessage(role="system", text="Judge."),
            JudgeMessage(role="user", text="寝室の電気"),
            JudgeMessage(role="assistant", text="{"),
            JudgeMessage(role="user", text="Again."),
        ),
        schema_=SCHEMA,
        parameters={"temperature": 0.5, "top_p": 0.9, "top_k": 5, "max_tokens": 64, "stop": ["\n\n"],
                    "presence_penalty": 0.1, "frequency_penalty": 0.2},
        provider_options={"cache_prompt": False, "reasoning_effort": "low"},
        seed=7,
    )  # fmt: skip

    [request] = seen
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["OpenAI-Organization"] == "org-1"
    assert request.headers["OpenAI-Project"] == "proj_1"
    assert request.headers["Content-Type"] == "application/json"
    assert request.get_json() == {
        "model": "Qwen/Qwen3-8B",
        "messages": [
            {"role": "system", "content": "Judge."},
            {"role": "user", "content": "寝室の電気"},
            {"role": "assistant", "content": "{"},
            {"role": "user", "content": "Again."},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 5,
        "max_tokens": 64,
        "stop": ["\n\n"],
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "seed": 7,
        "cache_prompt": False,
        "reasoning_effort": "low",
    }


def test_a_server_that_refuses_seeds_is_spared_them(httpserver: HTTPServer, tmp_path: Path) -> None:
    seen = serve(httpserver, completion())
    [spec] = plugin.judge_backends()
    backend = spec.factory(spec.config(seed=False), FakeHost(tmp_path, environment=here(httpserver)))

    async def main() -> None:
        await backend.complete(JudgeRequest(model="m", messages=(), seed=7))
        await backend.aclose()  # type: ignore[attr-defined]

    asyncio.run(main())

    assert "seed" not in seen[0].get_json()


def test_nothing_is_sent_that_was_not_asked_for(httpserver: HTTPServer, ask: Ask) -> None:
    seen = serve(httpserver, completion())

    ask(plugin, {"OPENAI_BASE_URL": httpserver.url_for("/v1/")})

    [request] = seen
    assert request.get_json() == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You judge."},
            {"role": "user", "content": "Is 2 even?"},
        ],
    }
    assert not {"Authorization", "OpenAI-Organization", "OpenAI-Project"} & set(request.headers.keys())


@pytest.mark.parametrize("option", ["messages", "model", "response_format"])
def test_the_question_cannot_be_replaced_by_an_option(ask: Ask, option: str) -> None:
    with pytest.raises(JudgeError, match=f"cannot set '{option}'") as caught:
        ask(plugin, {"OPENAI_API_KEY": KEY}, schema_=SCHEMA, provider_options={option: "x"})

    assert caught.value.code == "bad_request"


@pytest.mark.parametrize(
    ("base_url", "host", "limit"),
    [
        (None, "api.openai.com", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "eu.api.openai.com", "max_completion_tokens"),
        ("http://api.openai.com.example.org/v1", "api.openai.com.example.org", "max_tokens"),
    ],
)
def test_what_openai_itself_is_asked(
    httpserver: HTTPServer,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    base_url: str | None,
    host: str,
    limit: str,
) -> None:
    # The one thing that stands between this test and OpenAI: httpx connects to this machine instead.
    import httpx

    asked: list[httpx.URL] = []
    real = httpx.AsyncHTTPTransport.handle_async_request

    async def reroute(self: Any, request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        request.url = httpx.URL(httpserver.url_for(request.url.path))
        return await real(self, request)

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", reroute)
    seen = serve(httpserver, completion())

    environment = (
        {"OPENAI_API_KEY": KEY} if base_url is None else {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": base_url}
    )
    ask(plugin, environment, parameters={"max_tokens": 9})

    assert asked[0].host == host
    assert seen[0].get_json()[limit] == 9


# --- the reply ------------------------------------------------------------------------


def test_a_reply_is_read_whole(httpserver: HTTPServer, ask: Ask) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "total_tokens": 130,
        "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 20, "accepted_prediction_tokens": 0},
    }
    serve(
        httpserver,
        completion(usage=usage, system_fingerprint="fp_1", service_tier="default"),
        x_ratelimit_remaining_requests="59",
        x_ratelimit_reset_requests="1s",
    )

    assert ask(plugin, here(httpserver)) == JudgeReply(
        text='{"verdict": "yes"}',
        finish_reason="stop",
        model_version="gpt-5-mini-2025-08-07",
        usage=Usage(
            input_tokens=100, output_tokens=30, total_tokens=130, cached_tokens=64, reasoning_tokens=20
        ),
        rate=RateLimit(remaining_requests=59, reset_after=1.0),
    )


@pytest.mark.parametrize(
    ("message", "finish_reason", "text", "expected"),
    [
        ({"content": '{"verdict": "y'}, "length", '{"verdict": "y', "length"),
        ({"content": None}, "length", "", "length"),
        ({"content": None}, "content_filter", "", "safety"),
        ({"content": "half"}, "content_filter", "half", "safety"),
        ({"content": None, "refusal": "I can't help."}, "stop", "I can't help.", "refusal"),
        ({"content": None, "tool_calls": []}, "tool_calls", "", "other"),
        ({"content": "ok"}, None, "ok", "other"),
        ({"content": "ok"}, "eos", "ok", "other"),
        ({"content": "ok", "reasoning_content": "hm"}, "stop", "ok", "stop"),
    ],
)
def test_how_an_answer_ended(
    httpserver: HTTPServer, ask: Ask, message: object, finish_reason: str | None, text: str, expected: str
) -> None:
    serve(httpserver, completion(message, finish_reason))

    reply = ask(plugin, here(httpserver))

    assert (reply.text, reply.finish_reason) == (text, expected)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {"choices": None},
        {"choices": "stop"},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": "hi"}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": {"content": {"verdict": "yes"}}}]},
        {"choices": [{"message": {"content": "x", "refusal": True}}]},
    ],
    ids=json.dumps,
)
def test_an_answer_of_another_shape(httpserver: HTTPServer, ask: Ask, body: dict[str, Any]) -> None:
    serve(httpserver, body)

    with pytest.raises(JudgeError, match=r"choices\[0\]\.message") as caught:
        ask(plugin, here(httpserver))

    assert caught.value.code == "malformed"


@pytest.mark.parametrize("content", [None, ""])
def test_a_finished_answer_without_a_word(httpserver: HTTPServer, ask: Ask, content: str | None) -> None:
    serve(httpserver, completion({"content": content, "refusal": None, "reasoning_content": "hm"}))

    with pytest.raises(JudgeError, match="without a word") as caught:
        ask(plugin, here(httpserver))

    assert caught.value.code == "malformed"


@pytest.mark.parametrize("usage", [None, [], "many", {"prompt_tokens": "9", "total_tokens": True}])
@pytest.mark.parametrize("model", [None, 4])
def test_what_is_beside_the_answer_never_costs_it(
    httpserver: HTTPServer, ask: Ask, usage: object, model: object
) -> None:
    serve(httpserver, completion(usage=usage, model=model), x_ratelimit_remaining_requests="lots")

    reply = ask(plugin, here(httpserver))

    assert (reply.text, reply.model_version, reply.rate) == ('{"verdict": "yes"}', None, None)
    assert reply.usage in (None, Usage())


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [("1s", 1.0), ("6m0s", 360.0), ("20ms", 0.02), ("1.5s", 1.5), ("1h2m3.5s", 3723.5), ("2d", 172800.0),
     ("10", 10.0), ("0s", 0.0), ("", None), ("soon", None), ("-1s", None), ("1e400", None), ("s", None)],
)  # fmt: skip
def test_when_more_may_be_sent(httpserver: HTTPServer, ask: Ask, reset: str, seconds: float | None) -> None:
    serve(httpserver, completion(), x_ratelimit_remaining_requests="3", x_ratelimit_reset_requests=reset)

    assert ask(plugin, here(httpserver)).rate == RateLimit(remaining_requests=3, reset_after=seconds)


# --- failures -------------------------------------------------------------------------


def openai_error(message: str, type_: str | None, code: Any, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": type_, "param": param, "code": code}}


FAILURES: dict[str, tuple[int, Any, str]] = {
    "key": (401, openai_error("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"), "auth"),
    "quota": (429, openai_error("You exceeded your current quota.", "insufficient_quota", "insufficient_quota"), "quota"),
    "rate": (429, openai_error("Rate limit reached for gpt-5-mini.", "requests", "rate_limit_exceeded"), "rate_limit"),
    "request above a minute's tokens": (
        429, openai_error("Request too large for gpt-4o: Limit 30000, Requested 41000.", "tokens", "rate_limit_exceeded"), "context_too_long"),
    "model": (404, openai_error("The model `gpt-9` does not exist.", "invalid_request_error", "model_not_found"), "unknown_model"),
    "model, status 400": (400, openai_error("No such model.", "invalid_request_error", "model_not_found"), "unknown_model"),
    "context": (400, openai_error("This model's maximum context length is 8192 tokens.", "invalid_request_error", "context_length_exceeded", "messages"), "context_too_long"),
    "text": (400, openai_error("Invalid 'messages[0].content': string too long.", "invalid_request_error", "string_above_max_length"), "context_too_long"),
    "schema": (400, openai_error("Invalid schema for response_format 'answer'.", "invalid_request_error", None, "response_format"), "schema_rejected"),
    "schema unsupported": (400, openai_error("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "invalid_request_error", None), "schema_rejected"),
    "parameter": (400, openai_error("Unsupported value: 'temperature' does not support 0.5.", "invalid_request_error", "unsupported_value", "temperature"), "bad_request"),
    "server": (500, openai_error("The server had an error.", "server_error", None), "server"),
    "overload": (503, openai_error("The engine is currently overloaded.", "server_error", None), "overload"),
    "vLLM, context, no wrapping": (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens.", "type": "BadRequestError", "param": None, "code": 400}, "context_too_long"),
    "vLLM, model": (404, openai_error("The model `x` does not exist.", "NotFoundError", 404, "model"), "unknown_model"),
    "llama.cpp, context": (400, {"error": {"code": 400, "message": "request (4476 tokens) exceeds the available context size (4096 tokens)", "type": "exceed_context_size_error", "n_prompt_tokens": 4476, "n_ctx": 4096}}, "context_too_long"),
    "llama.cpp, loading": (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, "overload"),
    "llama.cpp, grammar": (400, {"error": {"code": 400, "message": "failed to parse grammar", "type": "invalid_request_error"}}, "schema_rejected"),
    "llama.cpp, key": (401, {"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}}, "auth"),
    "LM Studio": (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}, "schema_rejected"),
    "status 200": (200, {"error": {"code": 502, "message": "Provider returned error"}}, "server"),
    "status 200, limit": (200, {"error": {"code": 429, "message": "Slow down"}}, "rate_limit"),
    "status 200, text": (200, {"error": "Unexpected endpoint or method."}, "server"),
    "inside a choice": (200, {"choices": [{"error": {"code": 503, "message": "gone"}, "finish_reason": "error", "message": {"content": "ha"}}]}, "overload"),
    "no error": (400, {"detail": "no"}, "bad_request"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "body", "code"), FAILURES.values(), ids=FAILURES)
def test_a_failure_has_its_class(httpserver: HTTPServer, ask: Ask, status: int, body: Any, code: str) -> None:
    serve(httpserver, body, status)

    with pytest.raises(JudgeError) as caught:
        ask(plugin, here(httpserver))

    assert caught.value.code == code
    assert httpserver.url_for("/v1/chat/completions") in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, openai_error("Your prompt was flagged.", "invalid_request_error", "invalid_prompt")),
        (400, openai_error("Blocked.", "invalid_request_error", "content_policy_violation")),
        (403, {"error": {"code": 403, "message": "moderation", "metadata": {"flagged_input": "…"}}}),
        (200, {"error": {"code": "content_filter", "message": "blocked"}}),
    ],
    ids=["OpenAI", "LiteLLM", "OpenRouter", "status 200"],
)
def test_a_blocked_question_is_a_reply(httpserver: HTTPServer, ask: Ask, status: int, body: Any) -> None:
    serve(httpserver, body, status)

    assert ask(plugin, here(httpserver)) == JudgeReply(text="", finish_reason="safety")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["choices", "message", "content", "error", "code", "usage"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(body=JSON, status=st.sampled_from([200, 400, 403, 429, 500]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_server_answers_is_a_reply_or_a_judge_error(
    httpserver: HTTPServer, ask: Ask, body: Any, status: int
) -> None:
    httpserver.clear()
    serve(httpserver, body, status)

    try:
        reply = ask(plugin, here(httpserver))
    except JudgeError as error:
        assert KEY not in str(error)
    else:
        assert reply.finish_reason != "refusal"


# --- what is needed -------------------------------------------------------------------


def missing(make: Make, environment: Mapping[str, str]) -> list[str]:
    return list(make(plugin, environment).missing("gpt-5-mini"))


def test_openai_needs_a_key_and_a_server_of_ones_own_does_not(
    httpserver: HTTPServer, make_judge: Make
) -> None:
    [said] = missing(make_judge, {"OPENAI_API_KEY": "  "})
    assert "OPENAI_API_KEY is not set" in said
    assert "OPENAI_BASE_URL" in said
    assert missing(make_judge, {"OPENAI_API_KEY": KEY}) == []
    assert missing(make_judge, {"OPENAI_BASE_URL": httpserver.url_for("/v1")}) == []
    assert missing(make_judge, {"OPENAI_BASE_URL": "https://gateway.example/v1"}) == []


def test_without_a_key_openai_is_not_called(ask: Ask) -> None:
    with pytest.raises(JudgeError, match="OPENAI_API_KEY is not set") as caught:
        ask(plugin, {})

    assert caught.value.code == "auth"


def test_a_server_of_this_machine_that_is_not_there_is_noticed(make_judge: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"

    assert missing(make_judge, {"OPENAI_BASE_URL": url}) == [
        f"no server answers at {url} (OPENAI_BASE_URL): start it, or name another address"
    ]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("localhost:8000/v1", "is not an address"),
        ("ftp://host/v1", "is not an address"),
        ("http://", "is not an address"),
        ("http://[::1", "is not an address"),
        ("http://host:port/v1", "is not an address"),
        (f"https://ann:{KEY}@host/v1", "contains a user or a password"),
        (f"https://host/v1?key={KEY}", "contains '?'"),
    ],
)
def test_an_address_that_cannot_be_used(ask: Ask, make_judge: Make, url: str, problem: str) -> None:
    environment = {"OPENAI_BASE_URL": url}

    [said] = missing(make_judge, environment)
    assert said.startswith("OPENAI_BASE_URL ")
    assert problem in said
    assert make_judge(plugin, environment).fingerprint() == {"base_url": None}
    with pytest.raises(JudgeError) as caught:
        ask(plugin, environment)
    assert KEY not in said + str(caught.value)


def test_the_fingerprint_is_the_address_and_never_the_key(make_judge: Make) -> None:
    judge = make_judge(plugin, {"OPENAI_BASE_URL": "http://host/v1/", "OPENAI_API_KEY": KEY})

    assert judge.fingerprint() == {"base_url": "http://host/v1"}
    assert make_judge(plugin, {}).fingerprint() == {"base_url": "https://api.openai.com/v1"}
    assert KEY not in repr(judge)


class TestConformance(JudgeBackendConformance):
    component = "openai-judge/openai"

    def test_names_of_openai_models_are_its_own(self, tmp_path: Path) -> None:
        from fnmatch import fnmatchcase

        for name in ("gpt-5-mini", "gpt-4o", "o1", "o3-mini", "o4-mini", "chatgpt-4o-latest"):
            assert any(fnmatchcase(name, glob) for glob in self.spec.models), name
        assert not any(fnmatchcase("gemini-2.5-flash", glob) for glob in self.spec.models)
