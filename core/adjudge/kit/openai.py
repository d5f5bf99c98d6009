"""OpenAI chat messages as steps: the shape that chat endpoints answer in and many logs are written in.

Names: the OpenAI API reference, "chat completion message"; ``reasoning_content`` is what servers of
open models add, ``requestor`` and arguments that are objects what tau2-bench writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from adjudge.errors import InputError, Problem
from adjudge.formats.json_input import parse_json
from adjudge.model.base import JsonObject
from adjudge.model.items import Blob, Claim, Content, Item, Opaque, Text, ToolCall, ToolResult
from adjudge.model.step import Step, Usage

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""The roles that a message may have."""

_READ: Final = frozenset(
    {
        *("role", "content", "refusal", "reasoning_content", "tool_calls", "function_call"),
        *("tool_call_id", "model", "usage"),
    }
)

_NOT_WORDS: Final = (Claim, ToolCall, ToolResult)


def step_from_openai(
    message: Mapping[str, Any], *, number: int = 1, path: str = "$", source_ref: str | None = None
) -> Step:
    """One message as a step; the items of a user's or a system's message are read alike.

    A tool's message becomes a ``ToolResult`` with the ``tool_call_id`` that it names, never a guessed one.
    Keys that are not read stay in ``extra``.

    Args:
        message: The message, as JSON has it.
        number: The step's number.
        path: Where the message is, for messages about it.
        source_ref: What the step says of its origin; ``path`` where it is not given.

    Raises:
        InputError: it is not a message: no known role, or a field of a wrong type.
    """
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        _refuse(f"{path}.role", f"found {role!r}, expected one of {', '.join(sorted(ROLES))}")
    items = _result(message) if role in {"tool", "function"} else _said(message, path)
    usage = message.get("usage")
    model = message.get("model")
    extra = {key: value for key, value in message.items() if key not in _READ}
    if role in {"tool", "function"}:
        extra.pop("name", None)
    return Step(
        number=number,
        items=tuple(items),
        role=role,
        source_ref=source_ref or path,
        model=model if isinstance(model, str) else None,
        usage=usage_from_openai(cast("JsonObject", usage)) if isinstance(usage, dict) else None,
        extra=extra or None,
    )


def answer_of(step: Step) -> tuple[Step, Content | None]:
    """The words of the agent's last message of a turn, and the step without them.

    The words are the turn's final response, and must not count twice. The step stays for its number,
    its calls, what it cost and what the agent thought.
    """
    words = tuple(item for item in step.items if not isinstance(item, _NOT_WORDS))
    if not any(isinstance(item, Text) for item in words):
        return step, None
    rest = tuple(item for item in step.items if isinstance(item, _NOT_WORDS))
    return step.model_copy(update={"items": rest}), Content(role="model", items=words)


def answering(steps: Sequence[Step], places: Sequence[int]) -> int | None:
    """Which of the steps at ``places`` has the final response: the last one.

    A last step that says nothing, for instance one that only thinks, leaves the answer to the last one
    before it that says something; unless that one made calls, because what is said with a call is no answer.
    """
    if not places or not _is_silent(steps[places[-1]]):
        return places[-1] if places else None
    spoken = next((place for place in reversed(places) if not _is_silent(steps[place])), places[-1])
    return places[-1] if steps[spoken].calls else spoken


def _is_silent(step: Step) -> bool:
    return all(
        isinstance(item, Claim) or (isinstance(item, Text) and not item.text.strip()) for item in step.items
    )


def answer_among(steps: Sequence[Step], role: str) -> tuple[tuple[Step, ...], Content | None]:
    """The words of the last step of ``role`` in a turn, and the steps without them; see ``answer_of``."""
    last = answering(steps, [index for index, step in enumerate(steps) if step.role == role])
    if last is None:
        return tuple(steps), None
    step, answer = answer_of(steps[last])
    return (*steps[:last], step, *steps[last + 1 :]), answer


def usage_from_openai(usage: Mapping[str, Any]) -> Usage:
    """The ``usage`` of a chat completion; counts that are no whole numbers are left out."""
    input_details, output_details = (
        cast("JsonObject", details) if isinstance(details, dict) else {}
        for details in (usage.get("prompt_tokens_details"), usage.get("completion_tokens_details"))
    )
    return Usage(
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        total_tokens=_count(usage, "total_tokens"),
        cached_tokens=_count(input_details, "cached_tokens"),
        reasoning_tokens=_count(output_details, "reasoning_tokens"),
    )


