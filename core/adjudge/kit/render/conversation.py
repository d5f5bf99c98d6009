"""All events of a repeat, turn by turn, as lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from adjudge.kit.render.criterion_lines import criterion_lines, failure_lines, turn_lines
from adjudge.kit.render.lines import Line, Tone, line
from adjudge.kit.render.simulation import simulation_lines
from adjudge.kit.render.turns import said, turns_of
from adjudge.model import ToolCall
from adjudge.model.printable import clean
from adjudge.plugin import ReportedCase


def transcript(reported: ReportedCase) -> Iterator[Line]:
    """Show every turn of a repeat: prompt, answers, calls and reasons in full, and every score."""
    if reported.result.error is not None:
        yield from failure_lines(reported.result.error, indent=0, everything=True)
    yield from simulation_lines(reported.result.simulation)
    for criterion in reported.result.criteria:
        yield from criterion_lines(criterion, everything=True)
    for turn in turns_of(reported):
        yield line((f"turn {turn.number} of {turn.of}", Tone.STRONG))
        yield from _labelled("prompt", turn.prompt)
        expected, actual = turn.expected, turn.actual
        if expected is not None:
            yield from _labelled("expected", said(expected.final_response))
        yield from _labelled(
            "actual", said(actual.final_response) if actual else "(this turn never happened)"
        )
        if expected is not None:
            yield from _calls("expected calls", expected.tool_calls)
        if actual is not None:
            yield from _calls("actual calls", actual.tool_calls)
            # Calls by agents that were called as tools; criteria do not compare them.
            if nested := [
                call for step in actual.steps if step.parent_call_id is not None for call in step.calls
            ]:
                yield from _calls("nested calls", nested)
        for criterion, result in turn.results:
            yield from turn_lines(criterion, result, everything=True)


def _labelled(label: str, text: str) -> Iterator[Line]:
    first, *others = clean(text).split("\n")
    yield line((f"{label:<10}", Tone.FAINT), first, indent=2)
    for other in others:
        yield line(other, indent=12)


def _calls(label: str, calls: Sequence[ToolCall]) -> Iterator[Line]:
    if not calls:
        yield line((f"{label}: none", Tone.FAINT), indent=2)
        return
    yield line((f"{label}:", Tone.FAINT), indent=2)
    for call in calls:
        args = json.dumps(call.args or {}, ensure_ascii=False, default=str)
        yield line(f"{call.name} {args if call.raw_args is None else call.raw_args}", indent=4)
