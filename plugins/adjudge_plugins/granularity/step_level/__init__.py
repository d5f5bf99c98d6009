"""``step_level``: one line for every step (seed 003, level 1)."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import GranularityStrategy, GranularityStrategySpec, Host, NoConfig, hookimpl
from adjudge_plugins.granularity.step_level.keywords import KEYWORDS


def _make(config: NoConfig, host: Host) -> GranularityStrategy:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.granularity.step_level.strategy import StepLevel

    return StepLevel()


@hookimpl.granularity_strategies
def granularity_strategies() -> Iterable[GranularityStrategySpec]:
    """Describe ``step_level``."""
    return [
        GranularityStrategySpec(
            name="step_level",
            summary="One line per step: the agent's thought, action and outcome",
            factory=_make,
            when_to_use=(
                "The criterion is about single steps: whether each action or tool call is correct, whether the "
                "reasoning before an action is sound, whether the agent hallucinates or makes operating mistakes."
            ),
            keywords=KEYWORDS,
            reads="steps",
            fineness=1.0,
        )
    ]
