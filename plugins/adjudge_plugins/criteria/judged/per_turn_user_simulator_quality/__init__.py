"""``per_turn_user_simulator_quality_v1``: whether the simulated user followed its scenario."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.judged.per_turn_user_simulator_quality.config import UserSimulatorQualityConfig


def _make(config: UserSimulatorQualityConfig, host: Host) -> Criterion:
    from adjudge_plugins.criteria.judged.per_turn_user_simulator_quality.criterion import UserSimulatorQuality

    return UserSimulatorQuality(config, host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="per_turn_user_simulator_quality_v1",
            summary="Share of turns in which the simulated user kept to its scenario, decided by a judge",
            factory=_make,
            config=UserSimulatorQualityConfig,
            needs=frozenset({Need.CONVERSATION_SCENARIO, Need.JUDGE}),
            simulated_conversations=True,
            measures_user=True,
        )
    ]
