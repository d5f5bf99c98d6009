"""OpenTelemetry spans of agents: finding them in files, and making trajectories of what they tell.

A reader of one convention says what a single span tells (``ModelCall``, ``ToolRun``, ``AgentRun``,
``Noted``); grouping, order, turns, repeated inputs and the pairing of calls with results are the same
for every convention, and are here.
"""

from adjudge_plugins.readers.spans.containers import holds_spans, spans_in
from adjudge_plugins.readers.spans.flatten import unfolded
from adjudge_plugins.readers.spans.notes import Notes
from adjudge_plugins.readers.spans.span import Span, SpanEvent
from adjudge_plugins.readers.spans.span_records import (
    AgentRun,
    Message,
    ModelCall,
    Noted,
    Told,
    ToolRun,
    json_of,
)
from adjudge_plugins.readers.spans.traced_values import Exchange, exchange_of, plain_literal, result_of
from adjudge_plugins.readers.spans.trajectories import trajectories_of_spans

__all__ = [
    "AgentRun",
    "Exchange",
    "Message",
    "ModelCall",
    "Noted",
    "Notes",
    "Span",
    "SpanEvent",
    "Told",
    "ToolRun",
    "exchange_of",
    "holds_spans",
    "json_of",
    "plain_literal",
    "result_of",
    "spans_in",
    "trajectories_of_spans",
    "unfolded",
]
