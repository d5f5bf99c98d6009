"""The moves of a turn: calls with their responses, texts, and observations."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import count

from adjudge.model.base import JsonObject
from adjudge.model.invocation import Invocation
from adjudge.model.items import Blob, ErrorItem, Item, Observation, Opaque, Text, ToolCall, ToolResult


def moves_of(turn: Invocation) -> tuple[JsonObject, ...]:
    """The agent's moves before its final answer, in order, as JSON objects.

    A call includes its ``response`` if the log has it. A response without a call is a separate move. Thoughts are left
    out.
    """
    return tuple(_moves(turn))


def _response_of_calls(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> dict[int, int]:
    """Match calls with responses; returns the position of the response by the position of the call.

    They are matched by id; calls with equal ids get its responses in order. If a call or a response has no id (as with
    Gemini), the response belongs to the first call of the same name that has no response yet.
    """
    by_id: dict[str, deque[int]] = defaultdict(deque)
    for place, call in enumerate(calls):
        if call.id is not None:
            by_id[call.id].append(place)
    found: dict[int, int] = {}
    without: list[int] = []
    for place, result in enumerate(results):
        waiting = by_id.get(result.call_id) if result.call_id is not None else None
        if waiting:
            found[waiting.popleft()] = place
        else:
            without.append(place)
    by_name: dict[str, list[int]] = defaultdict(list)
    for place, call in enumerate(calls):
        if place not in found:
            by_name[call.name].append(place)
    for place in without:
        result = results[place]
        waiting_calls = by_name.get(result.name or "", [])
        fitting = (i for i in waiting_calls if result.call_id is None or calls[i].id is None)
        if (call_place := next(fitting, None)) is not None:
            waiting_calls.remove(call_place)
            found[call_place] = place
    return found


def _moves(turn: Invocation) -> Iterator[JsonObject]:
    # Include the steps of agents that were called as tools, because the answer is based on their results.
    calls = tuple(call for step in turn.steps for call in step.calls)
    results = tuple(result for step in turn.steps for result in step.results)
    responses = _response_of_calls(calls, results)
    shown_with_call = set(responses.values())
    call_places, result_places = count(), count()
    for step in turn.steps:
        author: JsonObject = {"agent": step.author} if step.author else {}
        for item in step.items:
            move: JsonObject | None
            match item:
                case ToolCall():
                    place = responses.get(next(call_places))
                    move = _call(item) | ({} if place is None else _response(results[place]))
                case ToolResult():
                    alone = next(result_places) not in shown_with_call
                    move = {"response_of": item.name, **_response(item)} if alone else None
                case _:
                    move = _other(item)
            if move is not None:
                yield author | move
        if step.extra is not None and step.extra.get("grounding_metadata"):
            yield author | {"grounding_metadata": step.extra["grounding_metadata"]}


def _call(call: ToolCall) -> JsonObject:
    return {"calls": call.name, "arguments": (call.args or {}) if call.raw_args is None else call.raw_args}


def _response(result: ToolResult) -> JsonObject:
    return {"response": result.value} | ({"is_error": True} if result.is_error else {})


def _other(item: Item) -> JsonObject | None:
    """A move that is neither a call nor a response; ``None`` for thoughts and empty items."""
    match item:
        case Text():
            return {"says": item.text}
        case Observation():
            return {"observes": item.text} | ({"source": item.source} if item.source else {})
        case ErrorItem():
            return {"error": item.message} | ({"code": item.code} if item.code else {})
        case Blob():
            return {"attachment": item.mime_type or "of unknown type"}
        case Opaque() if item.value is not None:
            return {"other": item.name, "value": item.value}
        case _:
            return None
