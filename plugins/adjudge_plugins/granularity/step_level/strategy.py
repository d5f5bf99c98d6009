"""Every step in a line of its own; nothing is aggregated."""

from __future__ import annotations

from adjudge.kit import digests
from adjudge.model import Step, Text, ToolCall
from adjudge.plugin import AggregatedSteps, AggregationContext, Trajectory


class StepLevel:
    """``Step N: [thinking] -> [action] -> [outcome]``."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """One line a step, inside the budget (see ``digests.fitted_lines``). No judge is asked."""
        lines = digests.fitted_lines(_with_answers(trajectory), context.token_budget)
        return AggregatedSteps(
            granularity="step_level",
            aggregated_content="\n".join(map(str, lines)),
            step_mapping={line.label: line.steps for line in lines},
        )


def _with_answers(trajectory: Trajectory) -> list[Step]:
    """The steps. One that only answers has the answer as its words: readers keep it beside the steps."""
    steps: list[Step] = []
    for turn in trajectory.invocations:
        steps += turn.steps
        if not turn.steps or turn.final_response is None:
            continue
        last, answer = turn.steps[-1], turn.final_response.text
        if answer and not any(isinstance(item, Text | ToolCall) for item in last.items):
            steps[-1] = last.model_copy(update={"items": (*last.items, Text(text=answer))})
    return steps
