"""One line for every step, without aggregation."""

from __future__ import annotations

from adjudge.kit import digests
from adjudge.plugin import AggregatedSteps, AggregationContext, Trajectory


class StepLevel:
    """Renders each step as ``Step N: [thinking] -> [action] -> [outcome]``."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """Make one line per step within the budget (see ``digests.fitted_lines``), without a judge."""
        lines = digests.fitted_lines(digests.steps_with_words(trajectory), context.token_budget)
        return AggregatedSteps(
            granularity="step_level",
            aggregated_content="\n".join(map(str, lines)),
            step_mapping={line.label: line.steps for line in lines},
        )
