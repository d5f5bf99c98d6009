"""Reads a file of spans as trajectories."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from adjudge.kit.logs import ACTIONS_IN_PROSE, MendingJsonStream, Place, has_actions_in_prose, opened
from adjudge.model.base import JsonObject
from adjudge.model.trajectory import Trajectory
from adjudge.plugin import ReadOptions, Source
from adjudge_plugins.readers.spans.containers import spans_in
from adjudge_plugins.readers.spans.conversation import Conversation
from adjudge_plugins.readers.spans.disk_buffer import Spool, Trace
from adjudge_plugins.readers.spans.notes import Notes
from adjudge_plugins.readers.spans.span import Span
from adjudge_plugins.readers.spans.span_records import Told


def trajectories_of_spans(
    source: Source,
    options: ReadOptions,
    tell: Callable[[Span, Notes], Told | None],
    *,
    conversation_attributes: tuple[str, ...],
    find: Callable[[MendingJsonStream, str], Iterator[tuple[JsonObject, Place]]] = spans_in,
) -> Iterator[Trajectory]:
    """Yield one trajectory per conversation; a trace without a conversation is one of its own.

    The file is read once. Spans are buffered on disk, so that memory holds one trace at a time.

    Args:
        source: The file.
        options: Supplies the task.
        tell: Converts one span, or returns ``None`` if it is not part of the convention; notes losses.
        conversation_attributes: Traces that are equal in one of these form a conversation.
        find: Finds the spans in a file with a given name. They are objects in one of the formats of
        OpenTelemetry.

    Raises:
        InputError: the file is malformed or contains no span.
    """
    with Spool(conversation_attributes) as spool:
        with opened(source) as stream:
            spool.take(find(stream, source.path.name), source.mended)
        for traces in spool.conversations():
            yield _trajectory(traces, spool, options, tell)


def _trajectory(
    traces: list[Trace], spool: Spool, options: ReadOptions, tell: Callable[[Span, Notes], Told | None]
) -> Trajectory:
    notes = Notes()
    losses = notes.losses
    conversation = Conversation(losses)
    for trace in traces:
        if trace.repeated:
            losses.add("a span that has the id of another one of its trace", trace.repeated)
        losses.take(trace.mended)
        conversation.take(trace.trace_id, spool.spans(trace), lambda span: tell(span, notes))
    invocations = tuple(conversation.invocations())
    if has_actions_in_prose(invocations):
        losses.add(ACTIONS_IN_PROSE)
    durations = [turn.duration for turn in invocations if turn.duration is not None]
    named = traces[0].conversation
    return Trajectory(
        invocations=invocations,
        eval_id=named or traces[0].trace_id,
        task=options.task,
        agent=conversation.agent,
        session_id=named,
        duration=sum(durations) if durations else None,
        source=str(traces[0].first),
        lost=losses.texts(),
        extra={"trace_ids": [trace.trace_id for trace in traces]},
    )
