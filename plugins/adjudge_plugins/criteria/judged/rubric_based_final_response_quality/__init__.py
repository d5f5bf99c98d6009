"""``rubric_based_final_response_quality_v1``: whether the final response has the properties in the rubrics."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.judged.rubric_based_final_response_quality.config import (
    FinalResponseQualityConfig,
)


def _make(config: FinalResponseQualityConfig, host: Host) -> Criterion:
    from adjudge_plugins.criteria.judged.rubric_based_final_response_quality.criterion import (
        FinalResponseQuality,
    )

    return FinalResponseQuality(config, host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="rubric_based_final_response_quality_v1",
            summary="Share of rubrics that the final response meets, decided by a judge",
            factory=_make,
            config=FinalResponseQualityConfig,
            needs=frozenset({Need.RUBRICS, Need.JUDGE}),
            simulated_conversations=True,
        )
    ]
