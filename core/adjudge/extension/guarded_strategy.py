"""Granularity strategies as components may use them: each held to its contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

from adjudge.errors import AdjudgeError, PluginError
from adjudge.extension.guard import LONGEST, awaited, lent, make
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
        """Offer a strategy; it is made with ``host`` when it is first asked."""
        self._registered = registered
        self._host = host
        self._made: GranularityStrategy | None = None

    @property
    def id(self) -> str:
        """As ``plugin/component``."""
        return self._registered.id

    @property
    def spec(self) -> GranularityStrategySpec:
        """What it says of itself."""
        return self._registered.spec

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """What the strategy makes of a run.

        Raises:
            PluginError: it raised, took too long, or returned what its contract forbids.
        """
        registered = self._registered
        if self._made is None:
            self._made = make(registered, registered.spec.config(), self._host)
        strategy = self._made
        who = f"granularity strategy {registered.spec.name!r} of {registered.provenance}"
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
