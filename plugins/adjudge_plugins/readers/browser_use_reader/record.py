"""Converts one record of a browser-use history to a step.

The record is ``browser_use.agent.views.AgentHistory``. Up to 0.3.1 the claims are in
``model_output.current_state``, from 0.3.3 on in ``model_output`` itself. ``state`` is the page before the
actions of the record.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from typing import Any, Final, cast

from adjudge.kit import items, logs
from adjudge.model import Blob, Item, JsonObject, Opaque, Step, ToolCall, Usage

_CLAIMS: Final = ("evaluation_previous_goal", "thinking", "memory", "next_goal")
_RECORD_KEYS: Final = frozenset({"model_output", "result", "state", "metadata", "state_message"})
_STATE_KEYS: Final = frozenset({"url", "title", "screenshot", "screenshot_path", "interacted_element"})
_OUTPUT_KEYS: Final = frozenset({*_CLAIMS, "current_state", "action"})
_BRAIN_KEYS: Final = frozenset({*_CLAIMS, "action"})
_OF_THE_RUN: Final = frozenset({"is_done", "success", "judgement"})
"""Keys of a result that describe the whole run, and are kept outside of the steps."""

_OUTCOME_KEYS: Final = frozenset({"extracted_content", "error", "images", *_OF_THE_RUN})
_TIME_KEYS: Final = frozenset({"step_start_time", "step_end_time", "step_number", "input_tokens"})


def step_of(record: JsonObject, place: logs.Place, losses: logs.Losses, number: int) -> Step:
    """Convert a record: the page, the agent's claims, then each action with its result.

    The caller may change the step's ``number``.

    Raises:
        InputError: a part of the record has a wrong type.
    """
    output = _part(record, "model_output", place)
    state = _part(record, "state", place)
    metadata = _part(record, "metadata", place)
    if record.get("state_message"):
        losses.add("state_message, the prompt of a step")
    at_output = place.key("model_output")
    brain = _part(output, "current_state", at_output) or output
    actions = at_output.objects(output, "action", "a list of actions")
    extra = {
        key: value
        for part, known in (
            (record, _RECORD_KEYS),
            (output, _OUTPUT_KEYS),
            (brain, _BRAIN_KEYS),
            (state, _STATE_KEYS),
            (metadata, _TIME_KEYS),
        )
        for key, value in part.items()
        if key not in known and value is not None
    }
    started = logs.seconds_of(metadata.get("step_start_time"))
    ended = logs.seconds_of(metadata.get("step_end_time"))
    found = _page(state, losses)
    for field in _CLAIMS:
        if text := logs.text_of(brain.get(field)):
            found.append(items.claim(text, field))
    found += _moves(actions, results_of(record, place), state, losses)
    return items.step(
        number,
        tuple(found),
        source_ref=str(place),
        usage=_usage(metadata.get("input_tokens")),
        started_at=started,
        duration=None if started is None or ended is None else logs.seconds_of(ended - started),
        extra=logs.without_blobs(extra, losses) if extra else None,
    )


def results_of(record: JsonObject, place: logs.Place) -> Sequence[JsonObject]:
    """The results of the actions in a record.

    Raises:
        InputError: they are not a list of objects.
    """
    return place.objects(record, "result", "a list of results")


def _part(data: JsonObject, key: str, place: logs.Place) -> JsonObject:
    return {} if data.get(key) is None else place.key(key).as_object(data[key])


def _page(state: JsonObject, losses: logs.Losses) -> list[Item]:
    shown: list[Item] = [
        items.observation(text, key) for key in ("url", "title") if (text := logs.text_of(state.get(key)))
    ]
    if path := logs.text_of(state.get("screenshot_path")):
        shown.append(Blob(mime_type=mimetypes.guess_type(path)[0], uri=path))
    if data := logs.text_of(state.get("screenshot")):
        losses.add("screenshots")
        shown.append(logs.blob_of(data))
    return shown


def _moves(
    actions: Sequence[JsonObject], results: Sequence[JsonObject], state: JsonObject, losses: logs.Losses
) -> list[Item]:
    """The calls with their results: one after each call if the numbers are equal, else all results after the calls.

    The numbers differ if an action fails (a single error replaces all results, and the format does not say
    which action failed), or if the page changes before the last action.
    """
    elements: Any = state.get("interacted_element")
    touched = cast("Sequence[object]", elements) if isinstance(elements, list) else ()
    calls = [
        _call(action, touched[index] if len(touched) == len(actions) else None)
        for index, action in enumerate(actions)
    ]
    if len(calls) != len(results):
        if calls and results:
            losses.add("which action a result answers, where a step has fewer results than actions")
        return [*calls, *(item for result in results for item in _outcome(result, None, losses))]
    found: list[Item] = []
    for call, result in zip(calls, results, strict=True):
        found.append(call)
        found += _outcome(result, call.name if isinstance(call, ToolCall) else None, losses)
    return found


def _call(action: JsonObject, element: object) -> Item:
    if len(action) == 1:
        [(name, params)] = action.items()
        args, raw = logs.arguments_of(params)
        return items.call(name, args, raw, extra=None if element is None else {"interacted_element": element})
    return Opaque(name="action", value=action)


def _outcome(result: JsonObject, action: str | None, losses: logs.Losses) -> list[Item]:
    """Convert the result of an action. The text of ``done`` is the agent's own, so it is not a result."""
    found: list[Item] = []
    content = result.get("extracted_content")
    if content is not None and result.get("is_done") is not True:
        rest = {key: value for key, value in result.items() if key not in _OUTCOME_KEYS and value is not None}
        kept = logs.without_blobs(content, losses)
        extra = logs.without_blobs(rest, losses) if rest else None
        found.append(items.result(kept, name=action, extra=extra))
    if message := logs.text_of(result.get("error")):
        found.append(items.error(message))
    images: object = result.get("images")
    for image in cast("Sequence[object]", images) if isinstance(images, list) else ():
        losses.add("images of a result")
        found.append(logs.blob_of(logs.text_of(logs.object_of(image).get("data", image))))
    return found


def _usage(tokens: object) -> Usage | None:
    """The number of prompt tokens, as estimated by browser-use."""
    if isinstance(tokens, int) and not isinstance(tokens, bool):
        return Usage(input_tokens=tokens)
    return None
