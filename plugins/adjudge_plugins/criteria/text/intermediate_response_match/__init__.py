"""``intermediate_response_match_score``: whether sub-agents said on the way what they were to say."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.text.intermediate_response_match.criterion import IntermediateResponseMatch

    return IntermediateResponseMatch()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="intermediate_response_match_score",
            summary="ROUGE-1 F-measure of expected texts of sub-agents, each with its best partner",
            factory=_make,
            needs=frozenset({Need.EXPECTED_INVOCATIONS, Need.REFERENCE_INTERMEDIATE_RESPONSES}),
            default_threshold=0.8,
        )
    ]
