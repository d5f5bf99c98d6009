"""Finds the runs in a file: single, one per line, nested, or in batches of the SDK."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.strict_json import is_list
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.langsmith_reader.runs import THREAD, tell
from adjudge_plugins.readers.records import values_of

_RUN: Final = frozenset({"id", "run_type"})
_BATCHES: Final = ("post", "patch")
_THREADS: Final = ("thread_id", "session_id", "conversation_id")
"""The keys of a run's metadata that group traces to a thread."""


class LangSmithReader:
    """Reads one trace at a time; runs are buffered on disk."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object is a run or a batch of runs."""
        found = logs.outline(head)
        keys = set(found.keys)
        return (keys >= _RUN and bool({"inputs", "outputs", "dotted_order", "trace_id"} & keys)) or any(
            {"run_type", "dotted_order", "trace_id"} & set(found.lists.get(batch, ())) for batch in _BATCHES
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield one trajectory per thread; per trace if no thread is named.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        return spans.trajectories_of_spans(
            source, options, tell, conversation_attributes=(THREAD,), find=_spans_in
        )


def _spans_in(stream: logs.MendingJsonStream, file: str) -> Iterator[tuple[JsonObject, logs.Place]]:
    """Yield every run as a span. The SDK's messages for the start and the end of a run are merged."""
    found = False
    for value, place in values_of(stream, file):
        held = place.as_object(value, "a run")
        batches = [batch for batch in _BATCHES if is_list(held.get(batch))]
        runs: dict[str, tuple[JsonObject, logs.Place]] = {}
        for batch in batches:
            for run, at in place.key(batch).as_objects(held[batch]):
                identity = logs.text_of(run.get("id"))
                begun, here = runs.get(identity, ({}, at))
                # A value that is empty in the message for the end keeps its value from the start.
                runs[identity] = (
                    {**begun, **{key: told for key, told in run.items() if told or key not in begun}},
                    here,
                )
        for run, at in runs.values() if batches else _nested(held, place):
            found = True
            yield _span(run, at), at
    if not found:
        stream.fail("no run of LangSmith is here.")


def _nested(run: JsonObject, place: logs.Place) -> Iterator[tuple[JsonObject, logs.Place]]:
    yield run, place
    for child, at in place.key("child_runs").as_objects(run.get("child_runs")):
        trace = child.get("trace_id") or run.get("trace_id") or run.get("id")
        yield from _nested({"parent_run_id": run.get("id"), **child, "trace_id": trace}, at)


def _span(run: JsonObject, place: logs.Place) -> JsonObject:
    identity = run.get("id")
    if not isinstance(identity, str) or not ("run_type" in run or "inputs" in run):
        place.fail("found no run", "A run of LangSmith has an id, a run_type and inputs.")
    metadata = logs.object_of(logs.object_of(run.get("extra")).get("metadata"))
    thread = next((found for key in _THREADS if isinstance(found := metadata.get(key), str) and found), None)
    error = run.get("error")
    attributes = {key: value for key, value in run.items() if key not in {"child_runs", "serialized"}}
    if thread is not None:
        attributes[THREAD] = thread
    return {
        "trace_id": run.get("trace_id") if isinstance(run.get("trace_id"), str) else identity,
        "span_id": identity,
        "parent_span_id": run.get("parent_run_id"),
        "name": run.get("name") or "",
        "start_time": _in_utc(run.get("start_time")),
        "end_time": _in_utc(run.get("end_time")),
        "attributes": attributes,
        "status": {"code": "ERROR", "message": logs.text_of(error).strip().splitlines()[-1:][0]}
        if isinstance(error, str) and error.strip()
        else {},
    }


def _in_utc(moment: Any) -> Any:
    """Mark a time without a time zone as UTC, as LangSmith's API means it."""
    if isinstance(moment, str) and logs.moment_of(moment) is None:
        return f"{moment}+00:00"
    return moment
