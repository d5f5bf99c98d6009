"""``multi_turn_task_success_v1``: whether the conversation reached the user's goal."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl


def _make(config: judged_criteria.DelegatingConfig, host: Host) -> Criterion:
    if config.delegate is not None:
        return host.criterion(config.delegate, {})
    from adjudge_plugins.criteria.judged.multi_turn_task_success.criterion import MultiTurnTaskSuccess

    return MultiTurnTaskSuccess(host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="multi_turn_task_success_v1",
            summary="Whether the agent reached the user's goals over the whole conversation",
            factory=_make,
            config=judged_criteria.DelegatingConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
        )
    ]
