"""``StepAggregatorService``: hands a run to a strategy, and holds the strategy to its contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal, cast

from adjudge.errors import AdjudgeError, PluginError
from adjudge.extension.guard import LONGEST, awaited, lent, make
from adjudge.extension.judge_protocols import AggregationContext, GranularityStrategy
from adjudge.extension.protocols import Host
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import GranularityStrategySpec
from adjudge.kit.digests import tokens_of
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.trajectory import Trajectory


class StepAggregatorService:
    """A run at any granularity that is installed."""

    def __init__(self, strategies: Registry[GranularityStrategySpec], host: Host) -> None:
        """Aggregate with ``strategies``, each made with ``host`` when it is first asked for."""
        self._strategies = strategies
        self._host = host
        self._made: dict[str, GranularityStrategy] = {}

    def reads(self, name: str) -> Literal["run", "groups", "steps"]:
        """How a long run is shown to the judge at the strategy of that name (see its spec)."""
        return self._strategies.resolve(name).spec.reads

    async def aggregate(
        self, name: str, trajectory: Trajectory, context: AggregationContext
    ) -> AggregatedSteps:
        """What the strategy of that name makes of a run.

        Raises:
            UnknownNameError: no strategy has the name, or two have it.
            PluginError: the strategy raised, or returned what its contract forbids.
        """
        registered = self._strategies.resolve(name)
        if registered.id not in self._made:
            self._made[registered.id] = make(registered, registered.spec.config(), self._host)
        who = f"granularity strategy {registered.spec.name!r} of {registered.provenance}"
        strategy = self._made[registered.id]
        found = await awaited(
            registered,
            "aggregate",
            lambda: strategy.aggregate(lent(registered, trajectory), context),
            within=LONGEST,
            passing=(AdjudgeError,),  # a judge that it asked may be out of reach for the whole run
        )
        if not isinstance(cast("object", found), AggregatedSteps):
            raise PluginError(f"{who} returned {type(found).__name__}; expected AggregatedSteps")
        if broken := list(_broken(found, registered, trajectory, context.token_budget)):
            raise PluginError(f"{who} returned what cannot be used: {'; '.join(broken)}")
        return found


def _broken(
    found: AggregatedSteps,
    registered: Registered[GranularityStrategySpec],
    trajectory: Trajectory,
    token_budget: int | None,
) -> Iterator[str]:
    """What is wrong with a strategy's answer."""
    if found.granularity != registered.spec.name:
        yield f"granularity is {found.granularity!r}, expected {registered.spec.name!r}"
    numbers = {step.number for step in trajectory.steps}
    for label, steps in found.step_mapping.items():
        if unknown := sorted(set(steps) - numbers):
            yield f"step_mapping of {label!r} names steps that the run does not have: {unknown[:5]}"
    try:
        json.dumps(found.summary_metadata, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"summary_metadata is not JSON: {error}"
    tokens = tokens_of(found.aggregated_content)
    if token_budget is not None and tokens > token_budget:
        yield f"aggregated_content has {tokens} tokens, the budget is {token_budget}"
