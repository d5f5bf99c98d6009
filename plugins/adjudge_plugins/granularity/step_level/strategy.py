"""Every step in a line of its own; nothing is aggregated."""

from __future__ import annotations

from adjudge.kit import digests
from adjudge.plugin import AggregatedSteps, AggregationContext, Trajectory


class StepLevel:
    """``Step N: [thinking] -> [action] -> [outcome]``."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """One line a step, inside the budget (see ``digests.fitted_lines``). No judge is asked."""
        lines = digests.fitted_lines(digests.steps_with_words(trajectory), context.token_budget)
        return AggregatedSteps(
            granularity="step_level",
            aggregated_content="\n".join(map(str, lines)),
            step_mapping={line.label: line.steps for line in lines},
        )
