"""Constructors of items and steps without validation, for readers that have checked the types of the values.

A long log has hundreds of thousands of items, and validation takes most of the time of their construction. The values
are kept as they are: nobody may change them afterwards.
"""

from __future__ import annotations

from typing import Final

from adjudge.model.base import JsonObject, JsonValue, made_of
from adjudge.model.items import Claim, ClaimField, ErrorItem, Item, Observation, Text, ToolCall, ToolResult
from adjudge.model.step import Step, StepForm, Usage

__all__ = ["call", "claim", "error", "observation", "result", "step", "text"]

_CLAIM: Final = {"field", "text"}
_TEXT: Final = {"text"}
_CALL: Final = {"name", "args", "id", "raw_args", "extra"}
_RESULT: Final = {"name", "value", "call_id", "extra"}
_OBSERVATION: Final = {"text", "source"}
_ERROR: Final = {"message", "code"}
_STEP: Final = {
    *("number", "items", "author", "role", "form", "source_ref", "model", "usage"),
    *("started_at", "duration", "parent_call_id", "extra"),
}


def claim(text: str, field: ClaimField = "thinking") -> Claim:
    """A claim."""
    return made_of(Claim, {"extra": None, "kind": "claim", "field": field, "text": text}, _CLAIM)


def text(text: str) -> Text:
    """A text."""
    return made_of(Text, {"extra": None, "kind": "text", "text": text}, _TEXT)


def call(
    name: str,
    args: JsonObject | None,
    raw_args: str | None = None,
    *,
    id: str | None = None,  # noqa: A002 - the name of the field
    extra: JsonObject | None = None,
) -> ToolCall:
    """A tool call."""
    values = {"extra": extra, "kind": "call", "name": name, "args": args, "id": id, "raw_args": raw_args}
    return made_of(ToolCall, values, _CALL)


def result(
    value: JsonValue,
    *,
    name: str | None = None,
    call_id: str | None = None,
    extra: JsonObject | None = None,
) -> ToolResult:
    """The result of a tool call."""
    values = {"extra": extra, "kind": "result", "name": name, "value": value, "call_id": call_id}
    return made_of(ToolResult, values, _RESULT)


def observation(text: str, source: str | None = None) -> Observation:
    """An observation."""
    return made_of(
        Observation, {"extra": None, "kind": "observation", "text": text, "source": source}, _OBSERVATION
    )


def error(message: str, code: str | None = None) -> ErrorItem:
    """An error."""
    return made_of(ErrorItem, {"extra": None, "kind": "error", "message": message, "code": code}, _ERROR)


def step(
    number: int,
    items: tuple[Item, ...],
    *,
    author: str | None = None,
    role: str | None = None,
    form: StepForm | None = None,
    source_ref: str | None = None,
    model: str | None = None,
    usage: Usage | None = None,
    started_at: float | None = None,
    duration: float | None = None,
    parent_call_id: str | None = None,
    extra: JsonObject | None = None,
) -> Step:
    """A step."""
    return made_of(
        Step,
        {
            "number": number,
            "items": items,
            "author": author,
            "role": role,
            "form": form,
            "source_ref": source_ref,
            "model": model,
            "usage": usage,
            "started_at": started_at,
            "duration": duration,
            "parent_call_id": parent_call_id,
            "raw_event": None,
            "model_request": None,
            "model_response": None,
            "extra": extra,
        },
        _STEP,
    )
