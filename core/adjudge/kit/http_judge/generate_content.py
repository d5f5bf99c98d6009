"""Google's ``generateContent``: one body, one reply and one set of errors for two services.

The Gemini API and Vertex AI differ in address and credentials alone. Definitions: "Generating content"
(https://ai.google.dev/api/generate-content) and the error model of Google's APIs
(https://google.aip.dev/193), whose details carry the reason and the delay.
"""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.errors import JudgeError, JudgeErrorCode
from adjudge.kit.http_judge.fields import count_of, object_of, objects_of, sum_of, text_of
from adjudge.kit.http_judge.options import with_options
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
"""Fields of the request itself. Everything else of ADK's ``GenerateContentConfig`` is in ``generationConfig``."""

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
"""Models that refuse a system instruction and JSON mode: "Developer instruction is not enabled for …"."""

_TOO_LONG: Final = re.compile(
    r"token count\b.*\bexceeds|exceeds the maximum number of tokens|payload size exceeds"
)
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)s\Z")


def generate_content_body(request: JudgeRequest) -> JsonObject:
    """The body of a call.

    The schema goes as ``responseJsonSchema``, which takes JSON Schema as it is; ``propertyOrdering`` keeps
    the order of its properties, so that a rationale is written before its answer. Gemma 3 takes neither a
    schema nor a system instruction: it is told in the first message, as ADK tells it. Options may be in
    snake_case, as ADK's ``GenerateContentConfig`` has them, or in camelCase, as the REST API has them.

    Raises:
        JudgeError: ``provider_options`` would replace what the client sets.
    """
    body: JsonObject = {
        "contents": [
            {"role": "model" if message.role == "assistant" else "user", "parts": [{"text": message.text}]}
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


def generate_content_reply(body: JsonObject) -> JudgeReply:
    """The first candidate of an answer, without the model's thoughts.

    A blocked prompt and a blocked candidate are replies with the finish reason ``safety``.

    Raises:
        JudgeError: the answer holds no candidate, or a finished one without a word.
    """
    candidates = objects_of(body.get("candidates"))
    blocked = text_of(object_of(body.get("promptFeedback")).get("blockReason"))
    candidate = candidates[0] if candidates else {}
    parts = objects_of(object_of(candidate.get("content")).get("parts"))
    text = "".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True)
    finish: FinishReason = _FINISH_REASONS.get(text_of(candidate.get("finishReason")), "other")
    if blocked and not candidates:
        finish = "safety"
    elif not candidates:
        raise JudgeError("the answer holds no candidate", code="malformed")
    elif finish == "stop" and not text:
        raise JudgeError("the answer's candidate is finished and holds no text", code="malformed")
    return JudgeReply(
        text=text,
        finish_reason=finish,
        model_version=text_of(body.get("modelVersion")) or None,
        usage=_usage(body.get("usageMetadata")),
    )


def generate_content_failure(status: int, body: Any) -> JudgeErrorCode | None:  # noqa: ARG001 - the body says it better
    """The class of a failure; ``None`` where the body does not say it.

    A limit per minute passes while one waits, a limit per day and an unpaid bill do not: they are ``quota``.
    """
    error = _error_of(body)
    message = text_of(error.get("message")).lower()
    details = objects_of(error.get("details"))
    reasons = {text_of(detail.get("reason")) for detail in details}
    name = text_of(error.get("status"))
    if "BILLING_DISABLED" in reasons:
        return "quota"
    if any(reason.startswith("API_KEY_") for reason in reasons) or "api key not valid" in message:
        return "auth"
    if name == "RESOURCE_EXHAUSTED":
        quotas = [
            text_of(violation.get("quotaId"))
            for detail in details
            for violation in objects_of(detail.get("violations"))
        ]
        used_up = any("PerDay" in quota for quota in quotas) or "credits are depleted" in message
        return "quota" if used_up else "rate_limit"
    if name in {"INVALID_ARGUMENT", "FAILED_PRECONDITION"}:
        return _refusal_of(message)
    return _FAILURES.get(name)


def generate_content_retry_after(body: Any) -> float | None:
    """Seconds to wait by the ``google.rpc.RetryInfo`` of a failure; ``None`` where there is none."""
    for detail in objects_of(_error_of(body).get("details")):
        if found := _DURATION.match(text_of(detail.get("retryDelay"))):
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
    # Vertex AI sends some failures as a list of one.
    errors = objects_of(body) or [object_of(body)]
    return object_of(errors[0].get("error"))


def _usage(found: object) -> Usage | None:
    counts = object_of(found)
    if not counts:
        return None
    thoughts = count_of(counts.get("thoughtsTokenCount"))
    return Usage(
        input_tokens=count_of(counts.get("promptTokenCount")),
        # Thoughts are billed as output, and are not among the candidates' tokens.
        output_tokens=sum_of(count_of(counts.get("candidatesTokenCount")), thoughts),
        total_tokens=count_of(counts.get("totalTokenCount")),
        cached_tokens=count_of(counts.get("cachedContentTokenCount")),
        reasoning_tokens=thoughts,
        tool_use_tokens=count_of(counts.get("toolUsePromptTokenCount")),
    )


def _ordered(schema: JsonObject) -> JsonObject:
    ordered = dict(schema)
    if properties := object_of(schema.get("properties")):
        ordered["properties"] = {name: _ordered(part) for name, part in properties.items()}
        ordered["propertyOrdering"] = list(properties)
    if items := object_of(schema.get("items")):
        ordered["items"] = _ordered(items)
    return ordered


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
