"""What every judge backend and every granularity strategy must keep."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from pathlib import Path
from typing import ClassVar
from unittest import mock

from adjudge.extension.judge_protocols import AggregationContext, GranularityStrategy, JudgeBackend
from adjudge.extension.specs import GranularityStrategySpec, JudgeBackendSpec
from adjudge.model.aggregated import AggregatedSteps, Cluster
from adjudge.model.trajectory import Trajectory
from adjudge.testing.conformance.cases import criterion_cases
from adjudge.testing.conformance.component import ComponentConformance


class JudgeBackendConformance(ComponentConformance[JudgeBackendSpec]):
    """Subclass it and set ``component``. It calls no provider."""

    kind: ClassVar[str] = "judge_backends"

    def test_making_one_needs_no_key(self, tmp_path: Path) -> None:
        """A plan is checked before keys are there: only ``complete`` may ask for one."""
        absent = {name: value for name, value in os.environ.items() if name not in self.spec.environment}
        with mock.patch.dict(os.environ, absent, clear=True):
            backend: JudgeBackend = self.build(tmp_path)
        assert inspect.iscoroutinefunction(backend.complete), "complete must be `async def`"


class GranularityStrategyConformance(ComponentConformance[GranularityStrategySpec]):
    """Subclass it and set ``component``. Strategies are tested without a judge."""

    kind: ClassVar[str] = "granularity_strategies"

    def test_the_mapping_names_steps_of_the_trajectory(self, tmp_path: Path) -> None:
        """Every label leads back to steps that exist."""
        for trajectory in self._trajectories():
            aggregated = self._aggregate(tmp_path, trajectory)
            numbers = {step.number for step in trajectory.steps}
            for label, steps in aggregated.step_mapping.items():
                assert set(steps) <= numbers, f"{label!r} names steps that do not exist"
            assert aggregated.granularity, "the granularity has no name"
            json.dumps(aggregated.summary_metadata, allow_nan=False)

    def test_without_a_judge_the_result_never_varies(self, tmp_path: Path) -> None:
        """An extractive strategy is a function of the trajectory."""
        for trajectory in self._trajectories():
            assert self._aggregate(tmp_path, trajectory) == self._aggregate(tmp_path, trajectory)

    def _aggregate(self, folder: Path, trajectory: Trajectory) -> AggregatedSteps:
        strategy: GranularityStrategy = self.build(folder)
        steps = tuple(step.number for step in trajectory.steps)
        context = AggregationContext(
            criterion_name="helpfulness",
            clusters=lambda: (Cluster(name="all", steps=steps),) if steps else (),
            token_budget=1000,
        )
        return asyncio.run(strategy.aggregate(trajectory, context))

    @staticmethod
    def _trajectories() -> list[Trajectory]:
        return [case.actual for case in criterion_cases(simulated=True)]
