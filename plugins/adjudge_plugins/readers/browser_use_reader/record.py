"""Converts one record of a browser-use history to a step.

The record is ``browser_use.agent.views.AgentHistory``. Up to 0.3.1 the claims are in
``model_output.current_state``, from 0.3.3 on in ``model_output`` itself. ``state`` is the page before the
actions of the record.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.model import (
    Blob,
    Claim,
    ErrorItem,
    Item,
    JsonObject,
    Observation,
    Opaque,
    Step,
    ToolCall,
    ToolResult,
    Usage,
)

_CLAIMS: Final = ("evaluation_previous_goal", "thinking", "memory", "next_goal")
_RECORD_KEYS: Final = frozenset({"model_output", "result", "state", "metadata", "state_message"})
_STATE_KEYS: Final = frozenset({"url", "title", "screenshot", "screenshot_path", "interacted_element"})
_OF_THE_RUN: Final = frozenset({"is_done", "success", "judgement"})
"""Keys of a result that describe the whole run, and are kept outside of the steps."""

_TIME_KEYS: Final = frozenset({"step_start_time", "step_end_time", "step_number", "input_tokens"})


def step_of(record: JsonObject, place: logs.Place, losses: logs.Losses) -> Step:
    """Convert a record: the page, the agent's claims, then each action with its result.

    The step is numbered later.

    Raises:
        InputError: a part of the record has a wrong type.
    """
    output = _part(record, "model_output", place)
    state = _part(record, "state", place)
    metadata = _part(record, "metadata", place)
    if record.get("state_message"):
        losses.add("state_message, the prompt of a step")
    brain = _part(output, "current_state", place.key("model_output")) or output
    actions = place.key("model_output").key("action").as_objects(output.get("action"), "a list of actions")
    results = results_of(record, place)
    extra = {
        **{key: value for key, value in record.items() if key not in _RECORD_KEYS},
        **{key: value for key, value in output.items() if key not in {*_CLAIMS, "current_state", "action"}},
        **{key: value for key, value in brain.items() if key not in {*_CLAIMS, "action"}},
        **{key: value for key, value in state.items() if key not in _STATE_KEYS},
        **{key: value for key, value in metadata.items() if key not in _TIME_KEYS},
    }
    started, ended = (logs.seconds_of(metadata.get(key)) for key in ("step_start_time", "step_end_time"))
    return Step(
        number=1,
        items=(
            *_page(state, losses),
            *(Claim(field=field, text=text) for field in _CLAIMS if (text := logs.text_of(brain.get(field)))),
            *_moves(actions, results, state, losses),
        ),
        source_ref=str(place),
        usage=_usage(metadata.get("input_tokens")),
        started_at=started,
        duration=None if started is None or ended is None else logs.seconds_of(ended - started),
        extra=logs.without_blobs({k: v for k, v in extra.items() if v is not None}, losses) or None,
    )


def results_of(record: JsonObject, place: logs.Place) -> list[JsonObject]:
    """The results of the actions in a record.

    Raises:
        InputError: they are not a list of objects.
    """
    found = place.key("result").as_objects(record.get("result"), "a list of results")
    return [result for result, _ in found]


def _part(data: JsonObject, key: str, place: logs.Place) -> JsonObject:
    return {} if data.get(key) is None else place.key(key).as_object(data[key])


def _page(state: JsonObject, losses: logs.Losses) -> list[Item]:
    items: list[Item] = [
        Observation(text=text, source=key)
        for key in ("url", "title")
        if (text := logs.text_of(state.get(key)))
    ]
    if path := logs.text_of(state.get("screenshot_path")):
        items.append(Blob(mime_type=mimetypes.guess_type(path)[0], uri=path))
    if data := logs.text_of(state.get("screenshot")):
        losses.add("screenshots")
        items.append(logs.blob_of(data))
    return items


def _moves(
    actions: Sequence[tuple[JsonObject, object]],
    results: Sequence[JsonObject],
    state: JsonObject,
    losses: logs.Losses,
) -> list[Item]:
    """The calls with their results: one after each call if the numbers are equal, else all results after the calls.

    The numbers differ if an action fails (a single error replaces all results, and the format does not say
    which action failed), or if the page changes before the last action.
    """
    elements: Any = state.get("interacted_element")
    touched = cast("Sequence[object]", elements) if isinstance(elements, list) else ()
    calls = [
        _call(action, touched[index] if len(touched) == len(actions) else None)
        for index, (action, _) in enumerate(actions)
    ]
    if len(calls) != len(results):
        if calls and results:
            losses.add("which action a result answers, where a step has fewer results than actions")
        return [*calls, *(item for result in results for item in _outcome(result, None, losses))]
    items: list[Item] = []
    for call, result in zip(calls, results, strict=True):
        items += [call, *_outcome(result, call.name if isinstance(call, ToolCall) else None, losses)]
    return items


def _call(action: JsonObject, element: object) -> Item:
    if len(action) == 1:
        [(name, params)] = action.items()
        args, raw = logs.arguments_of(params)
        return ToolCall(
            name=name,
            args=args,
            raw_args=raw,
            extra=None if element is None else {"interacted_element": element},
        )
    return Opaque(name="action", value=action)


def _outcome(result: JsonObject, action: str | None, losses: logs.Losses) -> list[Item]:
    """Convert the result of an action. The text of ``done`` is the agent's own, so it is not a result."""
    items: list[Item] = []
    rest = {
        key: value
        for key, value in result.items()
        if key not in {"extracted_content", "error", "images", *_OF_THE_RUN} and value is not None
    }
    content = result.get("extracted_content")
    if content is not None and result.get("is_done") is not True:
        kept = logs.without_blobs(content, losses)
        items.append(ToolResult(name=action, value=kept, extra=logs.without_blobs(rest, losses) or None))
    if message := logs.text_of(result.get("error")):
        items.append(ErrorItem(message=message))
    images: object = result.get("images")
    for image in cast("Sequence[object]", images) if isinstance(images, list) else ():
        losses.add("images of a result")
        items.append(logs.blob_of(logs.text_of(logs.object_of(image).get("data", image))))
    return items


def _usage(tokens: object) -> Usage | None:
    """The number of prompt tokens, as estimated by browser-use."""
    if isinstance(tokens, int) and not isinstance(tokens, bool):
        return Usage(input_tokens=tokens)
    return None
