"""The content parts of a message: texts, images, and Anthropic's calls and results.

Names: the OpenAI API reference, "chat completion message" and "responses"; Anthropic's Messages API, "content blocks".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn, cast

from adjudge.adk.validation import is_list, is_object
from adjudge.errors import InputError, Problem
from adjudge.kit import items as made
from adjudge.kit.openai.arguments import arguments_of
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.items import Blob, Claim, Item, Opaque, Text, ToolCall, ToolResult

_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_THOUGHTS: Final = {"thinking": "thinking", "reasoning": "text"}
"""The types of reasoning parts, and the key of their text."""
_IMAGES: Final = frozenset({"image_url", "input_image"})
_SOURCES: Final = frozenset({"image", "document"})
_USE: Final = "tool_use"
_RESULT: Final = "tool_result"


def items_of_content(content: object, path: str) -> list[Item]:
    """Read the content of a message: ``None``, a text, or a list of parts. Unknown parts become ``Opaque`` items.

    Args:
        content: The JSON of the content.
        path: The JSON path of the content, for error messages.

    Raises:
        InputError: the content has another type.
    """
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [made.text(content)]
    if not isinstance(content, list):
        refuse(path, f"found {type(content).__name__}, expected text, a list of parts or null")
    parts = cast("Sequence[object]", content)
    return [_part(part, f"{path}[{index}]") for index, part in enumerate(parts)]


def value_of_result(content: Any) -> JsonValue:
    """The value of a tool result: a list of only texts is joined to one text; other values are unchanged."""
    if not is_list(content) or not content:
        return content
    kinds = [part.get("type") if is_object(part) else None for part in content]
    if not all(isinstance(kind, str) and kind in _TEXTS for kind in kinds):
        return content
    texts = [part.get("text") for part in content]
    is_text = len(texts) == len(content) and all(isinstance(text, str) for text in texts)
    return "\n".join(map(str, texts)) if is_text else content


def refuse(path: str, what: str) -> NoReturn:
    """Raise an ``InputError`` about the value at ``path``."""
    raise InputError(Problem(what=what, path=path))


def _part(part: object, path: str) -> Item:
    if isinstance(part, str):
        return made.text(part)
    if not isinstance(part, dict):
        refuse(path, f"found {type(part).__name__}, expected a content part")
    data = cast("JsonObject", part)
    kind = data.get("type")
    if not isinstance(kind, str):
        return Opaque(name="part", value=data)
    return _known_part(kind, data) or Opaque(name=kind, value=data)


def _known_part(kind: str, data: JsonObject) -> Item | None:
    if kind in _TEXTS and isinstance(text := data.get("text"), str):
        return made.text(text)
    if kind == "refusal" and isinstance(text := data.get("refusal"), str):
        return Text(text=text, extra={"type": "refusal"})
    if kind in _THOUGHTS and isinstance(text := data.get(_THOUGHTS[kind]), str):
        return Claim(text=text, extra=_others(data, _THOUGHTS[kind]))
    if kind in _IMAGES:
        image = data.get("image_url")
        url = cast("JsonObject", image).get("url") if isinstance(image, dict) else image
        return Blob(uri=url) if isinstance(url, str) else None
    if kind in _SOURCES:
        return _blob(data.get("source"))
    if kind.endswith(_USE) and isinstance(name := data.get("name"), str):
        args, raw = arguments_of(data.get("input"))
        # Calls of the provider's own tools have other types: "server_tool_use", "mcp_tool_use".
        others = _others(data, "id", "name", "input")
        extra = others if kind == _USE else {"type": kind, **(others or {})}
        return ToolCall(name=name, args=args, raw_args=raw, id=_text(data.get("id")), extra=extra)
    if kind.endswith(_RESULT):
        return ToolResult(
            name=_text(data.get("name")),
            value=value_of_result(data.get("content")),
            call_id=_text(data.get("tool_use_id")),
            extra=_others(data, "name", "content", "tool_use_id"),
        )
    return None


def _blob(source: object) -> Blob | None:
    found = cast("JsonObject", source) if isinstance(source, dict) else {}
    mime_type, data = _text(found.get("media_type")), _text(found.get("data"))
    uri = _text(found.get("url")) or _text(found.get("file_id"))
    is_text = found.get("type") == "text"
    return (
        None if is_text or (data is None and uri is None) else Blob(mime_type=mime_type, data=data, uri=uri)
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _others(data: JsonObject, *read: str) -> JsonObject | None:
    """The keys that are not in ``read``, for ``extra``."""
    return {key: value for key, value in data.items() if key not in read and key != "type"} or None
