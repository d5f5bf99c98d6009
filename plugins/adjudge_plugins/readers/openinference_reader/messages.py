"""Messages that are written out over many attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.plugin import Blob, Claim, Item, JsonObject, Opaque, Text, ToolCall, ToolResult, reading


def messages_of(
    attributes: Mapping[str, Any], prefix: str, notes: reading.spans.Notes
) -> tuple[reading.spans.Message, ...]:
    """The messages under ``prefix``, in order."""
    raw = reading.spans.unfolded(attributes, prefix)
    return notes.messages(raw, lambda found: _message(found, notes.losses))


def _message(found: JsonObject, losses: reading.Losses) -> reading.spans.Message:
    told = found.get("message.role")
    role = told if isinstance(told, str) else ""
    call_id = found.get("message.tool_call_id")
    items = [
        *_content(found.get("message.content")),
        *(_part(part, losses) for part in _objects(found.get("message.contents"))),
    ]
    if role in {"tool", "function"} or isinstance(call_id, str):
        items = [_result(found, call_id, items)]
    items += [_call(call, losses) for call in _objects(found.get("message.tool_calls"))]
    if isinstance(name := found.get("message.function_call_name"), str):
        args, raw = reading.arguments_of(found.get("message.function_call_arguments_json"))
        items.append(ToolCall(name=name, args=args, raw_args=raw))
    return reading.spans.Message(role, tuple(items))


def _content(value: Any) -> Iterator[Item]:
    if value not in (None, ""):
        yield Text(text=reading.text_of(value))


def _part(part: JsonObject, losses: reading.Losses) -> Item:
    kind = part.get("message_content.type")
    text = part.get("message_content.text")
    if kind == "reasoning" and isinstance(text, str):
        return Claim(text=text)
    if isinstance(text, str):
        return Text(text=text)
    url = part.get("message_content.image.image.url")
    if not isinstance(url, str):
        name = kind if isinstance(kind, str) else "content"
        return Opaque(name=name, value=reading.without_blobs(part, losses))
    if not url.startswith("data:"):
        return Blob(uri=url)
    losses.add("the content of a blob")
    return reading.blob_of(url)


def _result(found: JsonObject, call_id: Any, items: list[Item]) -> ToolResult:
    name = found.get("message.name")
    texts = [item.text for item in items if isinstance(item, Text)]
    return ToolResult(
        name=name if isinstance(name, str) else None,
        value="\n".join(texts) if texts else None,
        call_id=call_id if isinstance(call_id, str) else None,
    )


def _call(call: JsonObject, losses: reading.Losses) -> Item:
    name, call_id = call.get("tool_call.function.name"), call.get("tool_call.id")
    if not isinstance(name, str):
        return Opaque(name="tool_call", value=reading.without_blobs(call, losses))
    args, raw = reading.arguments_of(call.get("tool_call.function.arguments"))
    return ToolCall(
        name=name,
        args=args,
        raw_args=raw,
        id=call_id if isinstance(call_id, str) else None,
    )


def _objects(value: Any) -> list[JsonObject]:
    return [found for found in map(reading.object_of, reading.list_of(value)) if found]
