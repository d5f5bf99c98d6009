"""``StepAggregatorService``: aggregates a run at a granularity, within the budget of its request."""

from __future__ import annotations

from typing import Literal

from adjudge.model import AggregatedSteps, Trajectory
from adjudge.plugin import AggregationContext, Host


class StepAggregatorService:
    """Aggregates runs with any installed granularity strategy."""

    def __init__(self, host: Host) -> None:
        """Use the strategies of ``host``."""
        self._host = host

    def reads(self, name: str) -> Literal["run", "groups", "steps"]:
        """How the strategy presents a long run to the judge (``reads`` of its spec)."""
        return self._host.granularity_strategy(name).spec.reads

    async def aggregate(
        self, name: str, trajectory: Trajectory, context: AggregationContext
    ) -> AggregatedSteps:
        """Aggregate a run with the strategy of that name.

        Raises:
            UnknownNameError: no strategy has the name, or two have it.
            PluginError: the strategy raised, or its result violates its contract.
        """
        return await self._host.granularity_strategy(name).aggregate(trajectory, context)
