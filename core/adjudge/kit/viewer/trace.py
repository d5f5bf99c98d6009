"""The trace of a run for a page: steps grouped by the user's messages, on a time axis."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.kit.trace import cost_of
from adjudge.kit.viewer.documents import Fault
from adjudge.kit.viewer.exhibits import Exhibits
from adjudge.kit.viewer.graph import graph_of, nodes_of
from adjudge.kit.viewer.steps import (
    answer_item,
    asked_item,
    cost_text,
    items_of,
    raw_of,
    state_item,
    step_row,
    tokens_text,
)
from adjudge.kit.viewer.texts import text_of
from adjudge.kit.viewer.timing import Timing, seconds_text
from adjudge.kit.viewer.trace_documents import Item, Trace, TraceGroup, TraceRow
from adjudge.model.printable import clean
from adjudge.model.step import Step, total_usage
from adjudge.model.trajectory import Trajectory


def trace_of(run: Trajectory) -> Trace:
    """Create the trace of a run."""
    timing, exhibits = Timing(run), Exhibits(run)
    groups: list[TraceGroup] = []
    index = 0
    for number, turn in enumerate(run.invocations, 1):
        rows: list[TraceRow] = []
        asked, answer = asked_item(turn), answer_item(turn)
        for position, step in enumerate(turn.steps):
            items = [asked] if asked and not position else []
            items += items_of(step)
            if answer and position == len(turn.steps) - 1:
                items.append(answer)
            row = step_row(step, timing.at(index, step), items)
            row["nodes"] = nodes_of(step, run)
            row["raw"] = raw_of(step, exhibits)
            rows.append(row)
            index += 1
        if not rows and (loose := [item for item in (asked, answer) if item]):
            rows.append(_without_step(number, index, timing, loose))
        groups.append(
            {
                "turn": number,
                "prompt": text_of(turn.user_content.text),
                "time": "" if turn.duration is None else seconds_text(turn.duration),
                "rows": rows,
            }
        )
    if run.final_session_state and groups and groups[-1]["rows"]:
        groups[-1]["rows"][-1]["items"].append(state_item(run.final_session_state))
    return {
        "summary": _summary(run, timing),
        "timed": timing.kind,
        "scale": timing.scale(),
        "groups": groups,
        "graph": graph_of(run),
        "lost": [clean(text) for text in run.lost],
    }


def mark(trace: Trace, faults: Iterable[tuple[str, Fault]]) -> None:
    """Mark the steps of first errors and runners-up in a trace, each with the name of the criterion."""
    rows = {row["step"]: row for group in trace["groups"] for row in group["rows"]}
    for criterion, fault in faults:
        if (row := rows.get(fault["first"]["step"])) is not None:
            row["marks"].append((f"first error: {criterion}", "fail"))
        for place in fault["others"]:
            if (row := rows.get(place["step"])) is not None:
                row["marks"].append((f"runner-up: {criterion}", "unsure"))


def _without_step(turn: int, index: int, timing: Timing, items: list[Item]) -> TraceRow:
    """Create a row for a turn without recorded steps."""
    row = step_row(Step(number=1), (0.0, 0.0, ""), items)
    place = index / timing.seconds if timing.kind == "order" and timing.seconds else 0.0
    return {**row, "step": -turn, "kind": "say", "begin": place, "end": place}


def _summary(run: Trajectory, timing: Timing) -> list[tuple[str, str]]:
    calls = sum(len(step.calls) for step in run.steps)
    found = [("steps", str(len(run.steps))), ("calls", str(calls))]
    durations = [turn.duration for turn in run.invocations if turn.duration is not None]
    seconds = run.duration if run.duration is not None else sum(durations) if durations else None
    if seconds is None and timing.kind != "order":
        seconds = timing.seconds
    if seconds is not None:
        found.append(("time", seconds_text(seconds)))
    if tokens := tokens_text(total_usage([step.usage for step in run.steps])):
        found.append(("tokens", tokens))
    if (cost := cost_of(run)) is not None:
        found.append(("cost", cost_text(cost)))
    if len(run.invocations) > 1:
        found.insert(0, ("turns", str(len(run.invocations))))
    return found
