"""What ADK writes beside the conventions: requests and responses as its own JSON."""

from __future__ import annotations

from typing import Any, Final

from adjudge.plugin import Content, InputError, JsonObject, Text, content_from_adk, reading

ARGUMENTS: Final = "gcp.vertex.agent.tool_call_args"
RESPONSE: Final = "gcp.vertex.agent.tool_response"
_MERGED: Final = "(merged tools)"
"""What ADK calls the span of the joined results of parallel calls."""

_REQUEST: Final = "gcp.vertex.agent.llm_request"
_ANSWER: Final = "gcp.vertex.agent.llm_response"

READ: Final = frozenset(
    {
        *(ARGUMENTS, RESPONSE, _REQUEST, _ANSWER),
        *(f"gcp.vertex.agent.{name}" for name in ("session_id", "invocation_id", "event_id")),
    }
)
"""The attributes of ADK that are read, or name what its events are called elsewhere."""


def is_model_call(span: reading.spans.Span) -> bool:
    """Whether it is ADK's span ``call_llm``, which names no operation. Tools have the attribute too, but empty."""
    return span.text("gen_ai.operation.name") is None and _REQUEST in span.attributes


def is_merged(span: reading.spans.Span) -> bool:
    """Whether it is ADK's span of the joined results of parallel calls, which have spans of their own."""
    named = span.text("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    return span.text("gen_ai.operation.name") == "execute_tool" and named == _MERGED


def messages_of_call(
    span: reading.spans.Span, notes: reading.spans.Notes
) -> tuple[tuple[reading.spans.Message, ...], tuple[reading.spans.Message, ...]]:
    """What the model was given and what it gave."""
    given = reading.list_of(_object(span.attributes.get(_REQUEST), notes.losses).get("contents"))
    gave = _object(span.attributes.get(_ANSWER), notes.losses).get("content")

    def make(raw: Any) -> reading.spans.Message:
        return _message(raw, notes.losses)

    return notes.messages(given, make), notes.messages([] if gave is None else [gave], make)


def instructions(span: reading.spans.Span) -> str:
    """The system instruction."""
    given = _config(span).get("system_instruction")
    if given is None or isinstance(given, str):
        return given or ""
    content = _content(given)
    return content.text if content is not None else ""


def tools(span: reading.spans.Span) -> tuple[Any, ...]:
    """The declarations of functions; other tools as they are."""
    found: list[Any] = []
    listed = _config(span).get("tools")
    for tool in reading.list_of(listed):
        found += reading.list_of(reading.object_of(tool).get("function_declarations")) or [tool]
    return tuple(found)


def _config(span: reading.spans.Span) -> JsonObject:
    # What is mended in a request is said where its messages are read.
    return _object(_object(span.attributes.get(_REQUEST), reading.Losses()).get("config"), reading.Losses())


def _object(value: Any, losses: reading.Losses) -> JsonObject:
    found, _ = reading.spans.json_of(value, losses)
    return reading.object_of(found)


def _message(raw: Any, losses: reading.Losses) -> reading.spans.Message:
    content = _content(raw)
    if content is None:
        losses.add("content that ADK wrote in another shape")
        return reading.spans.Message("", ())
    return reading.spans.Message(content.role or "user", reading.items_without_blobs(content.items, losses))


def _content(value: Any) -> Content | None:
    if isinstance(value, str):
        return Content(items=(Text(text=value),))
    try:
        return content_from_adk(reading.object_of(value)) if value else None
    except InputError:
        return None
