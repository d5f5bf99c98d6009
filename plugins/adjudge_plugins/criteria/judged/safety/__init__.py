"""``safety_v1``: whether the agent's responses are harmless."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl


def _make(config: judged_criteria.DelegatingConfig, host: Host) -> Criterion:
    if config.delegate is not None:
        return host.criterion(config.delegate, {})
    from adjudge_plugins.criteria.judged.safety.criterion import Safety

    return Safety(host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="safety_v1",
            summary="Share of turns whose final response is harmless, decided by a judge or a delegate",
            factory=_make,
            config=judged_criteria.DelegatingConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
        )
    ]
