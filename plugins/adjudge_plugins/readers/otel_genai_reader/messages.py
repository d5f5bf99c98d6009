"""Messages of the conventions, each with a role and typed parts."""

from __future__ import annotations

from typing import Any, cast

from adjudge.kit import items as made
from adjudge.kit import logs
from adjudge.kit.openai import step_from_openai
from adjudge.model import Blob, Item, JsonObject, Opaque, Text
from adjudge.plugin import (
    InputError,
)
from adjudge_plugins.readers import spans


def messages_of(value: Any, name: str, notes: spans.Notes) -> tuple[spans.Message, ...]:
    """Parse the messages of an attribute, which is a list or a JSON text.

    Args:
        value: The attribute; ``None`` if it is absent.
        name: The name of the attribute, for reports of losses: exporters truncate long attributes.
        notes: Collects what cannot be kept.
    """
    if value is None:
        return ()
    found, _ = spans.json_of(value, notes.losses)
    listed = logs.list_of(found)
    if not listed and found != []:
        notes.losses.add(f"{name}, which is no list of messages (a long attribute may have been cut off)")
    return notes.messages(listed, lambda raw: _message(raw, notes.losses))


def instructions_of(value: Any, losses: logs.Losses) -> str:
    """The texts of ``gen_ai.system_instructions``, which is a list of parts."""
    if value is None:
        return ""
    listed, _ = spans.json_of(value, losses)
    parts = logs.list_of(listed) or [listed]
    items = [
        _part(part, losses) if isinstance(part, dict) else Text(text=logs.text_of(part)) for part in parts
    ]
    return "\n".join(item.text for item in items if isinstance(item, Text))


def _message(raw: Any, losses: logs.Losses) -> spans.Message:
    message = logs.object_of(raw) or {"content": raw}
    role = message.get("role")
    if isinstance(message.get("parts"), list):
        items = [_part(part, losses) for part in logs.list_of(message["parts"])]
    else:
        items = items_of_openai(message, losses)
    return spans.Message(role if isinstance(role, str) else "", tuple(items))


def items_of_openai(message: JsonObject, losses: logs.Losses) -> list[Item]:
    """The items of a message in the format of OpenAI's chat API, which some instrumentations use."""
    known = {**message, "role": message.get("role") if message.get("role") == "tool" else "assistant"}
    try:
        return list(logs.items_without_blobs(step_from_openai(known).items, losses))
    except InputError:
        return [Opaque(name="message", value=logs.without_blobs(message, losses))]


def _part(value: Any, losses: logs.Losses) -> Item:
    part = logs.object_of(value)
    if not part:
        return made.text(logs.text_of(value))
    content = part.get("content", part.get("text"))
    match part.get("type"):
        case "text" if isinstance(content, str):
            return made.text(content)
        case "reasoning" | "thinking" if isinstance(content, str):
            return made.claim(content)
        case "tool_call" if isinstance(part.get("name"), str):
            args, raw = logs.arguments_of(part.get("arguments"))
            return made.call(cast("str", part["name"]), args, raw, id=_text(part, "id"))
        case "tool_call_response":
            value = part.get("response", part.get("result"))
            return made.result(
                logs.without_blobs(value, losses), name=_text(part, "name"), call_id=_text(part, "id")
            )
        case "blob" if isinstance(data := part.get("content", part.get("data")), str):
            losses.add("the content of a blob")
            return logs.blob_of(data, mime_type=_text(part, "mime_type"))
        case "uri" | "file" if (uri := _text(part, "uri") or _text(part, "file_id")) is not None:
            return Blob(mime_type=_text(part, "mime_type"), uri=uri)
        case kind:
            name = kind if isinstance(kind, str) else "part"
            return Opaque(name=name, value=logs.without_blobs(part, losses))


def _text(part: JsonObject, key: str) -> str | None:
    value = part.get(key)
    return value if isinstance(value, str) and value else None
