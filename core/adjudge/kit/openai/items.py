"""Converts items of OpenAI's Responses API to steps, and collects the messages or items of a model's whole answer.

In the Responses API, calls, results and reasoning are items beside the messages.


Names: the OpenAI API reference, "responses", and its Agents SDK, which keeps the same items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from adjudge.kit.openai.arguments import arguments_of
from adjudge.kit.openai.messages import step_from_openai
from adjudge.kit.openai.parts import value_of_result
from adjudge.model.base import JsonObject
from adjudge.model.items import Claim, Item, Opaque, ToolCall, ToolResult
from adjudge.model.step import Step

_CALL: Final = "_call"
_OUTPUT: Final = ("_call_output", "tool_search_output")
_KEPT: Final = frozenset(
    {
        *("reasoning", "item_reference", "compaction", "mcp_list_tools"),
        *("mcp_approval_request", "mcp_approval_response"),
    }
)
"""Types of items that are neither messages nor calls nor results."""

_ARGUMENTS: Final = ("arguments", "input", "action", "code", "queries")
_GIVEN: Final = ("output", "outputs", "results", "result")
_READ: Final = frozenset({"type", "id", "call_id", "name", *_ARGUMENTS, *_GIVEN, "error", "tools"})


def is_message(value: object) -> bool:
    """Whether a value is a message with a role, or an item of the Responses API."""
    if not isinstance(value, dict):
        return False
    data = cast("JsonObject", value)
    kind = data.get("type")
    return "role" in data or (isinstance(kind, str) and (kind in _KEPT or kind.endswith((_CALL, *_OUTPUT))))


def step_from_item(item: Mapping[str, Any], *, path: str = "$", source_ref: str | None = None) -> Step:
    """Convert a message, or an item of the Responses API, to a step.

    The step's role is ``tool`` for results of calls, and ``assistant`` for calls and reasoning.

    Args:
        item: The JSON of the item.
        path: The JSON path of the item, for error messages.
        source_ref: The ``source_ref`` of the step; by default ``path``.

    Raises:
        InputError: it is not a message, or a field has a wrong type.
    """
    if "role" in item or not is_message(item):
        return step_from_openai(item, path=path, source_ref=source_ref)
    kind = str(item["type"])
    role = "assistant"
    items: Sequence[Item]
    if kind.endswith(_OUTPUT):
        role, items = "tool", [_result(kind, item, item.get("output", item.get("tools")))]
    elif kind.endswith(_CALL):
        items = _call(kind, item)
    else:
        thoughts = [*_texts(item.get("summary")), *_texts(item.get("content"))]
        items = [Claim(text=text) for text in thoughts] or [Opaque(name=kind, value=dict(item))]
    return Step(number=1, items=tuple(items), role=role, source_ref=source_ref or path)


def _call(kind: str, item: Mapping[str, Any]) -> list[Item]:
    """The call of an item, with its result if the provider executes the tool itself."""
    written = next((item[key] for key in _ARGUMENTS if item.get(key) is not None), None)
    args, raw = arguments_of(written)
    named = _text(item.get("name"))
    others = {key: value for key, value in item.items() if key not in _READ}
    call = ToolCall(
        name=named or kind.removesuffix(_CALL),
        args=args,
        raw_args=raw,
        id=_text(item.get("call_id")) or _text(item.get("id")),
        extra=({"type": kind, **others} if kind != "function_call" else others) or None,
    )
    given = next((item[key] for key in _GIVEN if item.get(key) is not None), None)
    if item.get("error"):
        return [call, _result(kind, {"call_id": call.id}, {"error": item["error"]})]
    return [call] if given is None else [call, _result(kind, {"call_id": call.id}, given)]


def _result(kind: str, item: Mapping[str, Any], value: Any) -> ToolResult:
    others = {key: found for key, found in item.items() if key not in _READ}
    return ToolResult(
        name=_text(item.get("name")),
        value=value_of_result(value),
        call_id=_text(item.get("call_id")),
        extra=({"type": kind, **others} if kind != "function_call_output" and others else others) or None,
    )


def _texts(parts: object) -> list[str]:
    found = cast("Sequence[object]", parts) if isinstance(parts, list) else ()
    texts = (cast("JsonObject", part).get("text") for part in found if isinstance(part, dict))
    return [text for text in texts if isinstance(text, str) and text]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def messages_of_reply(value: object) -> tuple[tuple[JsonObject, str], ...]:
    """The messages or items of a model's answer, each with its JSON path; empty for unknown formats.

    Supported are chat completions (the first choice), and answers of OpenAI's Responses API and Anthropic's Messages
    API.
    """
    if not isinstance(value, dict):
        return ()
    body = cast("JsonObject", value)
    choices, output = _listed(body, "choices"), _listed(body, "output")
    message = (
        cast("JsonObject", choices[0]).get("message") if choices and isinstance(choices[0], dict) else None
    )
    if isinstance(message, dict):
        about = {key: body[key] for key in ("model", "usage") if body.get(key) is not None}
        return (({"role": "assistant", **about, **cast("JsonObject", message)}, ".choices[0].message"),)
    if output and all(map(is_message, output)):
        return tuple((cast("JsonObject", item), f".output[{index}]") for index, item in enumerate(output))
    if body.get("role") == "assistant" and isinstance(body.get("content"), str | list):
        return (({key: body[key] for key in ("role", "content", "model", "usage") if key in body}, ""),)
    return ()


def _listed(body: JsonObject, key: str) -> Sequence[object]:
    found = body.get(key)
    return cast("Sequence[object]", found) if isinstance(found, list) else ()
