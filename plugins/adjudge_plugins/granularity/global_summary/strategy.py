"""Aggregates the whole run to one narrative, with its outcome and its strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from adjudge.kit import digests, judged_criteria
from adjudge.model import Cluster, Exhibit, JsonObject
from adjudge.plugin import (
    AggregatedSteps,
    AggregationContext,
    Trajectory,
)
from adjudge_plugins.granularity.global_summary.narrative import extracted, final_answer

_TOKENS: Final = 8000
"""The token limit for the material of a judge's call, if no budget is given."""

_NARRATIVE, _OUTCOME, _STRATEGY = "narrative", "execution_outcome", "strategy_description"

_FIELDS: Final[Mapping[str, str]] = {
    _NARRATIVE: "the narrative, in three to six sentences",
    _OUTCOME: "Success, Partial success, Failure or Unknown, as far as the material shows it",
    _STRATEGY: "the strategy of the agent, in one sentence",
}


class GlobalSummary:
    """Aggregates all steps to one narrative."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """Make the narrative. ``written_by_judge`` in the metadata lists the texts that a judge wrote, if any."""
        clusters = context.clusters()
        told = extracted(trajectory, clusters)
        metadata: JsonObject = {_OUTCOME: told.outcome, _STRATEGY: told.strategy}
        text = told.text
        if (texts := await _written(trajectory, clusters, context)) is not None:
            text = digests.in_line(texts[_NARRATIVE], 4000)
            metadata = {
                _OUTCOME: digests.in_line(texts[_OUTCOME], 60),
                _STRATEGY: digests.in_line(texts[_STRATEGY], 1000),
                "written_by_judge": ["aggregated_content", _OUTCOME, _STRATEGY],
            }
        if context.token_budget is not None:
            text = digests.clipped_to_tokens(text, context.token_budget)
        return AggregatedSteps(
            granularity="global_summary",
            aggregated_content=text,
            step_mapping={"global_trace": tuple(step.number for step in trajectory.steps)},
            summary_metadata=metadata,
        )


async def _written(
    trajectory: Trajectory, clusters: Sequence[Cluster], context: AggregationContext
) -> Mapping[str, str] | None:
    """Ask a judge for the texts; ``None`` if there is no judge, or its answer is unusable."""
    if context.writer is None:
        return None
    budget = context.token_budget or _TOKENS
    phases = "\n".join(
        f"Steps {cluster.steps[0]}-{cluster.steps[-1]}: {digests.in_line(cluster.name, 120)}"
        for cluster in clusters
    )
    task = digests.task_of(trajectory)
    exhibits = [
        Exhibit(name="task", text=digests.clipped_to_tokens(task.told, budget // 20)),
        Exhibit(
            name="what the user wanted, hidden from the agent",
            text=digests.clipped_to_tokens(task.hidden, budget // 20),
        ),
        Exhibit(name="phases", text=digests.clipped_to_tokens(phases, budget // 5)),
        Exhibit(name="steps", text=digests.digest(digests.steps_with_words(trajectory), budget * 3 // 5)),
        Exhibit(name="final answer", text=digests.clipped_to_tokens(final_answer(trajectory), budget // 10)),
    ]
    prompt = judged_criteria.read_prompt(__package__, "global_summary")
    return await context.writer.write(prompt, judged_criteria.not_blank(*exhibits), _FIELDS)
