"""ADK ``Content`` and ``Part`` (google-genai types) as ``Content`` and items, and back."""

from __future__ import annotations

from typing import Final

from adjudge.adk import schema
from adjudge.adk.validation import Findings, kind
from adjudge.model.base import JsonObject
from adjudge.model.items import Blob, Claim, Content, Item, Opaque, Text, ToolCall, ToolResult

# What a part is about, in the order in which one is chosen should there be several.
_SUBJECTS: Final = (
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
EMPTY_PART: Final = "part"
"""The name of an item that is about nothing, for instance a bare thought signature."""


def read_content(data: object, path: str, findings: Findings) -> Content:
    """ADK ``Content``; problems go to ``findings``."""
    found = findings.fields(data, schema.CONTENT, path)
    return Content(
        role=findings.string(found, "role", path),
        items=read_parts(found, "parts", path, findings),
        has_parts="parts" in found,
    )


def read_parts(found: JsonObject, name: str, path: str, findings: Findings) -> tuple[Item, ...]:
    """A list of ADK ``Part``."""
    parts = findings.items(found, name, path)
    return tuple([read_part(part, f"{path}.{name}[{i}]", findings) for i, part in enumerate(parts)])


def read_part(data: object, path: str, findings: Findings) -> Item:
    """ADK ``Part`` as one item."""
    found = findings.fields(data, schema.PART, path)
    if len(found) == 1 and isinstance(text := found.get("text"), str):
        return Text(text=text)
    if not isinstance(found.get("thought", False), bool):
        findings.problem(f"'thought' must be true or false, found {kind(found['thought'])}.", path)
    subject = next((name for name in _SUBJECTS if name in found), None)
    if subject is None:
        return Opaque(name=EMPTY_PART, extra=found or None)
    value = found.pop(subject)
    match subject:
        case "function_call":
            return read_call(value, f"{path}.function_call", findings, found)
        case "function_response":
            return read_result(value, f"{path}.function_response", findings, found)
        case "text":
            if not isinstance(value, str):
                findings.problem(f"'text' must be a string, found {kind(value)}.", path)
                value = ""
            if found.get("thought") is True:
                del found["thought"]
                return Claim(field="thinking", text=value, extra=found or None)
            return Text(text=value, extra=found or None)
        case "inline_data" | "file_data":
            return _read_blob(subject, value, f"{path}.{subject}", findings, found)
        case _:
            return Opaque(name=subject, value=value, extra=found or None)


def read_call(data: object, path: str, findings: Findings, extra: JsonObject | None = None) -> ToolCall:
    """ADK ``FunctionCall``; ``extra`` is what else its part had."""
    found = findings.fields(data, schema.FUNCTION_CALL, path)
    name = findings.string(found, "name", path)
    args = findings.object(found, "args", path)
    call_id = findings.string(found, "id", path)
    for known in ("name", "args", "id"):
        found.pop(known, None)
    if name is None:
        # A later piece of a streamed call has no name. The key stays, so that saving leaves it out.
        found["name"] = None
    return ToolCall(name=name or "", args=args, id=call_id, extra={**found, **(extra or {})} or None)


def read_result(data: object, path: str, findings: Findings, extra: JsonObject | None = None) -> ToolResult:
    """ADK ``FunctionResponse``; ``extra`` is what else its part had."""
    found = findings.fields(data, schema.FUNCTION_RESPONSE, path)
    name = findings.string(found, "name", path)
    value = findings.object(found, "response", path)
    call_id = findings.string(found, "id", path)
    for known in ("name", "response", "id"):
        found.pop(known, None)
    return ToolResult(name=name, value=value, call_id=call_id, extra={**found, **(extra or {})} or None)


def _read_blob(subject: str, data: object, path: str, findings: Findings, extra: JsonObject) -> Item:
    kind_of, where = (
        (schema.INLINE_DATA, "data") if subject == "inline_data" else (schema.FILE_DATA, "file_uri")
    )
    found = findings.fields(data, kind_of, path)
    if where not in found:
        return Opaque(name=subject, value=found, extra=extra or None)
    place = findings.string(found, where, path)
    mime_type = findings.string(found, "mime_type", path)
    found.pop(where)
    found.pop("mime_type", None)
    rest = {**found, **extra} or None
    if where == "data":
        return Blob(mime_type=mime_type, data=place, extra=rest)
    return Blob(mime_type=mime_type, uri=place, extra=rest)
