"""Google's ``generateContent``: request body, reply and errors, shared by two services.

The Gemini API and Vertex AI differ only in address and credentials. Definitions: "Generating content"
(https://ai.google.dev/api/generate-content), and the error model of Google's APIs (https://google.aip.dev/193), whose
details contain the reason and the waiting time.
"""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.errors import JudgeError, JudgeErrorCode
from adjudge.kit.http_judge.backend import HttpJudge
from adjudge.kit.http_judge.connection import HttpAnswer
from adjudge.kit.http_judge.json_values import (
    count_or_none,
    object_or_empty,
    objects_or_empty,
    sum_or_none,
    text_or_empty,
)
from adjudge.kit.http_judge.provider_options import with_options
from adjudge.model.base import JsonObject
from adjudge.model.judging import FinishReason, JudgeReply, JudgeRequest
from adjudge.model.step import Usage

_PARAMETERS: Final = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "stop": "stopSequences",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}

_BESIDE_GENERATION: Final = frozenset(
    {
        *("contents", "systemInstruction", "generationConfig"),
        *("safetySettings", "tools", "toolConfig", "cachedContent", "labels", "serviceTier"),
        *("modelArmorConfig", "store"),
    }
)
"""Fields of the request itself. All other keys of ADK's ``GenerateContentConfig`` belong to ``generationConfig``."""

_FINISH_REASONS: Final[dict[str, FinishReason]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "safety",
    "BLOCKLIST": "safety",
    "PROHIBITED_CONTENT": "safety",
    "SPII": "safety",
    "IMAGE_SAFETY": "safety",
    "IMAGE_PROHIBITED_CONTENT": "safety",
    "MODEL_ARMOR": "safety",
}

_FAILURES: Final[dict[str, JudgeErrorCode]] = {
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "NOT_FOUND": "unknown_model",
    "RESOURCE_EXHAUSTED": "rate_limit",
    "UNAVAILABLE": "overload",
    "INTERNAL": "server",
    "UNKNOWN": "server",
    "DEADLINE_EXCEEDED": "timeout",
}

_BARE: Final = re.compile(r"(?:.*/)?gemma-3")
"""Models without system instructions and JSON mode; their error is "Developer instruction is not enabled for …"."""

_TOO_LONG: Final = re.compile(
    r"token count\b.*\bexceeds|exceeds the maximum number of tokens|payload size exceeds"
)
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)s\Z")


class GenerateContentJudge(HttpJudge):
    """A judge backend for ``generateContent``. Subclasses define the address and the key."""

    def body(self, request: JudgeRequest) -> JsonObject:
        """Convert a request to the body of a call.

        The schema is sent as ``responseJsonSchema``, which accepts JSON Schema. ``propertyOrdering`` keeps the order of
        its properties, so that a rationale is written before its answer. Gemma 3 supports neither a schema nor a system
        instruction: both are in the first message, as in ADK. Options may be in snake_case, as in ADK's
        ``GenerateContentConfig``, or in camelCase, as in the REST API.

        Raises:
            JudgeError: ``provider_options`` has a key that the client sets.
        """
        body: JsonObject = {
            "contents": [
                {
                    "role": "model" if message.role == "assistant" else "user",
                    "parts": [{"text": message.text}],
                }
                for message in request.messages
                if message.role != "system"
            ]
        }
        bare = _BARE.match(request.model) is not None
        if system := [{"text": message.text} for message in request.messages if message.role == "system"]:
            if bare:
                body["contents"].insert(0, {"role": "user", "parts": system})
            else:
                body["systemInstruction"] = {"parts": system}
        generation: JsonObject = {_PARAMETERS[name]: value for name, value in request.parameters.items()}
        if request.seed is not None:
            generation["seed"] = request.seed
        if request.schema_ is not None and not bare:
            generation["responseMimeType"] = "application/json"
            generation["responseJsonSchema"] = _ordered(request.schema_)
        options = {_camel_case(name): value for name, value in request.provider_options.items()}
        beside = {name: value for name, value in options.items() if name in _BESIDE_GENERATION}
        inside = {name: value for name, value in options.items() if name not in _BESIDE_GENERATION}
        if generation := with_options(generation, inside):
            body["generationConfig"] = generation
        return with_options(body, beside)

    def reply(self, answer: HttpAnswer) -> JudgeReply:
        """Convert the first candidate of an answer to a reply, without the model's thoughts.

        A blocked prompt or candidate is a reply with the finish reason ``safety``.

        Raises:
            JudgeError: the answer has no candidate, or a finished one without text.
        """
        body = answer.body
        candidates = objects_or_empty(body.get("candidates"))
        blocked = text_or_empty(object_or_empty(body.get("promptFeedback")).get("blockReason"))
        candidate = candidates[0] if candidates else {}
        parts = objects_or_empty(object_or_empty(candidate.get("content")).get("parts"))
        text = "".join(text_or_empty(part.get("text")) for part in parts if part.get("thought") is not True)
        finish: FinishReason = _FINISH_REASONS.get(text_or_empty(candidate.get("finishReason")), "other")
        if blocked and not candidates:
            finish = "safety"
        elif not candidates:
            raise JudgeError("the answer contains no candidate", code="malformed")
        elif finish == "stop" and not text:
            raise JudgeError("the answer's candidate is finished and contains no text", code="malformed")
        return JudgeReply(
            text=text,
            finish_reason=finish,
            model_version=text_or_empty(body.get("modelVersion")) or None,
            usage=_usage(body.get("usageMetadata")),
        )

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:
        """The class of a failure by its body; ``None`` if the body does not determine it."""
        return generate_content_error_code(status, body)

    def retry_after(self, body: Any) -> float | None:
        """The waiting time in seconds from the ``google.rpc.RetryInfo`` of a failure; ``None`` if there is none."""
        return generate_content_retry_after(body)


