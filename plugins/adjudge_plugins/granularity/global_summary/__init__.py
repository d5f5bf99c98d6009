"""``global_summary``: the run as one narrative (seed 003, level 3)."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import GranularityStrategy, GranularityStrategySpec, Host, NoConfig, hookimpl
from adjudge_plugins.granularity.global_summary.keywords import KEYWORDS


def _make(config: NoConfig, host: Host) -> GranularityStrategy:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.granularity.global_summary.strategy import GlobalSummary

    return GlobalSummary()


@hookimpl.granularity_strategies
def granularity_strategies() -> Iterable[GranularityStrategySpec]:
    """Describe ``global_summary``."""
    return [
        GranularityStrategySpec(
            name="global_summary",
            summary="The whole run as one narrative: approach, turning points, result",
            factory=_make,
            when_to_use=(
                "The criterion is about the run as a whole: its strategy, whether the task succeeded in the end, how "
                "efficient it was, whether the agent kept its persona."
            ),
            keywords=KEYWORDS,
            reads="run",
            fineness=0.0,
        )
    ]
