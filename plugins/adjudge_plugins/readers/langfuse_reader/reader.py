"""Finds the observations in a file, inside and outside of traces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.strict_json import is_list
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.langfuse_reader.observations import ROOT, SESSION, tell
from adjudge_plugins.readers.records import values_of

_OBSERVATION: Final = ({"traceId", "trace_id"}, {"type"}, {"startTime", "start_time"})
_TYPES: Final = frozenset(
    [
        "SPAN",
        "GENERATION",
        "EVENT",
        "AGENT",
        "TOOL",
        "CHAIN",
        "RETRIEVER",
        "EVALUATOR",
        "EMBEDDING",
        "GUARDRAIL",
    ]
)
_NAMED: Final = (b'"traceId"', b'"trace_id"', b'"projectId"', b'"project_id"')


class LangfuseReader:
    """Reads one trace at a time; observations are buffered on disk."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object is an observation or contains some."""
        found = logs.outline(head)
        keys = set(found.keys)
        if "observations" in keys or ("trace" in keys and b'"observations"' in head):
            return any(name in head for name in _NAMED) or bool({"trace", "scores", "htmlPath"} & keys)
        is_one = all(keys & names for names in _OBSERVATION)
        return is_one and found.texts.get("type") in _TYPES

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield one trajectory per session; per trace if no session is named.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        return spans.trajectories_of_spans(
            source, options, tell, conversation_attributes=(SESSION,), find=_spans_in
        )


def _spans_in(stream: logs.MendingJsonStream, file: str) -> Iterator[tuple[JsonObject, logs.Place]]:
    """Yield every observation, and every trace as an additional root observation."""
    found = False
    for value, place in values_of(stream, file):
        held = place.as_object(value, "a trace or an observation")
        for span in _of_object(held, place):
            found = True
            yield span
    if not found:
        stream.fail("no observation of Langfuse is here.")


def _of_object(held: JsonObject, place: logs.Place) -> Iterator[tuple[JsonObject, logs.Place]]:
    trace = logs.object_of(held.get("trace")) or held
    # Exports contain the observations of a trace twice: in full, and without input and output.
    holders = ((held, place), (trace, place.key("trace")))
    found = next(((holder, at) for holder, at in holders if is_list(holder.get("observations"))), None)
    if found is not None:
        holder, at_holder = found
        identity = logs.text_of(trace.get("id"))
        root = f"{ROOT}{identity}"
        yield _span(trace, identity, root, None, {"type": ROOT, **_in_and_out(trace)}, trace), place
        for observation, at in at_holder.key("observations").as_objects(holder["observations"]):
            if not isinstance(observation.get("id"), str):
                at.fail("found no observation", "It has an id, a type and a startTime.")
            yield _of_observation(observation, identity, root, trace), at
    elif all(held.keys() & names for names in _OBSERVATION):
        identity = logs.text_of(held.get("traceId") or held.get("trace_id"))
        yield _of_observation(held, identity, None, {}), place
    else:
        place.fail(
            "found no observations",
            "A trace of Langfuse has observations, and they have a traceId and a type.",
        )


def _of_observation(observation: JsonObject, trace: str, root: str | None, held_in: JsonObject) -> JsonObject:
    parent = observation.get("parentObservationId") or observation.get("parent_observation_id")
    return _span(
        observation, trace, logs.text_of(observation.get("id")), parent or root, observation, held_in
    )


def _span(
    data: JsonObject, trace: str, identity: str, parent: Any, attributes: JsonObject, held_in: JsonObject
) -> JsonObject:
    session = held_in.get("sessionId") or held_in.get("session_id") or data.get("sessionId")
    failed = data.get("level") == "ERROR"
    said = data.get("statusMessage") or data.get("status_message")
    return {
        "trace_id": trace or identity,
        "span_id": identity,
        "parent_span_id": parent,
        "name": data.get("name") or "",
        "start_time": data.get("startTime") or data.get("start_time") or data.get("timestamp"),
        "end_time": data.get("endTime") or data.get("end_time"),
        "attributes": {**attributes, **({SESSION: session} if isinstance(session, str) else {})},
        "status": {"code": "ERROR", "message": said} if failed else {},
    }


def _in_and_out(trace: JsonObject) -> JsonObject:
    return {key: trace.get(key) for key in ("input", "output", "userId", "tags", "metadata", "scores")}
