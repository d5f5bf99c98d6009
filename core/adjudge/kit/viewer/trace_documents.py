"""The types of traces and graphs in documents."""

from __future__ import annotations

from typing import Literal, TypedDict

from adjudge.kit.viewer.texts import Text


class Item(TypedDict):
    """An item of a step: its field as in citations, a label, and its text."""

    field: str
    label: str
    text: Text
    is_code: bool


class TraceRow(TypedDict):
    """A step in a trace. ``begin`` and ``end`` are shares of the whole run's time."""

    step: int
    """The number of the step; a unique number below 1 for a turn without recorded steps."""
    title: str
    agent: str
    kind: Literal["call", "say", "think", "error", "observe", "other"]
    begin: float
    end: float
    time: str
    tokens: str
    cost: str
    event: bool
    """Whether the step produced an event."""
    nested: bool
    marks: list[tuple[str, str]]
    """Texts and tones of marks, for instance "first error"."""
    ref: str
    items: list[Item]
    raw: dict[str, Text]
    """``event``, ``request`` and ``response``, if they were recorded."""
    nodes: list[str]
    """The ids of its nodes in the graph."""


class TraceGroup(TypedDict):
    """The steps after one message of the user."""

    turn: int
    prompt: Text
    time: str
    rows: list[TraceRow]


class GraphNode(TypedDict):
    """A node for an agent, a tool or the user, with its position in pixels."""

    id: str
    label: str
    kind: Literal["user", "agent", "tool"]
    x: int
    y: int
    width: int
    height: int


class GraphEdge(TypedDict):
    """An edge between a caller and a callee, with the number of calls."""

    source: str
    target: str
    count: int
    points: list[tuple[int, int]]
    """The points of a cubic Bézier curve: start, two control points, end."""


class Graph(TypedDict):
    """The laid-out graph of calls between user, agents and tools."""

    width: int
    height: int
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    left_out: int
    """The number of tools that are not shown."""
    words: str
    """A text alternative for people who cannot see the picture."""


class Trace(TypedDict):
    """The steps of a run, grouped by the user's messages."""

    summary: list[tuple[str, str]]
    """Steps, time, tokens, cost."""
    timed: Literal["recorded", "durations", "order"]
    scale: list[str]
    """Five labels of the time axis; empty if only the order of steps is known."""
    groups: list[TraceGroup]
    graph: Graph
    lost: list[str]
    """Descriptions of data that the reader of the log could not keep."""
