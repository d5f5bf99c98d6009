"""Aggregates a run to one summary per sub-task: ``Phase A (Steps 1-3): …``."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit import digests
from adjudge.model import JsonObject
from adjudge.plugin import AggregatedSteps, AggregationContext, Trajectory
from adjudge_plugins.granularity.phase_level.phases import Phase, phases_of, with_room
from adjudge_plugins.granularity.phase_level.summaries import extracted, written


class PhaseLevel:
    """Aggregates every cluster of the decomposition to a summary."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """Make one line per phase. ``written_by_judge`` in the metadata lists the summaries that a judge wrote.

        If the budget has no room for a sentence about each phase, neighbouring phases are joined.
        """
        phases = with_room(phases_of(trajectory, context.clusters()), context.token_budget)
        by_judge = await written(phases, trajectory.task, context)
        summaries = _fitted(
            phases, [by_judge.get(phase.key) or extracted(phase) for phase in phases], context.token_budget
        )
        metadata: JsonObject = {
            "cluster_summaries": {phase.key: text for phase, text in zip(phases, summaries, strict=True)}
        }
        if by_judge:
            metadata["written_by_judge"] = list(by_judge)
        return AggregatedSteps(
            granularity="phase_level",
            aggregated_content=_content(phases, summaries),
            step_mapping={phase.label: phase.cluster.steps for phase in phases},
            summary_metadata=metadata,
        )


def _content(phases: Sequence[Phase], summaries: Sequence[str]) -> str:
    return "\n".join(f"{phase.heading}: {text}" for phase, text in zip(phases, summaries, strict=True))


def _fitted(phases: Sequence[Phase], summaries: list[str], token_budget: int | None) -> list[str]:
    """Fit the summaries into the budget: all are shortened in the middle to one length, the longest that fits."""
    longest = max(map(len, summaries), default=0)
    if token_budget is None or digests.tokens_of(_content(phases, summaries)) <= token_budget:
        return summaries
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        cut = [digests.head_and_tail(text, middle) for text in summaries]
        fits = digests.tokens_of(_content(phases, cut)) <= token_budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return [digests.head_and_tail(text, low) for text in summaries]
