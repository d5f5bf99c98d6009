"""Converts the events of one session to turns. Names: Anthropic's reference, "Managed Agents", events of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from adjudge.kit import logs
from adjudge.kit.openai import arguments_of, step_from_openai, usage_from_openai
from adjudge.model import Claim, ErrorItem, Item, JsonObject, Observation, Step, ToolCall, ToolResult, Usage
from adjudge.plugin import InputError, Problem, ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

Found: TypeAlias = tuple[JsonObject, logs.Place]

_USE: Final = "tool_use"
_RESULT: Final = "tool_result"
_BOOKKEEPING: Final = ("session.", "span.")


def trajectory_of(
    events: Sequence[Found], losses: logs.Losses, options: ReadOptions, name: str
) -> Trajectory:
    """Convert the events of a session to a trajectory.

    Args:
        events: The events with their places; the session object may be among them.
        losses: Collects what cannot be kept.
        options: Supplies the task, because a session only has the user's messages.
        name: The ``eval_id``.

    Raises:
        InputError: an event is malformed.
    """
    session = logs.object_of(next((event for event, _ in events if event.get("type") == "session"), None))
    agent = logs.object_of(session.get("agent"))
    named = agent.get("name") or next(
        (event["agent_name"] for event, _ in events if event.get("agent_name")), None
    )
    author = named if isinstance(named, str) else AGENT
    dialogue = Dialogue(losses, instructions=logs.text_of(agent.get("system")), agent=author)
    model = logs.object_of(agent.get("model")).get("id") or agent.get("model")
    move: Step | None = None
    for event, place in events:
        kind, at = logs.text_of(event.get("type")), logs.moment_of(event.get("processed_at"))
        items = _of_agent(kind, event, place)
        if items:
            known = model if isinstance(model, str) else None
            step = move or Step(
                number=1, role=AGENT, author=author, source_ref=str(place), started_at=at, model=known
            )
            move = step.model_copy(update={"items": (*step.items, *items)})
            continue
        if kind == "span.model_request_end" and move is not None:
            move = move.model_copy(update={"usage": _usage(event)})
        if move is not None:
            dialogue.take(move)
            move = None
        _tell(kind, event, place, at, dialogue, losses)
    if move is not None:
        dialogue.take(move)
    identity = session.get("id")
    stopped = next((event["stop_reason"] for event, _ in reversed(events) if event.get("stop_reason")), None)
    return Trajectory(
        invocations=dialogue.invocations(logs.list_of(agent.get("tools"))),
        eval_id=name,
        task=options.task,
        agent=author if author != AGENT else None,
        session_id=identity if isinstance(identity, str) else None,
        source=str(events[0][1]),
        extra={"stop_reason": stopped} if stopped else None,
        lost=losses.texts(),
    )


def _of_agent(kind: str, event: JsonObject, place: logs.Place) -> list[Item]:
    """The agent's texts, thoughts or calls; empty for events of other speakers."""
    if kind == "agent.message":
        return list(_content(event, "assistant", place).items)
    if kind == "agent.thinking":
        words = event.get("thinking") or event.get("text")
        return [Claim(text=words)] if isinstance(words, str) else []
    if kind.startswith("agent.") and kind.endswith(_USE):
        args, raw = arguments_of(event.get("input"))
        name = logs.text_of(event.get("name")) or "tool"
        extra = {"type": kind} if kind != f"agent.{_USE}" else None
        return [ToolCall(name=name, args=args, raw_args=raw, id=_text(event.get("id")), extra=extra)]
    return []


def _tell(
    kind: str, event: JsonObject, place: logs.Place, at: float | None, dialogue: Dialogue, losses: logs.Losses
) -> None:
    if kind == "user.message":
        dialogue.take(_content(event, "user", place).model_copy(update={"started_at": at}))
    elif kind.endswith(_RESULT):
        key = next((name for name in event if name.endswith(f"{_USE}_id")), "")
        value = _content(event, "user", place)
        failed = {"is_error": True} if event.get("is_error") is True else None
        result = ToolResult(value=value.text, call_id=_text(event.get(key)), extra=failed)
        step = Step(number=1, items=(result,), role="tool", source_ref=str(place), started_at=at)
        dialogue.take(step)
    elif kind == "session.error":
        error = logs.object_of(event.get("error"))
        said = logs.text_of(error.get("message")) or "the session failed"
        dialogue.observe([ErrorItem(message=said, code=_text(error.get("type")))], place, at=at)
    elif kind in {"user.interrupt", "user.tool_confirmation", "agent.thread_context_compacted"}:
        told = {key: value for key, value in event.items() if key not in {"type", "id", "processed_at"}}
        dialogue.observe([Observation(text=kind, source=kind, extra=told or None)], place, at=at)
    elif kind != "session" and not kind.startswith(_BOOKKEEPING):
        losses.add(f"events {kind!r}")


def _content(event: JsonObject, role: str, place: logs.Place) -> Step:
    try:
        return step_from_openai(
            {"role": role, "content": event.get("content")}, path=place.path, source_ref=str(place)
        )
    except InputError as error:
        raise InputError(
            [
                Problem(what=problem.what, file=place.file, line=place.line, path=problem.path)
                for problem in error.problems
            ]
        ) from None


def _usage(event: JsonObject) -> Usage | None:
    used = logs.object_of(event.get("model_usage"))
    return usage_from_openai(used) if used else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
