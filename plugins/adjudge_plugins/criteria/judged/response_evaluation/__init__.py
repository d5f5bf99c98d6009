"""``response_evaluation_score``: how coherent the agent's responses are, from 1 to 5."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl


def _make(config: judged_criteria.DelegatingConfig, host: Host) -> Criterion:
    if config.delegate is not None:
        return host.criterion(config.delegate, {})
    from adjudge_plugins.criteria.judged.response_evaluation.criterion import ResponseEvaluation

    return ResponseEvaluation(host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="response_evaluation_score",
            summary="Coherence of the final response from 1 to 5, graded by a judge or a delegate",
            factory=_make,
            config=judged_criteria.DelegatingConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
            value_range=(1.0, 5.0),
        )
    ]
