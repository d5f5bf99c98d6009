"""The cost of a run or a step as a log reports it, in the log's currency."""

from __future__ import annotations

from typing import Final

from adjudge.model.base import JsonObject
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory

_KEYS: Final = ("cost", "llm.cost.total", "total_cost_usd")
"""The keys of the cost in different formats."""


def cost_of(run: Trajectory) -> float | None:
    """The cost of the run, or the sum over its steps; ``None`` if the log contains no cost."""
    own = _said(run.extra)
    if own is not None:
        return own
    costs = [cost for step in run.steps if (cost := cost_of_step(step)) is not None]
    return sum(costs) if costs else None


def cost_of_step(step: Step) -> float | None:
    """The cost of one step; ``None`` if the log contains none."""
    return _said(step.extra)


def _said(extra: JsonObject | None) -> float | None:
    costs = [
        value
        for key in _KEYS
        if isinstance(value := (extra or {}).get(key), int | float) and not isinstance(value, bool)
    ]
    return float(sum(costs)) if costs else None
