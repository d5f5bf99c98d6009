"""``multi_turn_trajectory_quality_v1``: whether the agent took a good path through the conversation."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl


def _make(config: judged_criteria.DelegatingConfig, host: Host) -> Criterion:
    if config.delegate is not None:
        return host.criterion(config.delegate, {})
    from adjudge_plugins.criteria.judged.multi_turn_trajectory_quality.criterion import (
        MultiTurnTrajectoryQuality,
    )

    return MultiTurnTrajectoryQuality(host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="multi_turn_trajectory_quality_v1",
            summary="Whether the agent's moves over the conversation were sensible, efficient and harmless",
            factory=_make,
            config=judged_criteria.DelegatingConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
        )
    ]
