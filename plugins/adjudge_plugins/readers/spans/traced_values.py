"""Model calls as tracing tools store them: values of any framework, in which messages must be found.

Recognised are messages of OpenAI, Anthropic, LangChain (in each of its serialised forms) and Gemini, lists of
them, objects that contain them, and plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import ROLES, arguments_of, messages_of_reply, step_from_item
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.items import Claim, Item, Opaque, Text, ToolCall, ToolResult
from adjudge.plugin import InputError
from adjudge_plugins.readers.spans.span_records import Message, json_of

_LISTS: Final = ("messages", "contents", "input", "output", "generations")
_WORDS: Final = ("prompt", "question", "query", "input", "output", "text", "answer", "result", "raw")
_LANGCHAIN: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "user",
    "developer": "developer",
    "remove": "system",
}
_CLASS: Final = re.compile(r"(Human|AI|System|Tool|Function|Chat|Developer)Message(?:Chunk)?")
_ROLE_IN_WORDS: Final = re.compile(r"^(system|user|assistant): ", re.MULTILINE)
_MAX_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class Exchange:
    """The messages, tools and other data found in a value."""

    messages: tuple[Message, ...] = ()
    instructions: str = ""
    tools: tuple[JsonValue, ...] = ()


def exchange_of(value: Any, role: str, losses: logs.Losses) -> Exchange:
    """Find the messages in the input or output of a model call or an agent.

    Args:
        value: The value; a JSON text is parsed.
        role: The role of texts without one: ``user`` or ``assistant``.
        losses: Collects what cannot be kept.
    """
    parsed = _parsed(value)
    held = logs.object_of(parsed)
    config = logs.object_of(held.get("config"))
    system = held.get("system") or held.get("system_instruction") or config.get("system_instruction")
    tools = [*logs.list_of(held.get("tools")), *logs.list_of(config.get("tools"))]
    messages: list[Message] = []
    for found in _found(parsed, role, 0):
        data = logs.object_of(found)
        declared = logs.object_of(data.get("content"))
        if data.get("role") == "tool" and is_object(declared.get("function")):
            tools.append(declared)  # LangChain's handlers write the declared tools among the messages
        else:
            messages.append(_message(data, role, losses))
    return Exchange(tuple(messages), _words(system), tuple(tools))


def result_of(value: Any) -> tuple[Any, str | None, JsonObject | None]:
    """The result of a tool, its call id, and its status, the last two if LangChain's message is stored."""
    parsed = _parsed(value)
    data = _unwrapped(logs.object_of(parsed))
    if not isinstance(data.get("tool_call_id"), str):
        data = _unwrapped(logs.object_of(logs.object_of(parsed).get("output")))
    call_id = data.get("tool_call_id")
    if isinstance(call_id, str) and "content" in data:
        status = data.get("status")
        return data["content"], call_id, {"status": status} if isinstance(status, str) else None
    return parsed, None, None


def plain_literal(value: Any) -> Any:
    """Parse arguments: a JSON text, or a simple Python literal with single quotes."""
    found, is_json = json_of(value)
    if is_json or not isinstance(value, str) or "'" not in value or '"' in value or "\\" in value:
        return found
    return json_of(value.replace("'", '"'))[0] if json_of(value.replace("'", '"'))[1] else value


def _parsed(value: Any) -> Any:
    """Parse JSON texts in a value, also nested ones, which tracing tools produce."""
    for _ in range(2):
        found, is_json = json_of(value)
        if (
            not isinstance(value, str)
            or not is_json
            or not (is_object(found) or is_list(found) or isinstance(found, str))
        ):
            break
        value = found
    return value


