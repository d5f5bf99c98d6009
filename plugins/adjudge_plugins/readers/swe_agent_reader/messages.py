"""Reads ``history``: the requests to the model and its answers as messages."""

from __future__ import annotations

from typing import cast

from adjudge.kit import logs
from adjudge.kit.openai import step_from_openai
from adjudge.model import Claim, Content, Item, JsonObject, Observation, Step, Text, ToolCall, ToolResult
from adjudge.plugin import (
    InputError,
    Problem,
)
from adjudge_plugins.readers.swe_agent_reader.commands import call_of_command

Messages = list[tuple[JsonObject, logs.Place]]
"""The messages of a run with their places."""


def without_demonstrations(messages: Messages) -> Messages:
    """Remove demonstrations, which are other runs shown to the model before the task."""
    return [
        (message, place)
        for message, place in messages
        if not message.get("is_demo") and message.get("message_type") != "demonstration"
    ]


def instructions_of(messages: Messages) -> str:
    """The system prompt."""
    return "\n".join(_words(message, place) for message, place in messages if message.get("role") == "system")


def user_content_of(messages: Messages) -> Content | None:
    """The user's messages before the agent's first step, which include the task; ``None`` if they are empty."""
    said: list[Item] = []
    for message, place in messages:
        if message.get("role") == "assistant":
            break
        if message.get("role") == "user":
            said += _items(message, place)
    return Content(role="user", items=tuple(said)) if said else None


def calls_of(message: JsonObject, place: logs.Place) -> list[ToolCall]:
    """The function calls of an answer; if it has none, the command in it."""
    calls = [
        item
        for item in _items({"tool_calls": message.get("tool_calls")}, place)
        if isinstance(item, ToolCall)
    ]
    return calls or call_of_command(message.get("action"))


def steps_of(messages: Messages) -> list[Step]:
    """Convert the agent's messages to steps, if there is no ``trajectory``.

    A tool's message belongs to the call in its ``tool_call_ids``. A user's message after an action is an
    observation of the environment.
    """
    steps: list[Step] = []
    callers: dict[str, int] = {}
    for message, place in messages:
        role = message.get("role")
        if role == "assistant":
            steps.append(_move(message, place))
            callers.update((call.id, len(steps) - 1) for call in steps[-1].calls if call.id is not None)
        elif role == "tool":
            ids: object = message.get("tool_call_ids")
            (call_id,) = cast("list[object]", ids) if isinstance(ids, list) and len(ids) == 1 else [None]  # pyright: ignore[reportUnknownArgumentType]
            caller = callers.pop(call_id, None) if isinstance(call_id, str) else None
            result = ToolResult(
                value=message.get("content"), call_id=call_id if isinstance(call_id, str) else None
            )
            if caller is None:  # no call has this id
                steps.append(Step(number=1, items=(result,), source_ref=str(place)))
            else:
                steps[caller] = _with(steps[caller], result)
        elif role == "user" and steps:
            for item in _items(message, place):
                if isinstance(item, ToolResult):  # Anthropic's protocol has results in messages of the user
                    caller = callers.pop(item.call_id or "", len(steps) - 1)
                    steps[caller] = _with(steps[caller], item)
            if words := _words(message, place):
                steps[-1] = _with(steps[-1], Observation(text=words, source="environment"))
    return steps


def _move(message: JsonObject, place: logs.Place) -> Step:
    thought, content = logs.text_of(message.get("thought")), message.get("content")
    said: tuple[Item, ...] = (Claim(text=thought),) if thought else _items({"content": content}, place)
    return Step(
        number=1,
        items=(*said, *calls_of(message, place)),
        source_ref=str(place),
        model_response=content if thought and content != thought else None,
    )


def _with(step: Step, item: Item) -> Step:
    return step.model_copy(update={"items": (*step.items, item)})


def _words(message: JsonObject, place: logs.Place) -> str:
    return "\n".join(item.text for item in _items(message, place) if isinstance(item, Text))


def _items(message: JsonObject, place: logs.Place) -> tuple[Item, ...]:
    shown: JsonObject = {key: message[key] for key in ("content", "tool_calls") if key in message}
    try:
        return step_from_openai({"role": "assistant", **shown}, path=place.path).items
    except InputError as error:
        raise InputError(
            [Problem(what=found.what, file=place.file, path=found.path) for found in error.problems]
        ) from None
