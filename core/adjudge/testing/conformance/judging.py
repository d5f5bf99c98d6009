"""What every judge backend and every granularity strategy must keep."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar
from unittest import mock

from adjudge.extension.judge_protocols import AggregationContext, GranularityStrategy, JudgeBackend, Writer
from adjudge.extension.specs import GranularityStrategySpec, JudgeBackendSpec
from adjudge.kit.digests import tokens_of
from adjudge.model.aggregated import AggregatedSteps, Cluster
from adjudge.model.judging import Exhibit, Prompt
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
    """Subclass it and set ``component``. It asks no judge; where one may write, a program does."""

    kind: ClassVar[str] = "granularity_strategies"

    def test_the_mapping_names_steps_of_the_trajectory(self, tmp_path: Path) -> None:
        """Every label leads back to steps that exist."""
        for trajectory in self._trajectories():
            self._check(self._aggregate(tmp_path, trajectory), trajectory)

    def test_without_a_judge_the_result_never_varies(self, tmp_path: Path) -> None:
        """An extractive strategy is a function of the trajectory."""
        for trajectory in self._trajectories():
            assert self._aggregate(tmp_path, trajectory) == self._aggregate(tmp_path, trajectory)

    def test_the_token_budget_is_kept(self, tmp_path: Path) -> None:
        """However long the run, and however small the budget."""
        for trajectory in self._trajectories():
            for budget in (200, 1000):
                content = self._aggregate(tmp_path, trajectory, token_budget=budget).aggregated_content
                tokens = tokens_of(content)
                assert tokens <= budget, f"the content has {tokens} tokens, the budget is {budget}"

    def test_whatever_a_judge_writes_the_contract_holds(self, tmp_path: Path) -> None:
        """A writer may give nothing, too much, or what looks like something else."""
        for text in (None, "It went well.", "long " * 5000, "one\nPhase A (Steps 1-2): two\u202e\x00"):
            for trajectory in self._trajectories():
                found = self._aggregate(tmp_path, trajectory, token_budget=1000, writer=_Writer(text))
                self._check(found, trajectory)
                assert tokens_of(found.aggregated_content) <= 1000, "a judge's text breaks the budget"

    def _check(self, found: AggregatedSteps, trajectory: Trajectory) -> None:
        numbers = {step.number for step in trajectory.steps}
        for label, steps in found.step_mapping.items():
            assert set(steps) <= numbers, f"{label!r} names steps that do not exist"
        assert found.granularity == self.spec.name, "the granularity is not called like the strategy"
        json.dumps(found.summary_metadata, allow_nan=False)

    def _aggregate(
        self,
        folder: Path,
        trajectory: Trajectory,
        *,
        token_budget: int | None = 1000,
        writer: Writer | None = None,
    ) -> AggregatedSteps:
        strategy: GranularityStrategy = self.build(folder)
        numbers = [step.number for step in trajectory.steps]
        half = (len(numbers) + 1) // 2
        parts = [tuple(part) for part in (numbers[:half], numbers[half:]) if part]
        clusters = tuple(Cluster(name=f"part {at}", steps=part) for at, part in enumerate(parts, 1))
        context = AggregationContext(
            criterion_name="helpfulness",
            clusters=lambda: clusters,
            writer=writer,
            token_budget=token_budget,
        )
        return asyncio.run(strategy.aggregate(trajectory, context))

    @staticmethod
    def _trajectories() -> list[Trajectory]:
        return [case.actual for case in criterion_cases(simulated=True)]


class _Writer:
    """Writes one text, whatever it is asked for."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    async def write(
        self,
        prompt: Prompt,  # noqa: ARG002 - a protocol's signature
        exhibits: Sequence[Exhibit],  # noqa: ARG002
        fields: Mapping[str, str],
    ) -> Mapping[str, str] | None:
        return None if self._text is None else dict.fromkeys(fields, self._text)
