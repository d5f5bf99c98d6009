"""Converts the records of a turn to an ``Invocation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final

from adjudge.kit.adk import AdkEvent, turn_from_adk_events
from adjudge.kit.plain_json import plain_json
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model import AgentDetails, AppDetails, Content, Invocation, JsonObject, JsonValue, Step
from adjudge.plugin import AgentError
from adjudge_adk.exhibits import Exhibits
from adjudge_adk.recorder import Move, Turn

_KEPT: Final = ("id", "branch", "finish_reason", "interrupted", "custom_metadata", "output")
"""Fields of an event that stay in ``extra`` of its step."""


def invocation_of(
    turn: Turn,
    said: Content,
    began: float,
    seconds: float,
    exhibits: Exhibits,
    simulated: Set[str] = frozenset(),
) -> Invocation:
    """The turn as adjudge has it: every event of an agent is a step; those of nested agents stand after their call.

    Args:
        turn: What was recorded.
        said: What the user said.
        began: When, in seconds since the epoch.
        seconds: How long it took.
        exhibits: Where raw events, requests and responses are kept.
        simulated: The ids of calls that no tool answered; their results say so.

    Raises:
        AgentError: the agent ended with an error and without an answer (``agent_failed``), or without any event
            (``no_answer``).
    """
    own = [move for move in turn.moves if move.parent_call is None and move.event.get("author") != "user"]
    if not own:
        # google-adk ends a run in silence where a model or a tool raised CancelledError.
        raise AgentError(
            "the agent ended its turn without an event: nothing ran, or it was cancelled", code="no_answer"
        )
    read = turn_from_adk_events([AdkEvent(move.event) for move in own], said)
    steps = [
        _marked(step, simulated)
        for step in _in_order(turn.moves, dict(zip(map(id, own), read.steps, strict=True)), exhibits)
    ]
    details = _app_details(turn.moves)
    if read.final_response is None:
        _raise_failure(read.steps)
    return read.model_copy(
        update={
            "steps": tuple(
                step.model_copy(update={"number": number}) for number, step in enumerate(steps, 1)
            ),
            "creation_timestamp": began,
            "duration": round(seconds, 6),
            "model_duration": round(turn.model_seconds, 6),
            "tool_duration": round(turn.tool_seconds, 6),
            "app_details": AppDetails(agent_details=details) if details else None,
            "extra": exhibits.of_turn(),
        }
    )


def steps_of(turn: Turn) -> tuple[Step, ...]:
    """The steps of a turn that was not finished: whatever was said, nothing of it is an answer."""
    moves = [move for move in list(turn.moves) if move.parent_call is None]
    steps = [_alone(AdkEvent(move.event)) for move in moves if move.event.get("author") != "user"]
    return tuple(step.model_copy(update={"number": number}) for number, step in enumerate(steps, 1))


def _in_order(moves: Sequence[Move], read: dict[int, Step], exhibits: Exhibits) -> Iterator[Step]:
    for move in moves:
        if (step := read.get(id(move))) is not None:
            yield _told(step, move, exhibits)
        elif move.parent_call is not None:
            yield _told(_alone(AdkEvent(move.event)), move, exhibits)


def _alone(event: AdkEvent) -> Step:
    """An event as a step that has all of its words."""
    read = turn_from_adk_events([event], Content())
    [step] = read.steps
    if read.final_response is None or event.has("function_call"):
        return step
    return step.model_copy(update={"items": (*step.items, *read.final_response.items)})


def _told(step: Step, move: Move, exhibits: Exhibits) -> Step:
    event = move.event
    kept = {name: event[name] for name in _KEPT if event.get(name) is not None}
    return step.model_copy(
        update={
            "started_at": event.get("timestamp"),
            "duration": None if move.seconds is None else round(move.seconds, 6),
            "parent_call_id": move.parent_call,
            "source_ref": None,
            "raw_event": exhibits.event(event),
            "model_request": None if move.request is None else exhibits.request(move.request),
            "model_response": None if move.response is None else exhibits.response(move.response),
            "extra": {**(step.extra or {}), **kept} or None,
        }
    )


def _marked(step: Step, simulated: Set[str]) -> Step:
    """The step, with the results in it that a simulation made."""
    made = [result.call_id for result in step.results if result.call_id in simulated]
    return step.model_copy(update={"extra": {**(step.extra or {}), "simulated": made}}) if made else step


def _app_details(moves: Sequence[Move]) -> dict[str, AgentDetails]:
    """The instructions and tools of every agent, as its first question to a model had them."""
    found: dict[str, AgentDetails] = {}
    for move in moves:
        name = str(move.event.get("author") or "")
        if move.request is not None and name not in found:
            config: JsonObject = plain_json(move.request.config)
            found[name] = AgentDetails(
                name=name,
                instructions=_text(config.get("system_instruction")),
                tool_declarations=tuple(config.get("tools") or ()),
            )
    return found


def _text(said: JsonValue) -> str:
    """The text of an instruction: google-genai takes a text, a part, a content, or a list of these."""
    if is_list(said):
        return "\n".join(map(_text, said))
    if is_object(said):
        return _text(said["parts"] if "parts" in said else said.get("text"))
    return "" if said is None else str(said)


def _raise_failure(steps: Sequence[Step]) -> None:
    for step in reversed(steps):
        for error in step.errors:
            message = "" if error.message == error.code else f": {error.message}"
            raise AgentError(f"the agent failed: {error.code}{message}", code="agent_failed")
