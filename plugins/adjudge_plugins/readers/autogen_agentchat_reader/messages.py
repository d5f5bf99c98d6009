"""Converts the messages of one chat to turns.

Names: ``autogen_agentchat.messages`` and ``autogen_core.models`` of AutoGen 0.4 to 0.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from adjudge.kit import logs
from adjudge.kit.openai import arguments_of, usage_from_openai
from adjudge.kit.strict_json import is_list
from adjudge.model import (
    Blob,
    Claim,
    ErrorItem,
    Item,
    JsonObject,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge.plugin import ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

Found: TypeAlias = tuple[JsonObject, logs.Place]

KNOWN: Final = frozenset(
    {
        *("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "StructuredMessage"),
        *("ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage", "ThoughtEvent"),
        *("CodeGenerationEvent", "CodeExecutionEvent", "MemoryQueryEvent", "SelectSpeakerEvent"),
        *("UserInputRequestedEvent", "ModelClientStreamingChunkEvent", "SelectorEvent"),
        *("SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage"),
    }
)
"""The known types of messages."""
_NOT_KEPT: Final = frozenset({"UserInputRequestedEvent", "ModelClientStreamingChunkEvent"})
"""Events without text, or whose text is repeated in another message."""
_OBSERVED: Final = frozenset({"MemoryQueryEvent", "SelectSpeakerEvent", "SelectorEvent", "StopMessage"})
_USERS: Final = frozenset({"user", "human", "user_proxy", "userproxy"})
_READ: Final = frozenset(
    {"content", "source", "type", "thought", "models_usage", "id", "created_at", "metadata", "result"}
)
_END: Final = "TERMINATE"
_MODEL_MESSAGE: Final = "UserMessage"


def trajectory_of(
    chat: JsonObject, messages: Sequence[Found], place: logs.Place, options: ReadOptions, name: str
) -> Trajectory:
    """Convert a chat to a trajectory.

    Args:
        chat: The object with the messages; empty if there is none.
        messages: The messages with their places.
        place: The place of the chat.
        options: Supplies the task if the chat has none.
        name: The ``eval_id``.
    """
    losses = logs.Losses()
    dialogue = Dialogue(losses, roles=options.roles)
    users = _users(messages)
    for message, at in messages:
        _tell(message, at, users, dialogue, losses)
    for key in chat.keys() - {"messages", "chat_history", "stop_reason", "type", "version"}:
        losses.add(f"{key!r} of the chat")
    invocations = dialogue.invocations()
    if logs.has_actions_in_prose(invocations):
        losses.add(logs.ACTIONS_IN_PROSE)
    stop = chat.get("stop_reason")
    return Trajectory(
        invocations=invocations,
        eval_id=name,
        task=options.task,
        source=str(place),
        extra={"stop_reason": stop} if stop is not None else None,
        lost=losses.texts(),
    )


def _users(messages: Sequence[Found]) -> frozenset[str]:
    """The speakers that are users: those with a user's name, else the source of the first user message to a model."""
    sources = {source for message, _ in messages if isinstance(source := message.get("source"), str)}
    named = frozenset(source for source in sources if source.casefold() in _USERS)
    if named:
        return named
    first = logs.object_of(
        next((message for message, _ in messages if message.get("type") == _MODEL_MESSAGE), None)
    )
    source = first.get("source")
    return frozenset({source}) if isinstance(source, str) else frozenset()


def _tell(
    message: JsonObject, place: logs.Place, users: frozenset[str], dialogue: Dialogue, losses: logs.Losses
) -> None:
    kind, source = logs.text_of(message.get("type")), message.get("source")
    at = logs.moment_of(message.get("created_at"))
    if kind in _NOT_KEPT:
        losses.add(f"messages of type {kind!r}")
        return
    items = _items(kind, message, place, losses)
    if kind in _OBSERVED or (kind == "CodeExecutionEvent"):
        dialogue.observe(items, place, at=at)
        return
    author = source if isinstance(source, str) else None
    if kind == "SystemMessage":
        role = "system"
    elif items and all(isinstance(item, ToolResult) for item in items):
        role = "tool"
    else:
        role = "user" if author in users else AGENT
    step = Step(
        number=1,
        items=tuple(items),
        role=role,
        author=author if role == AGENT else None,
        source_ref=str(place),
        started_at=at,
        usage=usage_from_openai(used) if (used := logs.object_of(message.get("models_usage"))) else None,
    )
    extra = {key: value for key, value in message.items() if key not in _READ and value is not None}
    if role == AGENT and extra:
        step = step.model_copy(update={"extra": extra})
    step = logs.step_without_blobs(step, losses)
    if role == AGENT and step.text.strip() == _END and not step.calls:
        dialogue.observe([Observation(text=_END, source=author)], place, at=at)
    elif role == "tool":
        for result in step.results:  # results are matched to calls by id
            dialogue.take(step.model_copy(update={"items": (result,)}))
    else:
        dialogue.take(step, *([author] if author else []))


def _items(kind: str, message: JsonObject, place: logs.Place, losses: logs.Losses) -> list[Item]:
    content = message.get("content")
    items: list[Item] = []
    if isinstance(thought := message.get("thought"), str) and thought:
        items.append(Claim(text=thought))
    if kind == "CodeExecutionEvent":
        result = logs.object_of(message.get("result"))
        code, output = result.get("exit_code"), logs.text_of(result.get("output")) or logs.text_of(content)
        failed = isinstance(code, int) and code != 0
        return [
            ErrorItem(message=output, code=str(code))
            if failed
            else Observation(text=output, source="execution")
        ]
    if isinstance(content, str):
        if kind == "ThoughtEvent":
            return [Claim(text=content)]
        if kind in _OBSERVED:
            return [Observation(text=content, source=kind)]
        return [*items, Text(text=content)] if content else items
    if is_list(content):
        for index, part in enumerate(logs.list_of(content)):
            items.append(_part(kind, part, place.key("content").at(index), losses))
        return items
    if content is not None:  # it is a StructuredMessage
        items.append(Text(text=logs.text_of(content)))
    return items


def _part(kind: str, part: Any, place: logs.Place, losses: logs.Losses) -> Item:
    if isinstance(part, str):
        return Observation(text=part, source=kind) if kind in _OBSERVED else Text(text=part)
    data = place.as_object(part, "a text, a call, a result or an image")
    if isinstance(data.get("name"), str) and "arguments" in data:
        args, raw = arguments_of(data["arguments"])
        return ToolCall(name=data["name"], args=args, raw_args=raw, id=_text(data.get("id")))
    if "call_id" in data:
        failed = {"is_error": True} if data.get("is_error") is True else None
        return ToolResult(
            name=_text(data.get("name")),
            value=data.get("content"),
            call_id=_text(data.get("call_id")),
            extra=failed,
        )
    if kind in _OBSERVED:
        return Observation(text=logs.text_of(data.get("content")), source=kind)
    if isinstance(image := data.get("data"), str):
        losses.add("the content of an image")
        return logs.blob_of(image)
    if isinstance(url := data.get("url"), str):
        return Blob(uri=url)
    return Opaque(name="part", value=data)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
