"""Reads messages whose fields are separate attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import Blob, Claim, Item, JsonObject, Opaque, Text, ToolCall, ToolResult
from adjudge_plugins.readers import spans

_TOOLS: Final = frozenset({"tool", "function"})
"""The roles of a message with a tool's result."""

_MESSAGE: Final = frozenset(
    {
        *("message.role", "message.content", "message.contents", "message.name"),
        *("message.tool_calls", "message.tool_call_id"),
        *("message.function_call_name", "message.function_call_arguments_json"),
    }
)
_CALL: Final = frozenset({"tool_call.id", "tool_call.function.name", "tool_call.function.arguments"})
_KIND: Final = "message_content.type"
_TEXT: Final = "message_content.text"
_IMAGE: Final = "message_content.image.image.url"
_USE: Final = "message_content.tool_use."
_RESULT: Final = "message_content.tool_result."


def messages_of(attributes: Mapping[str, Any], prefix: str, notes: spans.Notes) -> tuple[spans.Message, ...]:
    """The messages in the attributes with this prefix, in order."""
    raw = spans.unfolded(attributes, prefix)
    return notes.messages(raw, lambda found: _message(found, notes.losses))


def _message(found: JsonObject, losses: logs.Losses) -> spans.Message:
    _lose_others(found, _MESSAGE, losses)
    told = found.get("message.role")
    role = told.lower() if isinstance(told, str) else ""
    call_id = found.get("message.tool_call_id")
    content = found.get("message.content")
    # The parts of a message have one of two attribute names.
    said = [] if isinstance(content, list) else _text(content)
    written = (
        *logs.list_of(found.get("message.content")),
        *logs.list_of(found.get("message.contents")),
    )
    parts = [_part(part, losses) for part in written]
    if said and "\n".join(part.text for part in parts if isinstance(part, Text)) == content:
        said = []  # some instrumentations write the text twice: as the content, and as its parts
    if isinstance(call_id, str) and role not in _TOOLS and said:
        items = [_result(found, call_id, said), *parts]  # a user's message may contain a result
    elif (isinstance(call_id, str) or role in _TOOLS) and not any(isinstance(it, ToolResult) for it in parts):
        items = [_result(found, call_id, [*said, *parts]), *(it for it in parts if not isinstance(it, Text))]
    else:
        items = [*said, *parts]
    items += [_call(call, losses) for call in _objects(found.get("message.tool_calls"))]
    if isinstance(name := found.get("message.function_call_name"), str):
        args, raw = logs.arguments_of(found.get("message.function_call_arguments_json"))
        items.append(ToolCall(name=name, args=args, raw_args=raw))
    return spans.Message(role, logs.items_without_blobs(items, losses))


def _text(value: Any) -> list[Item]:
    return [] if value in (None, "") else [Text(text=logs.text_of(value))]


def _part(value: Any, losses: logs.Losses) -> Item:
    part = logs.object_of(value)
    if not part:
        return Text(text=logs.text_of(value))
    kind, text = part.get(_KIND), part.get(_TEXT)
    name = kind if isinstance(kind, str) else "content"
    if isinstance(text, str):
        _lose_others(part, frozenset({_KIND, _TEXT}), losses)
        return Claim(text=text) if kind == "reasoning" else Text(text=text)
    if isinstance(url := part.get(_IMAGE), str):
        return Blob(uri=url)
    if isinstance(tool := part.get(f"{_USE}name"), str):
        args, raw = logs.arguments_of(part.get(f"{_USE}input"))
        return ToolCall(name=tool, args=args, raw_args=raw, id=_id(part.get(f"{_USE}id")))
    if any(key.startswith(_RESULT) for key in part):
        return _result_of_part(part)
    return Opaque(name=name, value=part)


def _result_of_part(part: JsonObject) -> ToolResult:
    """A tool's result as a part of a user's message."""
    content: Any = part.get(f"{_RESULT}content")
    status = part.get(f"{_RESULT}status")
    texts = [logs.object_of(part).get(_TEXT) for part in logs.list_of(content)]
    if texts and all(isinstance(text, str) for text in texts):
        content = "\n".join(map(str, texts))
    return ToolResult(
        value=content,
        call_id=_id(part.get(f"{_RESULT}tool_use_id")),
        extra={"status": status} if status is not None else None,
    )


def _result(found: JsonObject, call_id: Any, items: list[Item]) -> ToolResult:
    name = found.get("message.name")
    texts = [item.text for item in items if isinstance(item, Text)]
    return ToolResult(
        name=name if isinstance(name, str) else None,
        value="\n".join(texts) if texts else None,
        call_id=_id(call_id),
    )


def _call(call: JsonObject, losses: logs.Losses) -> Item:
    name = call.get("tool_call.function.name")
    if not isinstance(name, str):
        return Opaque(name="tool_call", value=call)
    _lose_others(call, _CALL, losses)
    args, raw = logs.arguments_of(call.get("tool_call.function.arguments"))
    return ToolCall(name=name, args=args, raw_args=raw, id=_id(call.get("tool_call.id")))


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _lose_others(found: JsonObject, known: frozenset[str], losses: logs.Losses) -> None:
    for key in found:
        if key not in known:
            losses.add(f"{key} of a message")


def _objects(value: Any) -> list[JsonObject]:
    return [found for found in map(logs.object_of, logs.list_of(value)) if found]
