"""Message content in older versions of the conventions: one event per message, or numbered attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.otel_genai_reader.messages import items_of_openai

_ROLES: Final = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_AGENT: Final = "assistant"
_CHOICE: Final = "gen_ai.choice"
EVENTS: Final = frozenset({*_ROLES, _CHOICE})
"""The names of the events that are read."""


def messages_of_events(
    span: spans.Span, notes: spans.Notes
) -> tuple[tuple[spans.Message, ...], tuple[spans.Message, ...]]:
    """The input and the output messages of a model call.

    Events: ``gen_ai.user.message`` and similar ones, and ``gen_ai.choice`` (conventions up to 1.36).
    Attributes: ``gen_ai.prompt.0.content`` and ``gen_ai.completion.0.content`` (Traceloop).
    """
    given = [
        {"role": role, **event.attributes}
        for event in span.events
        if (role := _ROLES.get(event.name)) is not None
    ]
    gave = [{"role": _AGENT, **_choice(event.attributes)} for event in span.events if event.name == _CHOICE]
    if not given and not gave:
        given = list(_numbered(span.attributes, "gen_ai.prompt"))
        gave = [{"role": _AGENT, **found} for found in _numbered(span.attributes, "gen_ai.completion")]

    def make(raw: JsonObject) -> spans.Message:
        return _message(raw, notes.losses)

    return notes.messages(given, make), notes.messages(gave, make)


def _choice(attributes: JsonObject) -> JsonObject:
    message, _ = spans.json_of(attributes.get("message"))
    return logs.object_of(message) or {**attributes, "content": message}


def _message(found: JsonObject, losses: logs.Losses) -> spans.Message:
    told = found.get("role")
    role = told if isinstance(told, str) else "user"
    calls, _ = spans.json_of(found.get("tool_calls"), losses)
    message: JsonObject = {"role": role, "content": found.get("content"), "tool_calls": calls}
    if role == "tool":
        message["tool_call_id"] = found.get("tool_call_id", found.get("id"))
    return spans.Message(role, tuple(items_of_openai(message, losses)))


def _numbered(attributes: JsonObject, prefix: str) -> Iterator[JsonObject]:
    """Rebuild objects from attributes such as ``prefix.0.key`` and ``prefix.0.tool_calls.0.key``."""
    for found in spans.unfolded(attributes, prefix):
        calls = [{"function": call, "id": call.get("id")} for call in _calls(found)]
        yield {**found, "tool_calls": calls or None}


def _calls(found: JsonObject) -> list[JsonObject]:
    return [call for call in map(logs.object_of, logs.list_of(found.get("tool_calls"))) if call]
