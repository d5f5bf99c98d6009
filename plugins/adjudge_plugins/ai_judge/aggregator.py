"""``StepAggregatorService``: a run at a granularity, within the budget of the request that it is for."""

from __future__ import annotations

from typing import Literal

from adjudge.model import AggregatedSteps, Trajectory
from adjudge.plugin import AggregationContext, Host


class StepAggregatorService:
    """A run at any granularity that is installed."""

    def __init__(self, host: Host) -> None:
        """Aggregate with the strategies of ``host``."""
        self._host = host

    def reads(self, name: str) -> Literal["run", "groups", "steps"]:
        """How a long run is shown to the judge at the strategy of that name (see its spec)."""
        return self._host.granularity_strategy(name).spec.reads

    async def aggregate(
        self, name: str, trajectory: Trajectory, context: AggregationContext
    ) -> AggregatedSteps:
        """What the strategy of that name makes of a run.

        Raises:
            UnknownNameError: no strategy has the name, or two have it.
            PluginError: the strategy raised, or returned what its contract forbids.
        """
        return await self._host.granularity_strategy(name).aggregate(trajectory, context)
