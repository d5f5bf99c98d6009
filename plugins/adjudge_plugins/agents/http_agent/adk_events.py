"""The events of one ``/run`` as a turn, as ADK's own evaluation reads them (``EvaluationGenerator``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from adjudge.plugin import (
    AgentError,
    Content,
    Emit,
    InputError,
    Invocation,
    JsonObject,
    content_to_adk,
    invocation_from_adk,
)

_KEPT: Final = ("author", "content", "usage_metadata", "model_version", "grounding_metadata")


def invocation_of(events: object, content: Content, emit: Emit) -> Invocation:
    """The turn: its final response, and every event as a step.

    The final response is the content of the last event that is one, one with text before one without.
    Its step stays, without the words, which would count twice.

    Args:
        events: What the server answered.
        content: What the user said.
        emit: Told every step, also of a turn that then fails.

    Raises:
        AgentError: these are no events, or the agent failed.
    """
    listed = _listed(events)
    moves = [event for event in listed if _get(event, "author") != "user" and not _get(event, "partial")]
    finals = [event for event in moves if _parts(event) and _is_final(event)]
    final = next(
        (event for event in reversed(finals) if any(_get(part, "text") for part in _parts(event))),
        finals[-1] if finals else None,
    )
    data: JsonObject = {
        "invocation_id": next((str(_get(event, "invocation_id") or "") for event in moves), ""),
        "user_content": content_to_adk(content),
        "intermediate_data": {"invocation_events": [_move(event, event is final) for event in moves]},
    }
    if final is not None:
        data["final_response"] = _get(final, "content")
    try:
        turn = invocation_from_adk(data)
    except InputError as error:
        raise AgentError(
            f"the server answered events of another shape:\n{error}", code="bad_answer"
        ) from None
    for step in turn.steps:
        emit(step)
    if final is None:
        _raise_failure(moves)
    return turn


def _listed(events: object) -> list[JsonObject]:
    items = cast("Sequence[object]", events) if isinstance(events, list) else [None]
    if not all(isinstance(event, dict) for event in items):
        raise AgentError("the server answered no list of events: it is no ADK API server", code="bad_answer")
    return cast("list[JsonObject]", list(items))


def _move(event: JsonObject, is_final: bool) -> JsonObject:
    move = {name: value for name in _KEPT if (value := _get(event, name)) is not None}
    if is_final and not _has(event, "function_call"):
        del move["content"]
    return move


def _is_final(event: JsonObject) -> bool:
    actions = _get(event, "actions")
    skips = isinstance(actions, dict) and _get(cast("JsonObject", actions), "skip_summarization")
    if skips or _get(event, "long_running_tool_ids"):
        return True
    if _get(event, "error_code") and not _has(event, "function_call"):
        return True
    return not (
        _has(event, "function_call")
        or _has(event, "function_response")
        or _get(_parts(event)[-1], "code_execution_result")
    )


def _raise_failure(events: Sequence[JsonObject]) -> None:
    for event in reversed(events):
        code = _get(event, "error_code")
        if code:
            message = _get(event, "error_message")
            raise AgentError(
                f"the agent failed: {code}" + (f": {message}" if message else ""), code="agent_failed"
            )


def _parts(event: JsonObject) -> Sequence[JsonObject]:
    content = _get(event, "content")
    parts = cast("JsonObject", content).get("parts") if isinstance(content, dict) else None
    return [
        cast("JsonObject", part) for part in cast("Sequence[object]", parts or ()) if isinstance(part, dict)
    ]


def _has(event: JsonObject, name: str) -> bool:
    return any(_get(part, name) is not None for part in _parts(event))


def _get(data: JsonObject, name: str) -> Any:
    """A field by its snake_case name, whichever of ADK's two spellings the server uses."""
    if name in data:
        return data[name]
    first, *others = name.split("_")
    return data.get(first + "".join(word.capitalize() for word in others))
