"""What the ``gemini`` backend makes of the errors that Google's APIs answer with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from adjudge.plugin import JudgeError, JudgeReply
from adjudge_plugins.judges import gemini_judge

KEY = "AIza-test-0123456789"

Ask = Callable[..., JudgeReply]


def error(status: int, name: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {
        "error": {"code": status, "message": f"{message} {KEY}", "status": name, "details": list(details)}
    }


def quota(*ids: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [
            {"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": one} for one in ids
        ],
    }


def info(reason: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}


def retry(delay: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"

FAILURES: dict[str, tuple[int, Any, str]] = {
    "a wrong key": (
        400,
        error(400, "INVALID_ARGUMENT", "API key not valid.", info("API_KEY_INVALID")),
        "auth",
    ),
    "a key for other services": (
        403,
        error(403, "PERMISSION_DENIED", "Requests are blocked.", info("API_KEY_SERVICE_BLOCKED")),
        "auth",
    ),
    "no key": (401, error(401, "UNAUTHENTICATED", "Request is missing credentials."), "auth"),
    "no permission": (403, error(403, "PERMISSION_DENIED", "No."), "auth"),
    "no billing": (403, error(403, "PERMISSION_DENIED", "No.", info("BILLING_DISABLED")), "quota"),
    "a country without it": (
        400,
        error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
        "auth",
    ),
    "a country without the free tier": (
        400,
        error(400, "FAILED_PRECONDITION", "The free tier is not available. Please enable billing."),
        "quota",
    ),
    "no such model": (
        404,
        error(404, "NOT_FOUND", "models/x is not found for API version v1beta"),
        "unknown_model",
    ),
    "too many a minute": (429, error(429, "RESOURCE_EXHAUSTED", "Quota.", quota(MINUTE)), "rate_limit"),
    "too many": (429, error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted."), "rate_limit"),
    "too many a day": (429, error(429, "RESOURCE_EXHAUSTED", "Quota.", quota(MINUTE, DAY)), "quota"),
    "no credit": (
        429,
        error(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
        "quota",
    ),
    "overload": (503, error(503, "UNAVAILABLE", "The model is overloaded."), "overload"),
    "a fault": (500, error(500, "INTERNAL", "An internal error has occurred."), "server"),
    "too late": (504, error(504, "DEADLINE_EXCEEDED", "Deadline expired."), "timeout"),
    "too long": (
        400,
        error(
            400,
            "INVALID_ARGUMENT",
            "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        "context_too_long",
    ),
    "too many bytes": (
        400,
        error(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
        "context_too_long",
    ),
    "a schema with too many states": (
        400,
        error(
            400, "INVALID_ARGUMENT", "The specified schema produces a constraint that has too many states."
        ),
        "schema_rejected",
    ),
    "a schema of another kind": (
        400,
        error(400, "INVALID_ARGUMENT", "GenerateContentRequest.generation_config.response_json_schema: no."),
        "schema_rejected",
    ),
    "a wrong request": (400, error(400, "INVALID_ARGUMENT", "contents is not specified"), "bad_request"),
    "a list of one": (503, [error(503, "UNAVAILABLE", "No.")], "overload"),
    "a status of no name": (503, {"error": {"message": "No."}}, "overload"),
    "no error": (500, {"oops": [KEY]}, "server"),
}


Fails = Callable[..., JudgeError]


@pytest.fixture
def fails(httpserver: HTTPServer, ask: Ask) -> Fails:
    """The failure of one call to a server that answers so."""

    def fails(body: Any, status: int, headers: dict[str, str] | None = None) -> JudgeError:
        httpserver.expect_request(re.compile("/v1beta/.*")).respond_with_json(body, status, headers)
        environment = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": httpserver.url_for("")}
        with pytest.raises(JudgeError) as caught:
            ask(gemini_judge, environment, model="gemini-2.5-flash")
        assert KEY not in f"{caught.value!r} {caught.value}"
        assert len(httpserver.log) == 1
        return caught.value

    return fails


@pytest.mark.parametrize("name", FAILURES)
def test_failures(fails: Fails, name: str) -> None:
    status, body, code = FAILURES[name]

    found = fails(body, status)

    assert found.code == code
    assert f"answered {status}" in str(found)


@pytest.mark.parametrize(
    ("delay", "headers", "seconds"),
    [
        ("22s", {}, 22.0),
        ("8.941621227s", {}, 8.941621227),
        ("22s", {"retry-after": "3"}, 3.0),
        ("soon", {}, None),
        ("-1s", {}, None),
    ],
)
def test_how_long_to_wait(fails: Fails, delay: str, headers: dict[str, str], seconds: float | None) -> None:
    body = error(429, "RESOURCE_EXHAUSTED", "Quota.", quota(MINUTE), retry(delay))

    assert fails(body, 429, headers).retry_after == seconds
