"""``rubric_based_tool_use_quality_v1``: whether the use of tools has the properties in the rubrics."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl


def _make(config: judged_criteria.RubricsConfig, host: Host) -> Criterion:
    from adjudge_plugins.criteria.judged.rubric_based_tool_use_quality.criterion import ToolUseQuality

    return ToolUseQuality(config, host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="rubric_based_tool_use_quality_v1",
            summary="Share of rubrics that the tool calls of a turn meet, decided by a judge",
            factory=_make,
            config=judged_criteria.RubricsConfig,
            needs=frozenset({Need.RUBRICS, Need.JUDGE}),
            simulated_conversations=True,
        )
    ]
