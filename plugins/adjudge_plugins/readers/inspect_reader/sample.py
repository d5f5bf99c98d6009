"""Converts the messages of one sample to turns.

Names: ``inspect_ai.log.EvalSample`` and ``inspect_ai.model.ChatMessage``, log versions 2 and 3.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import step_from_openai, usage_from_openai
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model import ErrorItem, Item, JsonObject, Observation, Step, Usage
from adjudge.plugin import InputError, Problem, ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

_REFERENCES: Final = ("attachment://", "tc://")
"""Prefixes of references to long texts or images that the sample stores separately."""
_LABELS: Final = ("target", "scores", "score", "metadata")
"""Keys with labels, which a judge must not see, or that may contain labels."""
_READ: Final = frozenset(
    {
        *(
            "id",
            "epoch",
            "input",
            "messages",
            "events",
            "transcript",
            "attachments",
            "error",
            "limit",
            "output",
        ),
        *(
            "metadata",
            "store",
            "total_time",
            "working_time",
            "model_usage",
            "uuid",
            "sandbox",
            "files",
            "setup",
        ),
        *("error_retries", "started_at", "completed_at", "role_usage", "invalidation", "timelines"),
    }
)
_KEPT: Final = ("model_usage", "working_time", "uuid")


def trajectory_of(sample: JsonObject, log: JsonObject, place: logs.Place, options: ReadOptions) -> Trajectory:
    """Convert a sample to a trajectory.

    Args:
        sample: The sample.
        log: The other data of the log, as far as it precedes the samples.
        place: The place of the sample.
        options: Supplies the task if the sample has none.

    Raises:
        InputError: a message is malformed.
    """
    if "messages" not in sample and "input" not in sample:
        place.fail("found no sample", "A sample has an input and messages.")
    losses = logs.Losses()
    attached = logs.object_of(sample.get("attachments")) | logs.object_of(
        logs.object_of(sample.get("transcript")).get("content")
    )
    evaluation = logs.object_of(log.get("eval"))
    dialogue = Dialogue(losses)
    events = logs.list_of(sample.get("events")) or logs.list_of(
        logs.object_of(sample.get("transcript")).get("events")
    )
    calls = _model_calls(events, attached)
    model = evaluation.get("model")
    for message, at in place.key("messages").as_objects(sample.get("messages")):
        step = logs.step_without_blobs(_step(_resolved(message, attached), at), losses)
        usage, started, duration = calls.get(_identity(_resolved(message, attached)), (None, None, None))
        if step.role == AGENT:
            own = step.model or (model if isinstance(model, str) else None)
            step = step.model_copy(
                update={"model": own, "usage": usage, "started_at": started, "duration": duration}
            )
        dialogue.take(step)
    if ended := _end(sample):
        dialogue.observe([ended], place)
    invocations = dialogue.invocations(_tools(events))
    if logs.has_actions_in_prose(invocations):
        losses.add(logs.ACTIONS_IN_PROSE)
    for key in sample:
        if key in _LABELS or key not in _READ:
            losses.add(f"{key!r} of the sample")
    asked, name = sample.get("input"), evaluation.get("task")
    seconds = logs.seconds_of(sample.get("total_time"))
    extra = {key: sample[key] for key in _KEPT if sample.get(key)}
    if isinstance(name, str):
        extra["task_name"] = name
    return Trajectory(
        invocations=invocations,
        eval_id=f"{logs.text_of(sample.get('id'))}_epoch_{logs.text_of(sample.get('epoch', 1))}",
        task=_resolved(asked, attached) if isinstance(asked, str) else options.task,
        duration=seconds if seconds is not None and seconds >= 0 else None,
        source=str(place),
        extra=logs.without_blobs(extra, losses) or None,
        lost=losses.texts(),
    )


def _resolved(value: Any, attached: JsonObject) -> Any:
    """Replace references in a value by the data that the sample stores separately."""
    if isinstance(value, str):
        for reference in _REFERENCES:
            if value.startswith(reference):
                return attached.get(value.removeprefix(reference), value)
        return value
    if is_list(value):
        return [_resolved(inner, attached) for inner in logs.list_of(value)]
    if is_object(value):
        return {key: _resolved(inner, attached) for key, inner in logs.object_of(value).items()}
    return value


def _step(message: JsonObject, place: logs.Place) -> Step:
    """Convert a message by way of OpenAI's format, which is similar to Inspect's."""
    content = message.get("content")
    told: JsonObject = {
        "role": message.get("role"),
        "content": [_part(part) for part in logs.list_of(content)] if is_list(content) else content,
    }
    if calls := message.get("tool_calls"):
        told["tool_calls"] = [_call(call) for call in logs.list_of(calls)]
    if message.get("role") == "tool":
        told |= {"tool_call_id": message.get("tool_call_id"), "name": message.get("function")}
        if error := logs.object_of(message.get("error")):
            told |= {"is_error": True, "error": error}
            told["content"] = content or error.get("message")
    if isinstance(message.get("model"), str):
        told["model"] = message["model"]
    try:
        return step_from_openai(told, path=place.path, source_ref=str(place))
    except InputError as error:
        raise InputError(
            [Problem(what=problem.what, file=place.file, path=problem.path) for problem in error.problems]
        ) from None


def _part(part: Any) -> Any:
    data = logs.object_of(part)
    match data.get("type"):
        case "reasoning":
            # Redacted reasoning is encrypted; only its summary is readable.
            words = data.get("summary") if data.get("redacted") else data.get("reasoning")
            return {"type": "reasoning", "text": words} if isinstance(words, str) else part
        case "image" if isinstance(image := data.get("image"), str):
            return {"type": "image_url", "image_url": image}
        case _:
            return part


def _call(call: Any) -> JsonObject:
    data = logs.object_of(call)
    named = data.get("function")
    function = {"name": named, "arguments": data.get("arguments")}
    parse_error = {"parse_error": data["parse_error"]} if data.get("parse_error") else {}
    return {"id": data.get("id"), "function": function, **parse_error}


def _identity(message: JsonObject) -> str:
    """The id of a message; in older logs without ids, the message as text."""
    identity = message.get("id")
    return identity if isinstance(identity, str) else json.dumps(message, sort_keys=True)


def _model_calls(
    events: Sequence[Any], attached: JsonObject
) -> dict[str, tuple[Usage | None, float | None, float | None]]:
    """The token usage, start and duration of model calls, by the identity of the resulting message."""
    found: dict[str, tuple[Usage | None, float | None, float | None]] = {}
    for event in map(logs.object_of, events):
        if event.get("event") != "model":
            continue
        output = logs.object_of(event.get("output"))
        used = logs.object_of(output.get("usage"))
        counts = {
            **{key: used.get(key) for key in ("input_tokens", "output_tokens", "total_tokens")},
            "cache_read_input_tokens": used.get("input_tokens_cache_read"),
            "cache_creation_input_tokens": used.get("input_tokens_cache_write"),
            "output_tokens_details": {"reasoning_tokens": used.get("reasoning_tokens")},
        }
        seconds = logs.seconds_of(output.get("time"))
        for choice in logs.list_of(output.get("choices")):
            message = logs.object_of(_resolved(logs.object_of(choice).get("message"), attached))
            if message:
                usage = usage_from_openai(counts) if used else None
                found[_identity(message)] = (usage, logs.moment_of(event.get("timestamp")), seconds)
    return found


def _tools(events: Sequence[Any]) -> list[Any]:
    """The tools that were offered in the first model call."""
    for event in map(logs.object_of, events):
        if event.get("event") == "model" and (tools := logs.list_of(event.get("tools"))):
            return tools
    return []


def _end(sample: JsonObject) -> Item | None:
    """Why the sample ended, unless it ended normally."""
    error, limit = logs.object_of(sample.get("error")), logs.object_of(sample.get("limit"))
    if error:
        return ErrorItem(
            message=logs.text_of(error.get("message")) or "the sample failed", code="sample_error"
        )
    if limit:
        kind, most = logs.text_of(limit.get("type")), logs.text_of(limit.get("limit"))
        return Observation(text=f"The sample ended at its limit: {kind} {most}", source="limit")
    return None
