"""ADK's additions to the conventions: requests and responses in its own JSON format."""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.adk import content_from_adk
from adjudge.model import Content, JsonObject, Text
from adjudge.plugin import InputError
from adjudge_plugins.readers import spans

ARGUMENTS: Final = "gcp.vertex.agent.tool_call_args"
RESPONSE: Final = "gcp.vertex.agent.tool_response"
_MERGED: Final = "(merged tools)"
"""The name of ADK's span for the merged results of parallel calls."""

_REQUEST: Final = "gcp.vertex.agent.llm_request"
_ANSWER: Final = "gcp.vertex.agent.llm_response"

READ: Final = frozenset(
    {
        *(ARGUMENTS, RESPONSE, _REQUEST, _ANSWER),
        *(f"gcp.vertex.agent.{name}" for name in ("session_id", "invocation_id", "event_id")),
    }
)
"""ADK's attributes that are read, or that repeat ids of its events."""


def is_model_call(span: spans.Span) -> bool:
    """Whether it is ADK's span ``call_llm``, which names no operation. Tool spans have the attribute, but empty."""
    return span.text("gen_ai.operation.name") is None and _REQUEST in span.attributes


def is_merged(span: spans.Span) -> bool:
    """Whether it is ADK's span for the merged results of parallel calls. Each call also has its own span."""
    named = span.text("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    return span.text("gen_ai.operation.name") == "execute_tool" and named == _MERGED


def messages_of_call(
    span: spans.Span, notes: spans.Notes
) -> tuple[tuple[spans.Message, ...], tuple[spans.Message, ...]]:
    """The input and the output messages of a model call."""
    given = logs.list_of(_object(span.attributes.get(_REQUEST), notes.losses).get("contents"))
    gave = _object(span.attributes.get(_ANSWER), notes.losses).get("content")

    def make(raw: Any) -> spans.Message:
        return _message(raw, notes.losses)

    return notes.messages(given, make), notes.messages([] if gave is None else [gave], make)


def instructions(span: spans.Span) -> str:
    """The system instruction."""
    given = _config(span).get("system_instruction")
    if given is None or isinstance(given, str):
        return given or ""
    content = _content(given)
    return content.text if content is not None else ""


def tools(span: spans.Span) -> tuple[Any, ...]:
    """The declarations of functions; other tools unchanged."""
    found: list[Any] = []
    listed = _config(span).get("tools")
    for tool in logs.list_of(listed):
        found += logs.list_of(logs.object_of(tool).get("function_declarations")) or [tool]
    return tuple(found)


def _config(span: spans.Span) -> JsonObject:
    if _REQUEST not in span.attributes:
        return {}
    # Repairs in a request are reported where its messages are read.
    return _object(_object(span.attributes.get(_REQUEST), logs.Losses()).get("config"), logs.Losses())


def _object(value: Any, losses: logs.Losses) -> JsonObject:
    found, _ = spans.json_of(value, losses)
    return logs.object_of(found)


def _message(raw: Any, losses: logs.Losses) -> spans.Message:
    content = _content(raw)
    if content is None:
        losses.add("content that ADK wrote in another shape")
        return spans.Message("", ())
    return spans.Message(content.role or "user", logs.items_without_blobs(content.items, losses))


def _content(value: Any) -> Content | None:
    if isinstance(value, str):
        return Content(items=(Text(text=value),))
    try:
        return content_from_adk(logs.object_of(value)) if value else None
    except InputError:
        return None