def _found(value: Any, role: str, depth: int) -> Iterator[JsonObject]:
    """Yield the messages in a value, in order, each as an object."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        yield from _in_words(value, role)
    elif is_list(value):
        for element in logs.list_of(value):
            yield from _found(_parsed(element) if depth else element, role, depth + 1)
    elif is_object(value):
        yield from _in_object(logs.object_of(value), role, depth)


def _in_object(held: JsonObject, role: str, depth: int) -> Iterator[JsonObject]:
    data = _unwrapped(held)
    if _is_message(data):
        inner = _parsed(data.get("content")) if data.get("role") == "assistant" else None
        if logs.list_of(logs.object_of(inner).get("generations")):  # ADOT writes LangChain's answers as text
            yield from _found(inner, role, depth + 1)
        else:
            yield data
        return
    replies = messages_of_reply(data)
    if replies:
        yield from (message for message, _ in replies)
        return
    if is_object(message := data.get("message")):  # a single generation
        inside = {**_unwrapped(logs.object_of(message))}
        inside.setdefault("content", data.get("text"))
        inside.setdefault("role", role)
        yield inside
        return
    for key in _LISTS:
        if isinstance(data.get(key), list | dict):
            yield from _found(data[key], role, depth + 1)
            return
    if arguments := [word for word in logs.list_of(data.get("args")) if isinstance(word, str)]:
        yield {"role": role, "content": "\n".join(arguments)}
        return
    content = logs.object_of(data.get("content"))
    if logs.list_of(content.get("parts")):  # an answer of Gemini
        yield {"role": "model", **content}
        return
    words = next((data[key] for key in _WORDS if isinstance(data.get(key), str) and data[key]), None)
    new = data.get("new_message")
    if words is not None:
        yield {"role": role, "content": words}
    elif new is not None:
        yield from _found(new, role, depth + 1)


def _is_message(data: JsonObject) -> bool:
    role = data.get("role")
    return isinstance(role, str) and ("content" in data or "parts" in data or "tool_calls" in data)


def _in_words(text: str, role: str) -> Iterator[JsonObject]:
    """Convert plain text to messages: one per role that begins a line, if the text begins with a role."""
    if not _ROLE_IN_WORDS.match(text):
        if text:
            yield {"role": role, "content": text}
        return
    _, *pieces = _ROLE_IN_WORDS.split(text)
    for speaker, words in zip(pieces[::2], pieces[1::2], strict=False):
        yield {"role": speaker, "content": words.removesuffix("\n")}


def _unwrapped(data: JsonObject) -> JsonObject:
    """Convert a message of LangChain in any serialised form to an object with a role; other objects are unchanged."""
    kind, kwargs = data.get("type"), data.get("kwargs")
    if kind == "constructor" and is_object(kwargs):
        name = logs.text_of(next(reversed(logs.list_of(data.get("id"))), ""))
        named = _CLASS.fullmatch(name)
        return _with_role({**logs.object_of(kwargs)}, named[1].lower() if named else "ai")
    if isinstance(kind, str) and kind in _LANGCHAIN and is_object(data.get("data")):
        return _with_role({**logs.object_of(data["data"])}, kind)
    named = _CLASS.fullmatch(kind) if isinstance(kind, str) else None
    if named is not None and "content" in data:
        return _with_role(data, named[1].lower())
    if isinstance(kind, str) and kind in _LANGCHAIN and "content" in data and "role" not in data:
        return _with_role(data, kind)
    return data


def _with_role(data: JsonObject, kind: str) -> JsonObject:
    role = data.get("role")
    return {**data, "role": role if isinstance(role, str) else _LANGCHAIN.get(kind, "user")}


def _message(data: JsonObject, role: str, losses: logs.Losses) -> Message:
    said = logs.text_of(data.get("role")) or role
    if is_list(data.get("parts")):
        parts = [item for part in logs.list_of(data["parts"]) for item in _of_gemini(logs.object_of(part))]
        return Message("assistant" if said == "model" else said, logs.items_without_blobs(parts, losses))
    known = {"human": "user", "ai": "assistant", "model": "assistant"}.get(said, said)
    inner = logs.object_of(data.get("additional_kwargs"))
    told: JsonObject = {
        "role": known if known in ROLES else role,
        "content": data.get("content"),
        "tool_calls": data.get("tool_calls") or inner.get("tool_calls"),
        "function_call": data.get("function_call") or inner.get("function_call"),
        "refusal": data.get("refusal"),
        "reasoning_content": data.get("reasoning_content") or inner.get("reasoning_content"),
        "tool_call_id": data.get("tool_call_id"),
        "name": data.get("name"),
    }
    if isinstance(data.get("type"), str) and "role" not in data:
        told = data
    told["tool_calls"] = [_call(call) for call in logs.list_of(told.get("tool_calls"))] or None
    try:
        items: list[Item] = list(step_from_item(told).items)
    except InputError:
        items = [Opaque(name="message", value=data)]
    if data.get("status") == "error" or data.get("is_error") is True:
        items = [
            item.model_copy(update={"extra": {**(item.extra or {}), "is_error": True}})
            if isinstance(item, ToolResult)
            else item
            for item in items
        ]
    called = {item.id for item in items if isinstance(item, ToolCall)}
    return Message(str(told.get("role", role)), logs.items_without_blobs(_once(items, called), losses))


def _once(items: Sequence[Item], called: set[str | None]) -> list[Item]:
    """Drop calls that also occur next to the content, as in LangChain's messages of Anthropic models."""
    seen: set[str | None] = set()
    kept: list[Item] = []
    for item in items:
        if isinstance(item, ToolCall) and item.id is not None and item.id in called:
            if item.id in seen:
                continue
            seen.add(item.id)
        kept.append(item)
    return kept


def _call(call: Any) -> Any:
    """Normalise a call; LangChain stores the arguments under ``args``."""
    data = logs.object_of(call)
    if "args" in data and "function" not in data:
        return {"id": data.get("id"), "function": {"name": data.get("name"), "arguments": data["args"]}}
    return call


def _of_gemini(part: JsonObject) -> Iterator[Item]:
    text = part.get("text")
    call = logs.object_of(part.get("function_call") or part.get("functionCall"))
    given = logs.object_of(part.get("function_response") or part.get("functionResponse"))
    if isinstance(text, str):
        yield Claim(text=text) if part.get("thought") is True else Text(text=text)
    elif isinstance(name := call.get("name"), str):
        args, raw = arguments_of(call.get("args"))
        yield ToolCall(name=name, args=args, raw_args=raw, id=_text(call.get("id")))
    elif given:
        yield ToolResult(
            name=_text(given.get("name")), value=given.get("response"), call_id=_text(given.get("id"))
        )
    elif part:
        yield Opaque(name="part", value=part)


def _words(value: Any) -> str:
    """The text of instructions, which are a text, an object with a text, or a list of these."""
    if is_list(value):
        return "\n".join(filter(None, map(_words, logs.list_of(value))))
    if is_object(value):
        held = logs.object_of(value)
        return _words(held.get("parts")) if "parts" in held else logs.text_of(held.get("text"))
    return value if isinstance(value, str) else ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
