"""OpenTelemetry spans of agents: finds them in files, and builds trajectories.

A reader of one convention converts single spans (to ``ModelCall``, ``ToolRun``, ``AgentRun`` or
``Noted``). Grouping, order, turns, repeated inputs and the pairing of calls with results are the same
for all conventions, and are implemented here.
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
