"""Converts one state, its input and its generated items, to turns.

Names: ``agents.run_state.RunState.to_json``, schema versions 1.0 to 1.13, and ``agents.items``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import step_from_item, usage_from_openai
from adjudge.kit.strict_json import is_list
from adjudge.model import Item, JsonObject, Opaque, Step, Text, Usage
from adjudge.plugin import InputError, Problem, ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

_PROGRAMS: Final = {"program": "program_call", "program_output": "program_call_output"}
"""Maps the item types of programs (code by the model that calls tools) to those of a call and its result."""
_KEPT: Final = (
    "$schemaVersion",
    "current_turn",
    "max_turns",
    "current_step",
    "conversation_id",
    "previous_response_id",
)
_GUARDRAILS: Final = (
    *("input_guardrail_results", "output_guardrail_results"),
    *("tool_input_guardrail_results", "tool_output_guardrail_results"),
)


def trajectory_of(state: JsonObject, place: logs.Place, options: ReadOptions, name: str) -> Trajectory:
    """Convert a state to a trajectory.

    Args:
        state: The state.
        place: Its place.
        options: Supplies the task, because a state only has its input.
        name: The ``eval_id``.

    Raises:
        InputError: an item is malformed.
    """
    losses = logs.Losses()
    current = logs.object_of(_of(state, "current_agent")).get("name")
    agent = current if isinstance(current, str) and current else AGENT
    dialogue = Dialogue(losses, agent=agent)
    seen: set[str] = set()
    given = _of(state, "original_input")
    if isinstance(given, str):
        told = Step(
            number=1, items=(Text(text=given),), role="user", source_ref=str(place.key("original_input"))
        )
        dialogue.take(told)
    else:
        for item, at in place.key("original_input").as_objects(given, "a text or a list of items"):
            seen.add(_identity(item))
            dialogue.take(logs.step_without_blobs(_step(item, at, losses), losses))
    _tell_items(state, place, seen, dialogue, losses)
    invocations = dialogue.invocations()
    if logs.has_actions_in_prose(invocations):
        losses.add(logs.ACTIONS_IN_PROSE)
    extra = {key: found for key in _KEPT if (found := _of(state, key)) is not None}
    extra |= {key: found for key in _GUARDRAILS if (found := _of(state, key))}
    if inner := logs.object_of(_of(state, "context")).get("context"):
        extra["context"] = inner
    trace = logs.object_of(_of(state, "trace"))
    group = trace.get("group_id")
    return Trajectory(
        invocations=invocations,
        eval_id=name,
        task=options.task,
        agent=agent if agent != AGENT else None,
        session_id=group if isinstance(group, str) else None,
        source=str(place),
        extra=logs.without_blobs(extra, losses) or None,
        lost=losses.texts(),
    )


def _tell_items(
    state: JsonObject, place: logs.Place, seen: set[str], dialogue: Dialogue, losses: logs.Losses
) -> None:
    """Add the items from the longer list: handoffs may shorten the generated items, but not the session's."""
    found = {key: logs.list_of(_of(state, key)) for key in ("session_items", "generated_items")}
    key = max(found, key=lambda name: len(found[name]))
    usages = _usages(state)
    move: Step | None = None
    response: int | None = None
    for run_item, at in place.key(key).as_objects(found[key]):
        raw, where = run_item.get("raw_item", run_item.get("rawItem")), at.key("raw_item")
        item = where.as_object(raw, "an item of the Responses API")
        if (identity := _identity(item)) and identity in seen:
            continue  # it is part of the input
        step = logs.step_without_blobs(_step(_with_output(item, run_item), where, losses), losses)
        if step.role != AGENT:
            _close(move, dialogue)
            move = None
            dialogue.take(step)
            continue
        author = logs.object_of(run_item.get("agent")).get("name")
        asked, usage = usages.get(_identity(item), (None, None))
        if move is not None and (move.author == author or author is None) and asked == response:
            move = move.model_copy(update={"items": (*move.items, *step.items)})
            continue
        _close(move, dialogue)
        response = asked
        move = step.model_copy(update={"author": author if isinstance(author, str) else None, "usage": usage})
    _close(move, dialogue)


def _close(move: Step | None, dialogue: Dialogue) -> None:
    if move is not None:
        dialogue.take(move)


def _with_output(item: JsonObject, run_item: JsonObject) -> JsonObject:
    """If a tool result has no output for the model, use the output that the program received."""
    kind = _PROGRAMS.get(logs.text_of(item.get("type")))
    changed = {**item, "type": kind} if kind else item
    if logs.text_of(changed.get("type")).endswith("_output") and "output" not in changed:
        changed = {**changed, "output": changed.get("result", run_item.get("output"))}
    return changed


def _step(item: JsonObject, place: logs.Place, losses: logs.Losses) -> Step:
    try:
        return step_from_item(item, path=place.path, source_ref=str(place))
    except InputError as error:
        kind = item.get("type")
        if isinstance(kind, str) and "role" not in item:
            losses.add(f"items of type {kind!r}: kept, and no criterion reads them")
            kept: Item = Opaque(name=kind, value=item)
            return Step(number=1, items=(kept,), role=AGENT, source_ref=str(place))
        raise InputError(
            [
                Problem(what=problem.what, file=place.file, line=place.line, path=problem.path)
                for problem in error.problems
            ]
        ) from None


def _usages(state: JsonObject) -> dict[str, tuple[int, Usage | None]]:
    """The number of an item's response and that response's token usage, by the identity of the item."""
    found: dict[str, tuple[int, Usage | None]] = {}
    responses: Sequence[Any] = logs.list_of(_of(state, "model_responses"))
    for index, response in enumerate(responses):
        body = logs.object_of(response)
        used = {key: _first(value) for key, value in logs.object_of(body.get("usage")).items()}
        usage = (
            usage_from_openai(used)
            if any(isinstance(count, int) and count for count in used.values())
            else None
        )
        for item in logs.list_of(body.get("output")):
            if identity := _identity(logs.object_of(item)):
                found[identity] = (index, usage)
    return found


def _first(value: Any) -> Any:
    """Token details, which states store as a list with one element."""
    return next(iter(value), None) if is_list(value) else value


def _identity(item: JsonObject) -> str:
    return logs.text_of(item.get("id")) or logs.text_of(item.get("call_id"))


def _of(state: JsonObject, key: str) -> Any:
    """The value of a key in snake case, or in the camel case of the JavaScript SDK."""
    first, *others = key.split("_")
    return state.get(key, state.get(first + "".join(other.capitalize() for other in others)))
