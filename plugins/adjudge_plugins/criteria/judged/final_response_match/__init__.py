"""``final_response_match_v2``: whether the final response has the same meaning as the reference."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.judged.final_response_match.config import FinalResponseMatchConfig


def _make(config: FinalResponseMatchConfig, host: Host) -> Criterion:
    from adjudge_plugins.criteria.judged.final_response_match.criterion import FinalResponseMatch

    return FinalResponseMatch(config, host.judge(config.judge_model_options))


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="final_response_match_v2",
            summary="Whether the final response has the meaning of the reference response, by a judge",
            factory=_make,
            config=FinalResponseMatchConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS, Need.REFERENCE_RESPONSE, Need.JUDGE}),
        )
    ]
