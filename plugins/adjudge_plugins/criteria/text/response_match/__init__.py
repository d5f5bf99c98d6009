"""``response_match_score``: how much the final response resembles the reference, word by word."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.text.response_match.config import ResponseMatchConfig


def _make(config: ResponseMatchConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.text.response_match.criterion import ResponseMatch

    return ResponseMatch(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="response_match_score",
            summary="ROUGE-1 F-measure of the final response against the reference response",
            factory=_make,
            config=ResponseMatchConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS, Need.REFERENCE_RESPONSE}),
            default_threshold=0.8,
            in_adk_default=True,
        )
    ]
