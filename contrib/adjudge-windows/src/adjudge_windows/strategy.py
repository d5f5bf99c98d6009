"""Groups of successive steps with one subject, each with a summary of one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from adjudge.kit import digests
from adjudge.model import Step
from adjudge.plugin import AggregatedSteps, AggregationContext, Trajectory

Row = tuple[tuple[str, Step], ...]
"""The steps of a window, each with its subject."""


class Windows:
    """One window for each row of steps that have the same subject."""

    def __init__(self, name: str, subjects: Callable[[Sequence[Step]], Sequence[str]]) -> None:
        """Make windows as the strategy ``name``, with a subject for every step."""
        self._name = name
        self._subjects = subjects

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """One line a window; neighbours become one until the budget is kept."""
        steps = trajectory.steps
        pairs = zip(self._subjects(steps), steps, strict=True)
        rows: list[Row] = [tuple(row) for _, row in groupby(pairs, key=lambda pair: pair[0])]
        content = _content(rows)
        while context.token_budget is not None and digests.tokens_of(content) > context.token_budget:
            if len(rows) == 1:
                content = digests.clipped_to_tokens(content, context.token_budget)
                break
            rows = [sum(rows[at : at + 2], ()) for at in range(0, len(rows), 2)]
            content = _content(rows)
        return AggregatedSteps(
            granularity=self._name,
            aggregated_content=content,
            step_mapping={
                f"Window {place}": tuple(step.number for _, step in row)
                for place, row in enumerate(rows, start=1)
            },
        )


def _content(rows: Sequence[Row]) -> str:
    return "\n".join(_line(place, row) for place, row in enumerate(rows, start=1))


def _line(place: int, row: Row) -> str:
    steps = [step for _, step in row]
    subjects = list(dict.fromkeys(subject for subject, _ in row))
    more = f" and {len(subjects) - 2} more" if len(subjects) > 2 else ""
    subject = digests.in_line(", ".join(subjects[:2]), 80) + more
    told = [digests.actions_counted(steps) or "no calls"]
    failed = [(step.number, error) for step in steps if (error := digests.error_of(step)) is not None]
    if failed:
        number, error = failed[-1]
        told.append(f"error at step {number}: {digests.first_sentence(error, 100)}")
    elif came := _last_shown(steps):
        told.append(f"ends with: {came}")
    return f"Window {place} (Steps {steps[0].number}-{steps[-1].number}, {subject}): {'; '.join(told)}"


def _last_shown(steps: Sequence[Step]) -> str:
    for step in reversed(steps):
        for item in reversed(digests.shown(step)):
            text = digests.in_line(
                item.text if item.kind == "observation" else digests.text_of(item.value), 100
            )
            if text:
                return text
    return ""
