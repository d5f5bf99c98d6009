"""One step of ATIF (``StepObject`` of the specification, versions 1.0 to 1.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from adjudge.kit import items, logs
from adjudge.model import Blob, Item, JsonObject, Opaque, Step, Text, ToolCall, Usage

_READ: Final = frozenset(
    {
        "step_id",
        "source",
        "message",
        "reasoning_content",
        "tool_calls",
        "observation",
        "metrics",
        "model_name",
    }
)
_TOKENS: Final = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "cached_tokens": "cached_tokens",
}
_CALL: Final = frozenset({"function_name", "tool_call_id", "arguments"})
_RESULT: Final = frozenset({"source_call_id", "content"})
_PER_TOKEN: Final = ("prompt_token_ids", "completion_token_ids", "logprobs")


def step_of(data: JsonObject, place: logs.Place, losses: logs.Losses, number: int) -> Step:
    """Convert a step of any source: thoughts and texts, then calls, then what came back.

    A result belongs to the call in its ``source_call_id``; without one it is an observation. A system message
    is an observation too. The caller may change its ``number``.

    Raises:
        InputError: a part of the step has a wrong type.
    """
    source = data.get("source")
    if source not in ("system", "user", "agent"):
        place.key("source").fail(f"found {source!r}, expected 'system', 'user' or 'agent'")
    found: list[Item] = []
    if reasoning := logs.text_of(data.get("reasoning_content")):
        found.append(items.claim(reasoning))
    words = _parts(data, "message", place)
    found += (_seen(item, source) for item in words) if source == "system" else words
    calls = [
        _call(call, place, index)
        for index, call in enumerate(place.objects(data, "tool_calls", "a list of calls"))
    ]
    found += calls
    if (observation := data.get("observation")) is not None:
        found += _results(place.key("observation").as_object(observation), calls, place)
    extra = {key: value for key, value in data.items() if key not in _READ and value is not None}
    if (started := logs.moment_of(data.get("timestamp"))) is not None:
        extra.pop("timestamp")
    model = data.get("model_name")
    return items.step(
        number,
        logs.items_without_blobs(found, losses),
        role=cast("str", source),
        source_ref=str(place),
        model=model if isinstance(model, str) else None,
        usage=_usage(data.get("metrics"), losses),
        started_at=started,
        extra=logs.without_blobs(extra, losses) if extra else None,
    )


def _parts(data: JsonObject, key: str, place: logs.Place) -> list[Item]:
    """Convert a text, or the list of parts that is allowed since version 1.6."""
    message = data.get(key)
    if message is None or isinstance(message, str):
        return [items.text(message)] if message else []
    return [_part(part) for part in place.objects(data, key, "a text or a list of parts")]


def _part(part: JsonObject) -> Item:
    kind, text = part.get("type"), part.get("text")
    if kind == "text" and isinstance(text, str):
        return items.text(text)
    source: JsonObject = part["source"] if isinstance(part.get("source"), dict) else {}
    mime_type, path = source.get("media_type"), source.get("path")
    if isinstance(path, str):
        return Blob(mime_type=mime_type if isinstance(mime_type, str) else None, uri=path)
    return Opaque(name=kind if isinstance(kind, str) else "part", value=part)


def _seen(item: Item, source: str) -> Item:
    return items.observation(item.text, source) if isinstance(item, Text) else item


def _call(call: JsonObject, place: logs.Place, index: int) -> ToolCall:
    name, call_id = call.get("function_name"), call.get("tool_call_id")
    if not isinstance(name, str):
        place.key("tool_calls").at(index).fail("found no function_name of a call")
    args, raw = logs.arguments_of(call.get("arguments"))
    extra = {key: value for key, value in call.items() if key not in _CALL} or None
    return items.call(name, args, raw, id=call_id if isinstance(call_id, str) else None, extra=extra)


def _results(observation: JsonObject, calls: Sequence[ToolCall], place: logs.Place) -> list[Item]:
    names = {call.id: call.name for call in calls if call.id is not None}
    where = place.key("observation")
    results = where.objects(observation, "results", "a list of results")
    return [item for index, result in enumerate(results) for item in _result(result, names, where, index)]


def _result(result: JsonObject, names: dict[str, str], place: logs.Place, index: int) -> list[Item]:
    call_id = result.get("source_call_id")
    extra = {key: value for key, value in result.items() if key not in _RESULT} or None
    if isinstance(call_id, str):
        return [items.result(result.get("content"), name=names.get(call_id), call_id=call_id, extra=extra)]
    seen = [_seen(item, "environment") for item in _parts(result, "content", place.key("results").at(index))]
    if extra is None:
        return seen
    return [*seen, Opaque(name="result", value=extra)]


def _usage(metrics: Any, losses: logs.Losses) -> Usage | None:
    if not isinstance(metrics, dict):
        return None
    counts = cast("JsonObject", metrics)
    for key in _PER_TOKEN:
        if counts.get(key):
            losses.add(key)
    read = {
        field: value
        for key, field in _TOKENS.items()
        if isinstance(value := counts.get(key), int) and not isinstance(value, bool)
    }
    rest = {
        key: value
        for key, value in counts.items()
        if key not in {*_TOKENS, *_PER_TOKEN} and value is not None
    }
    return Usage(**read, extra=rest or None) if read or rest else None
