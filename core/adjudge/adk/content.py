"""Reads ADK ``Content`` and ``Part`` (google-genai types) as ``Content`` and items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from adjudge.adk import schema
from adjudge.adk.validation import FileObject
from adjudge.model.base import JsonObject
from adjudge.model.items import Blob, Claim, Content, Item, Opaque, Text, ToolCall, ToolResult

SUBJECTS: Final = (
    "function_call",
    "function_response",
    "text",
    "inline_data",
    "file_data",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
    "audio_transcription",
)
"""The kinds of a part, in order of priority if there are several."""

EMPTY_PART: Final = "part"
"""The name of an item without a known kind, for instance a part with only a thought signature."""

_TEXT_ALONE: Final = {"text"}


def content_of(found: schema.Content) -> Content:
    """Convert an ADK ``Content`` to the model's ``Content``."""
    return Content(role=found.role, items=items_of(found.parts or ()), has_parts=found.parts is not None)


def items_of(parts: Iterable[schema.Part]) -> tuple[Item, ...]:
    """Convert each ADK ``Part`` to one item."""
    return tuple([_item_of(part) for part in parts])


def _item_of(part: schema.Part) -> Item:
    if part.text is not None and part.model_fields_set == _TEXT_ALONE:
        return Text(text=part.text)
    given = _without(part)
    subject = next((name for name in SUBJECTS if name in given), None)
    if subject is None:
        return Opaque(name=EMPTY_PART, extra=_plain(given))
    match value := given.pop(subject):
        case schema.FunctionCall():
            return call_of(value, given)
        case schema.FunctionResponse():
            return result_of(value, given)
        case schema.Blob(data=str()):
            rest = _without(value, "data", "mime_type") | given
            return Blob(mime_type=value.mime_type, data=value.data, extra=_plain(rest))
        case schema.FileData(file_uri=str()):
            rest = _without(value, "file_uri", "mime_type") | given
            return Blob(mime_type=value.mime_type, uri=value.file_uri, extra=_plain(rest))
        case str() if subject == "text":
            if part.thought:
                del given["thought"]
                return Claim(field="thinking", text=value, extra=_plain(given))
            return Text(text=value, extra=_plain(given))
        case _:
            value = _without(value) if isinstance(value, FileObject) else value
            return Opaque(name=subject, value=value, extra=_plain(given))


def call_of(found: schema.FunctionCall, extra: JsonObject | None = None) -> ToolCall:
    """Convert an ADK ``FunctionCall`` to a ``ToolCall``; ``extra`` has the other keys of its part."""
    rest = _without(found, "name", "args", "id")
    if found.name is None:
        # A later piece of a streamed call has no name. The key stays, so that saving leaves it out.
        rest["name"] = None
    return ToolCall(
        name=found.name or "", args=found.args, id=found.id, extra=_plain(rest | extra if extra else rest)
    )


def result_of(found: schema.FunctionResponse, extra: JsonObject | None = None) -> ToolResult:
    """Convert an ADK ``FunctionResponse`` to a ``ToolResult``; ``extra`` has the other keys of its part."""
    rest = _without(found, "name", "response", "id")
    extra = _plain(rest | extra if extra else rest)
    return ToolResult(name=found.name, value=found.response, call_id=found.id, extra=extra)


def _without(found: FileObject, *names: str) -> JsonObject:
    """All non-null keys of an object, including unknown keys, except ``names``."""
    given = {name: value for name, value in found.__dict__.items() if value is not None and name not in names}
    return {**given, **found.model_extra} if found.model_extra else given


def _plain(given: JsonObject) -> JsonObject | None:
    """The values with nested objects converted to JSON; ``None`` if there are none."""
    return {
        name: _without(value) if isinstance(value, FileObject) else value for name, value in given.items()
    } or None
