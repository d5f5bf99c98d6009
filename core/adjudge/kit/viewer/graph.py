"""The graph of calls between user, agents and tools of a run, laid out in three columns."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, TypeAlias

from adjudge.kit.viewer.trace_documents import Graph, GraphEdge, GraphNode
from adjudge.model.printable import clean
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory

Kind: TypeAlias = Literal["user", "agent", "tool"]
_USER: Final = "user"
_AGENT: Final = "agent:"
_TOOL: Final = "tool:"
_MOST: Final = 40
"""The maximum number of nodes in a column; the others are only counted."""
_WIDTH: Final = 190
_HEIGHT: Final = 34
_GAP: Final = 16
_COLUMN: Final = 300
_MARGIN: Final = 12
_LABEL: Final = 24


def nodes_of(step: Step, run: Trajectory) -> list[str]:
    """The nodes of a step: its agent, and the tools of its calls and results."""
    tools = [call.name for call in step.calls] + [result.name for result in step.results if result.name]
    return list(dict.fromkeys([_agent_of(step, run), *(f"{_TOOL}{clean(name)}" for name in tools)]))


def graph_of(run: Trajectory) -> Graph:
    """Lay out the graph of a run."""
    edges: Counter[tuple[str, str]] = Counter()
    agents: dict[str, None] = {}
    tools: dict[str, None] = {}
    for turn in run.invocations:
        before = _USER
        for step in turn.steps:
            agent = _agent_of(step, run)
            agents[agent] = None
            if before != agent:
                edges[before, agent] += 1
            before = agent
            for call in step.calls:
                tool = f"{_TOOL}{clean(call.name)}"
                tools[tool] = None
                edges[agent, tool] += 1
        if turn.final_response is not None and before != _USER:
            edges[before, _USER] += 1
    columns = [[_USER], list(agents)[:_MOST], list(tools)[:_MOST]]
    left_out = max(0, len(agents) - _MOST) + max(0, len(tools) - _MOST)
    tallest = max(map(len, columns))
    nodes: dict[str, GraphNode] = {}
    kinds: tuple[Kind, ...] = ("user", "agent", "tool")
    for number, (kind, column) in enumerate(zip(kinds, columns, strict=True)):
        top = _MARGIN + (tallest - len(column)) * (_HEIGHT + _GAP) // 2
        for row, name in enumerate(column):
            nodes[name] = {
                "id": name,
                "label": _label(name),
                "kind": kind,
                "x": _MARGIN + number * _COLUMN,
                "y": top + row * (_HEIGHT + _GAP),
                "width": _WIDTH,
                "height": _HEIGHT,
            }
    drawn = [
        _edge(nodes[source], nodes[target], count)
        for (source, target), count in edges.items()
        if source in nodes and target in nodes
    ]
    return {
        "width": 2 * _MARGIN + 2 * _COLUMN + _WIDTH + (_WIDTH // 2 if len(agents) > 1 else 0),
        "height": 2 * _MARGIN + tallest * (_HEIGHT + _GAP) - _GAP,
        "nodes": list(nodes.values()),
        "edges": drawn,
        "left_out": left_out,
        "words": "; ".join(
            f"{_label(source)} to {_label(target)}" + (f" {count} times" if count > 1 else "")
            for (source, target), count in list(edges.items())[:_MOST]
        ),
    }


def _agent_of(step: Step, run: Trajectory) -> str:
    return f"{_AGENT}{clean(step.author or run.agent or 'agent')}"


def _label(name: str) -> str:
    label = name.partition(":")[2] or name
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"


def _edge(source: GraphNode, target: GraphNode, count: int) -> GraphEdge:
    """Route an edge: it leaves on the side of its target; between nodes of the same column it bends around them."""
    left, right = source["x"], target["x"]
    middle_from, middle_to = (node["y"] + node["height"] // 2 for node in (source, target))
    if left == right:
        start, end = left + source["width"], right + target["width"]
        bend = start + min(80, 24 + abs(middle_to - middle_from) // 3)
        points = [
            (start, middle_from + 6),
            (bend, middle_from + 6),
            (bend, middle_to - 6),
            (end, middle_to - 6),
        ]
    elif left < right:
        start, end = left + source["width"], right
        half = (start + end) // 2
        points = [
            (start, middle_from - 4),
            (half, middle_from - 4),
            (half, middle_to - 4),
            (end, middle_to - 4),
        ]
    else:
        start, end = left, right + target["width"]
        half = (start + end) // 2
        points = [
            (start, middle_from + 6),
            (half, middle_from + 6),
            (half, middle_to + 6),
            (end, middle_to + 6),
        ]
    return {"source": source["id"], "target": target["id"], "count": count, "points": points}
