"""``hallucinations_v1``: whether the agent's texts are supported by its instructions, its messages and its tools' results."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.judged.hallucinations.config import HallucinationsConfig


def _make(config: HallucinationsConfig, host: Host) -> Criterion:
    from adjudge_plugins.criteria.judged.hallucinations.criterion import Hallucinations

    return Hallucinations(config, host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="hallucinations_v1",
            summary="Share of the answer's sentences that the context supports, or that need no support",
            factory=_make,
            config=HallucinationsConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
        )
    ]
