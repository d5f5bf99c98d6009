"""What a granularity strategy makes of a trajectory (seed 003, section 3.2)."""

from __future__ import annotations

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
    steps: tuple[int, ...]
    summary: str | None = None
