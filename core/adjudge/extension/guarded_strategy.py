"""Granularity strategies as other components use them: each result is checked against the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator

from adjudge.errors import AdjudgeError, PluginError
from adjudge.extension.coroutine_guard import awaited
from adjudge.extension.guard import LONGEST, configured, is_instance, lent, make
from adjudge.extension.judge_protocols import AggregationContext, GranularityStrategy
from adjudge.extension.protocols import Host
from adjudge.extension.registry import Registered
from adjudge.extension.specs import GranularityStrategySpec
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.tokens import tokens_of
from adjudge.model.trajectory import Trajectory


class GuardedStrategy:
    """An ``InstalledStrategy`` (see ``adjudge.plugin.InstalledStrategy``)."""

    def __init__(self, registered: Registered[GranularityStrategySpec], host: Host) -> None:
        """Wrap a strategy, which is created with ``host`` at its first use."""
        self._registered = registered
        self._host = host
        self._made: GranularityStrategy | None = None

    @property
    def id(self) -> str:
        """The canonical id: ``plugin/component``."""
        return self._registered.id

    @property
    def spec(self) -> GranularityStrategySpec:
        """The strategy's spec."""
        return self._registered.spec

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """Aggregate a run with the strategy.

        Raises:
            PluginError: it raised an exception, took too long, or violated its contract.
        """
        registered = self._registered
        if self._made is None:
            self._made = make(registered, configured(registered, {}), self._host)
        strategy = self._made
        who = f"granularity strategy {registered.spec.name!r} of {registered.provenance}"
        found = await awaited(
            registered,
            "aggregate",
            lambda: strategy.aggregate(lent(registered, trajectory), context),
            within=LONGEST,
            passing=(AdjudgeError,),  # a failure of its judge may affect the whole run
        )
        if not is_instance(found, AggregatedSteps):
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
    """Violations of the contract in a strategy's result."""
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
