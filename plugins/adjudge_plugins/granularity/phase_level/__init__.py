"""``phase_level``: two or three sentences for each sub-task (seed 003, level 2)."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import GranularityStrategy, GranularityStrategySpec, Host, NoConfig, hookimpl
from adjudge_plugins.granularity.phase_level.keywords import KEYWORDS


def _make(config: NoConfig, host: Host) -> GranularityStrategy:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.granularity.phase_level.strategy import PhaseLevel

    return PhaseLevel()


@hookimpl.granularity_strategies
def granularity_strategies() -> Iterable[GranularityStrategySpec]:
    """Describe ``phase_level``."""
    return [
        GranularityStrategySpec(
            name="phase_level",
            summary="Two or three sentences for each sub-task: its goal and its progress",
            factory=_make,
            when_to_use=(
                "The criterion is about parts of the run: whether sub-tasks are completed, whether the agent explores "
                "sensibly, whether a series of actions is coherent, whether it recovers from errors."
            ),
            keywords=KEYWORDS,
            fineness=0.5,
        )
    ]
