"""OpenTelemetry spans of agents: finding them in files, and making trajectories of what they tell.

A reader of one convention says what a single span tells (``ModelCall``, ``ToolRun``, ``AgentRun``,
``Noted``); grouping, order, turns, repeated inputs and the pairing of calls with results are the same
for every convention, and are here. Plugins reach it as ``adjudge.plugin.reading.spans``.
"""

from adjudge.reading.spans.containers import holds_spans
from adjudge.reading.spans.notes import Notes
from adjudge.reading.spans.span import Span, SpanEvent
from adjudge.reading.spans.told import AgentRun, Message, ModelCall, Noted, Told, ToolRun, json_of
from adjudge.reading.spans.trajectories import trajectories_of_spans
from adjudge.reading.spans.unfolding import unfolded

__all__ = [
    "AgentRun",
    "Message",
    "ModelCall",
    "Noted",
    "Notes",
    "Span",
    "SpanEvent",
    "Told",
    "ToolRun",
    "holds_spans",
    "json_of",
    "trajectories_of_spans",
    "unfolded",
]