def generate_content_error_code(status: int, body: Any) -> JudgeErrorCode | None:  # noqa: ARG001 - the body says it better
    """The error code of a failure; ``None`` if the body does not contain one.

    Limits per minute are ``rate_limit``, because waiting helps; limits per day and unpaid bills are ``quota``.
    """
    error = _error_of(body)
    message = text_or_empty(error.get("message")).lower()
    details = objects_or_empty(error.get("details"))
    reasons = {text_or_empty(detail.get("reason")) for detail in details}
    name = text_or_empty(error.get("status"))
    if "BILLING_DISABLED" in reasons:
        return "quota"
    if any(reason.startswith("API_KEY_") for reason in reasons) or "api key not valid" in message:
        return "auth"
    if name == "RESOURCE_EXHAUSTED":
        quotas = [
            text_or_empty(violation.get("quotaId"))
            for detail in details
            for violation in objects_or_empty(detail.get("violations"))
        ]
        used_up = any("PerDay" in quota for quota in quotas) or "credits are depleted" in message
        return "quota" if used_up else "rate_limit"
    if name in {"INVALID_ARGUMENT", "FAILED_PRECONDITION"}:
        return _refusal_of(message)
    return _FAILURES.get(name)


def generate_content_retry_after(body: Any) -> float | None:
    """The waiting time in seconds from the ``google.rpc.RetryInfo`` of a failure; ``None`` if there is none."""
    for detail in objects_or_empty(_error_of(body).get("details")):
        if found := _DURATION.match(text_or_empty(detail.get("retryDelay"))):
            return float(found[1])
    return None


def _refusal_of(message: str) -> JudgeErrorCode:
    if _TOO_LONG.search(message):
        return "context_too_long"
    if "schema" in message:
        return "schema_rejected"
    if "location is not supported" in message:
        return "auth"
    return "quota" if "enable billing" in message else "bad_request"


def _error_of(body: Any) -> JsonObject:
    # Vertex AI sends some failures as a list with one object.
    errors = objects_or_empty(body) or [object_or_empty(body)]
    return object_or_empty(errors[0].get("error"))


def _usage(found: object) -> Usage | None:
    counts = object_or_empty(found)
    if not counts:
        return None
    thoughts = count_or_none(counts.get("thoughtsTokenCount"))
    return Usage(
        input_tokens=count_or_none(counts.get("promptTokenCount")),
        # Thoughts are billed as output, but are not included in the candidates' tokens.
        output_tokens=sum_or_none(count_or_none(counts.get("candidatesTokenCount")), thoughts),
        total_tokens=count_or_none(counts.get("totalTokenCount")),
        cached_tokens=count_or_none(counts.get("cachedContentTokenCount")),
        reasoning_tokens=thoughts,
        tool_use_tokens=count_or_none(counts.get("toolUsePromptTokenCount")),
    )


def _ordered(schema: JsonObject) -> JsonObject:
    ordered = dict(schema)
    if properties := object_or_empty(schema.get("properties")):
        ordered["properties"] = {name: _ordered(part) for name, part in properties.items()}
        ordered["propertyOrdering"] = list(properties)
    if items := object_or_empty(schema.get("items")):
        ordered["items"] = _ordered(items)
    return ordered


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