def arguments_of(arguments: object) -> tuple[JsonObject | None, str | None]:
    """The arguments of a call as an object or, where they are none, as the text that the log has.

    An object may be written as JSON in a text. ``None``, which some logs write for no arguments, is neither.
    """
    if arguments is None or isinstance(arguments, dict):
        return cast("JsonObject | None", arguments), None
    if not isinstance(arguments, str):
        return None, json.dumps(arguments, ensure_ascii=False)
    try:
        parsed = parse_json(arguments, source="arguments")
    except InputError:
        return None, arguments
    return (cast("JsonObject", parsed), None) if isinstance(parsed, dict) else (None, arguments)


def _count(counts: Mapping[str, Any], key: str) -> int | None:
    value = counts.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _said(message: Mapping[str, Any], path: str) -> list[Item]:
    items: list[Item] = []
    reasoning = message.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        items.append(Claim(text=reasoning))
    items += _content(message.get("content"), f"{path}.content")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        items.append(Text(text=refusal, extra={"type": "refusal"}))
    for index, call in enumerate(_listed(message, "tool_calls", path)):
        items.append(_call(call, f"{path}.tool_calls[{index}]"))
    if message.get("function_call") is not None:  # what calls were before tool_calls; they have no id
        items.append(_call({"function": message["function_call"]}, f"{path}.function_call"))
    return items


def _result(message: Mapping[str, Any]) -> list[Item]:
    name, call_id = message.get("name"), message.get("tool_call_id")
    return [
        ToolResult(
            name=name if isinstance(name, str) else None,
            value=message.get("content"),
            call_id=call_id if isinstance(call_id, str) else None,
        )
    ]


def _content(content: object, path: str) -> list[Item]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Text(text=content)]
    if not isinstance(content, list):
        _refuse(path, f"found {type(content).__name__}, expected text, a list of parts or null")
    parts = cast("Sequence[object]", content)
    return [_part(part, f"{path}[{index}]") for index, part in enumerate(parts)]


def _part(part: object, path: str) -> Item:
    if isinstance(part, str):
        return Text(text=part)
    if not isinstance(part, dict):
        _refuse(path, f"found {type(part).__name__}, expected a content part")
    data = cast("JsonObject", part)
    kind = data.get("type")
    text = data.get("text" if kind != "refusal" else "refusal")
    if kind in ("text", "input_text", "output_text", "refusal") and isinstance(text, str):
        return Text(text=text, extra={"type": "refusal"} if kind == "refusal" else None)
    image = data.get("image_url")
    url = cast("JsonObject", image).get("url") if isinstance(image, dict) else image
    if kind == "image_url" and isinstance(url, str):
        return Blob(uri=url)
    return Opaque(name=kind if isinstance(kind, str) else "part", value=data)


def _call(call: object, path: str) -> ToolCall:
    data = cast("JsonObject", call) if isinstance(call, dict) else {}
    function = data.get("function") or data.get("custom") or data
    named = cast("JsonObject", function) if isinstance(function, dict) else {}
    name = named.get("name")
    if not isinstance(name, str):
        _refuse(path, "found no name of a function")
    # A "custom" tool takes free text as its input.
    args, raw = arguments_of(named.get("arguments", named.get("input")))
    call_id = data.get("id")
    known = (
        {"id", "type", "function", "custom", "index"} if function is not data else {"id", "name", "arguments"}
    )
    return ToolCall(
        name=name,
        args=args,
        id=call_id if isinstance(call_id, str) else None,
        raw_args=raw,
        extra={key: value for key, value in data.items() if key not in known} or None,
    )


def _listed(message: Mapping[str, Any], key: str, path: str) -> Sequence[object]:
    value = message.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        _refuse(f"{path}.{key}", f"found {type(value).__name__}, expected a list")
    return cast("Sequence[object]", value)


def _refuse(path: str, what: str) -> NoReturn:
    raise InputError(Problem(what=what, path=path))
