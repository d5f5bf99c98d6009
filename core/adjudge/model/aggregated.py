"""What a granularity strategy makes of a trajectory (seed 003, section 3.2)."""

from __future__ import annotations

from typing import Literal

from adjudge.model.base import Frozen, JsonObject


class AggregatedSteps(Frozen):
    """A trajectory at one granularity, with the way back to its steps."""

    granularity: str
    """The strategy's name: ``step_level``, ``phase_level``, ``global_summary`` or somebody's own."""
    aggregated_content: str
    step_mapping: dict[str, tuple[int, ...]] = {}
    """A label of the content, for instance ``Step 1`` or ``Phase A``, to step numbers."""
    summary_metadata: JsonObject = {}


class Cluster(Frozen):
    """A run of steps that serve one sub-task (seed 003, ``TaskDecomposition``)."""

    name: str
    """What the sub-task is, in a few words."""
    steps: tuple[int, ...]
    """Step numbers, in order; at least one."""
    summary: str | None = None
    """``None`` where nobody wrote one."""
    boundary: str | None = None
    """Why it begins where it does, for instance ``page changed`` or ``judge's correction``; ``None`` for the first."""


class TaskDecomposition(Frozen):
    """The sub-tasks of a trajectory: every step is in exactly one cluster, in order."""

    clusters: tuple[Cluster, ...]
    named_by: Literal["code", "judge"] = "code"
    """Who named the clusters. Where they begin is found by code, unless ``boundary`` says otherwise."""
