"""The ``azure-openai`` backend against a real server on this machine that speaks Azure's protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.model import RateLimit, Usage
from adjudge.plugin import JudgeError, JudgeReply
from adjudge.testing import JudgeBackendConformance
from adjudge_plugins.judges import azure_openai_judge as plugin

KEY = "0123456789abcdef0123456789abcdef"
TOKEN = "eyJ0eXAi.token.of-entra"  # noqa: S105

Ask = Callable[..., JudgeReply]
Make = Callable[..., Any]

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
FILTERS = {"hate": {"filtered": False, "severity": "safe"}}
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4.1-mini-2025-04-14",
    "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": FILTERS}],
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "logprobs": None,
            "content_filter_results": FILTERS,
            "message": {"role": "assistant", "content": '{"verdict": "yes"}', "refusal": None},
        }
    ],
    "usage": {
        "prompt_tokens": 50,
        "completion_tokens": 8,
        "total_tokens": 58,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    },
}


def here(httpserver: HTTPServer, **more: str) -> dict[str, str]:
    return {"AZURE_OPENAI_ENDPOINT": httpserver.url_for("/"), "AZURE_OPENAI_API_KEY": KEY, **more}


def serve(httpserver: HTTPServer, body: Any, status: int = 200, **headers: str) -> list[Request]:
    seen: list[Request] = []

    def handle(request: Request) -> Response:
        seen.append(request)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(json.dumps(body), status, names, content_type="application/json")

    httpserver.expect_request(re.compile(".*/chat/completions"), method="POST").respond_with_handler(handle)
    return seen


@pytest.mark.parametrize(
    ("variables", "path", "query"),
    [
        ({}, "/openai/v1/chat/completions", ""),
        ({"OPENAI_API_VERSION": "preview"}, "/openai/v1/chat/completions", "api-version=preview"),
        (
            {"OPENAI_API_VERSION": "2024-10-21"},
            "/openai/deployments/my%20judge/chat/completions",
            "api-version=2024-10-21",
        ),
        (
            {"OPENAI_API_VERSION": "2024-10-21", "AZURE_OPENAI_API_VERSION": "2025-04-01-preview"},
            "/openai/deployments/my%20judge/chat/completions",
            "api-version=2025-04-01-preview",
        ),
    ],
    ids=["no version", "preview", "dated", "both variables"],
)
def test_the_request_is_the_one_that_is_documented(
    httpserver: HTTPServer, ask: Ask, variables: dict[str, str], path: str, query: str
) -> None:
    seen = serve(httpserver, COMPLETION)

    ask(
        plugin,
        here(httpserver, **variables),
        model="my judge",
        schema_=SCHEMA,
        parameters={"temperature": 0.0, "max_tokens": 64},
        seed=3,
        provider_options={"reasoning_effort": "low"},
    )

    [request] = seen
    assert request.environ["REQUEST_URI"].partition("?")[0] == path
    assert request.query_string.decode() == query
    assert request.headers["api-key"] == KEY
    assert "Authorization" not in request.headers
    assert request.get_json() == {
        "model": "my judge",
        "messages": [
            {"role": "system", "content": "You judge."},
            {"role": "user", "content": "Is 2 even?"},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
        "temperature": 0.0,
        "max_completion_tokens": 64,
        "seed": 3,
        "reasoning_effort": "low",
    }


@pytest.mark.parametrize("suffix", ["", "/", "openai", "openai/", "openai/v1", "openai/v1/"])
def test_an_endpoint_may_come_with_the_path_of_the_api(httpserver: HTTPServer, ask: Ask, suffix: str) -> None:
    seen = serve(httpserver, COMPLETION)

    ask(plugin, here(httpserver, AZURE_OPENAI_ENDPOINT=httpserver.url_for("/") + suffix.lstrip("/")))

    assert seen[0].path == "/openai/v1/chat/completions"


def test_a_version_before_september_2024_knows_only_max_tokens(httpserver: HTTPServer, ask: Ask) -> None:
    seen = serve(httpserver, COMPLETION)

    environment = here(httpserver, OPENAI_API_VERSION="2024-08-01-preview")
    ask(plugin, environment, parameters={"max_tokens": 64})

    assert seen[0].get_json()["max_tokens"] == 64


def test_a_token_of_entra_id_stands_in_for_the_key(httpserver: HTTPServer, ask: Ask) -> None:
    seen = serve(httpserver, {"error": {"code": "401", "message": f"bad {TOKEN}"}}, 401)
    environment = {"AZURE_OPENAI_ENDPOINT": httpserver.url_for("/"), "AZURE_OPENAI_AD_TOKEN": TOKEN}

    with pytest.raises(JudgeError, match=r"bad \*\*\*") as caught:
        ask(plugin, environment)

    assert seen[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert "api-key" not in seen[0].headers
    assert caught.value.code == "auth"


def test_a_reply_is_read_whole(httpserver: HTTPServer, ask: Ask) -> None:
    serve(httpserver, COMPLETION, x_ratelimit_remaining_requests="99", x_ratelimit_reset_requests="10")

    assert ask(plugin, here(httpserver)) == JudgeReply(
        text='{"verdict": "yes"}',
        finish_reason="stop",
        model_version="gpt-4.1-mini-2025-04-14",
        usage=Usage(input_tokens=50, output_tokens=8, total_tokens=58, cached_tokens=0, reasoning_tokens=0),
        rate=RateLimit(remaining_requests=99, reset_after=10.0),
    )


BLOCKED_PROMPT = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
        },
    }
}


def test_a_filtered_question_is_a_reply(httpserver: HTTPServer, ask: Ask) -> None:
    serve(httpserver, BLOCKED_PROMPT, 400)

    assert ask(plugin, here(httpserver)) == JudgeReply(text="", finish_reason="safety")


def test_a_question_that_only_the_inner_error_calls_filtered(httpserver: HTTPServer, ask: Ask) -> None:
    serve(httpserver, {"error": {**BLOCKED_PROMPT["error"], "code": None}}, 400)

    assert ask(plugin, here(httpserver)).finish_reason == "safety"


def test_a_filtered_answer_is_a_reply(httpserver: HTTPServer, ask: Ask) -> None:
    choice = {
        "index": 0,
        "finish_reason": "content_filter",
        "message": {"role": "assistant", "content": None},
    }
    serve(httpserver, {**COMPLETION, "choices": [choice]})

    reply = ask(plugin, here(httpserver))

    assert (reply.text, reply.finish_reason) == ("", "safety")


@pytest.mark.parametrize(
    ("status", "code", "message", "expected"),
    [
        (401, "401", "Access denied due to invalid subscription key or wrong API endpoint.", "auth"),
        (401, "PermissionDenied", "The principal lacks the required data action.", "auth"),
        (404, "DeploymentNotFound", "The API deployment for this resource does not exist.", "unknown_model"),
        (404, "404", "Resource not found", "unknown_model"),
        (429, "429", "Requests have exceeded token rate limit. Please retry after 6 seconds.", "rate_limit"),
        (429, "insufficient_quota", "You exceeded your current quota.", "quota"),
        (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens.", "context_too_long"),
        (400, "BadRequest", "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later", "schema_rejected"),
        (400, "unsupported_parameter", "Unsupported parameter: 'max_tokens'.", "bad_request"),
        (408, "Timeout", "The operation was timeout.", "timeout"),
        (500, "InternalServerError", "Backend returned unexpected response.", "server"),
        (503, "ServiceUnavailable", "The service is temporarily unable to process your request.", "overload"),
    ],
)  # fmt: skip
def test_a_failure_has_its_class(
    httpserver: HTTPServer, ask: Ask, status: int, code: str, message: str, expected: str
) -> None:
    serve(httpserver, {"error": {"code": code, "message": f"{message} {KEY}"}}, status)

    with pytest.raises(JudgeError) as caught:
        ask(plugin, here(httpserver))

    assert caught.value.code == expected
    assert message in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, ["AZURE_OPENAI_ENDPOINT is not set", "AZURE_OPENAI_API_KEY is not set"]),
        ({"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}, ["AZURE_OPENAI_API_KEY is not set"]),
        ({"AZURE_OPENAI_API_KEY": KEY}, ["AZURE_OPENAI_ENDPOINT is not set"]),
        (
            {"AZURE_OPENAI_ENDPOINT": "my-resource", "AZURE_OPENAI_API_KEY": KEY},
            ["AZURE_OPENAI_ENDPOINT is not an address"],
        ),
        ({"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com", "AZURE_OPENAI_AD_TOKEN": TOKEN}, []),
    ],
    ids=["nothing", "no key", "no endpoint", "no address", "token"],
)
def test_what_is_missing_is_said_and_stops_a_call(
    make_judge: Make, ask: Ask, environment: dict[str, str], said: list[str]
) -> None:
    found = list(make_judge(plugin, environment).missing("my-deployment"))

    assert [problem.startswith(start) for problem, start in zip(found, said, strict=True)] == [True] * len(
        said
    )
    if said:
        with pytest.raises(JudgeError, match=re.escape(said[0])) as caught:
            ask(plugin, environment)
        assert caught.value.code == "auth"


def test_the_fingerprint_is_the_address_and_never_the_key(make_judge: Make) -> None:
    environment = {
        "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/openai/v1/",
        "AZURE_OPENAI_API_KEY": KEY,
        "AZURE_OPENAI_AD_TOKEN": TOKEN,
        "OPENAI_API_VERSION": "2024-10-21",
    }
    judge = make_judge(plugin, environment)

    assert judge.fingerprint() == {"base_url": "https://r.openai.azure.com", "api_version": "2024-10-21"}
    assert make_judge(plugin, {}).fingerprint() == {"base_url": None, "api_version": None}
    assert not {KEY, TOKEN} & set(re.findall(r"[\w.-]+", repr(judge)))


class TestConformance(JudgeBackendConformance):
    component = "azure-openai-judge/azure-openai"
