"""The output of a granularity strategy (seed 003, section 3.2)."""

from __future__ import annotations

from typing import Literal

from adjudge.model.base import Frozen, JsonObject


class AggregatedSteps(Frozen):
    """A trajectory aggregated at one granularity, with a mapping back to its steps."""

    granularity: str
    """The name of the strategy: ``step_level``, ``phase_level``, ``global_summary``, or a third-party strategy."""
    aggregated_content: str
    step_mapping: dict[str, tuple[int, ...]] = {}
    """The step numbers of each label in the content; labels are for instance ``Step 1`` or ``Phase A``."""
    summary_metadata: JsonObject = {}


class Cluster(Frozen):
    """Consecutive steps that belong to one sub-task (seed 003, ``TaskDecomposition``)."""

    name: str
    """A short description of the sub-task."""
    steps: tuple[int, ...]
    """Step numbers, in order; at least one."""
    summary: str | None = None
    """``None`` if there is no summary."""
    boundary: str | None = None
    """The reason for its beginning, for instance ``page changed`` or ``judge's correction``; ``None`` for the first."""


class TaskDecomposition(Frozen):
    """The sub-tasks of a trajectory: every step is in exactly one cluster, in order."""

    clusters: tuple[Cluster, ...]
    named_by: Literal["code", "judge"] = "code"
    """Whether code or a judge named the clusters. Code finds their boundaries, unless ``boundary`` says otherwise."""
