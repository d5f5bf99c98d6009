"""What every criterion must keep."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from adjudge.extension.protocols import Criterion, Host
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.judging import JudgeRequest
from adjudge.model.measurement import Measurement, Outcome
from adjudge.testing.conformance.cases import criterion_cases
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.host import FakeHost
from adjudge.testing.judge import FakeJudge
from adjudge.testing.judge_replies import verdicts


class CriterionConformance(ComponentConformance[CriterionSpec]):
    """Subclass it and set ``component``, and ``config`` where options are needed."""

    kind: ClassVar[str] = "criteria"

    def host(self, folder: Path) -> Host:
        """The host that the factory is given; its judge gives every item the first answer of the menu."""
        return FakeHost(folder, judge=FakeJudge(_first_of_the_menu))

    def cases(self) -> Sequence[CaseUnderTest]:
        """The cases to score. Add cases of your own to ``super().cases()``."""
        return tuple(criterion_cases(simulated=self.spec.simulated_conversations))

    def test_every_case_is_measured_as_the_spec_promises(self, tmp_path: Path) -> None:
        """No exception; scores are finite and inside the value range; details are JSON."""
        criterion: Criterion = self.build(tmp_path)
        for case in self.cases():
            self._check(case, asyncio.run(criterion.score(case)))

    def test_the_case_is_left_as_it_was(self, tmp_path: Path) -> None:
        """Arguments and state are shared between criteria: nobody changes them."""
        criterion: Criterion = self.build(tmp_path)
        for case in self.cases():
            before = case.model_dump_json()
            asyncio.run(criterion.score(case))
            assert case.model_dump_json() == before, f"case {case.case.eval_id!r} was changed"

    def test_cases_at_the_same_time_score_as_one_by_one(self, tmp_path: Path) -> None:
        """One criterion measures many cases at a time; without a judge its scores never vary."""
        if Need.JUDGE in self.spec.needs:
            return
        criterion: Criterion = self.build(tmp_path)
        cases = self.cases()

        async def together() -> list[Measurement]:
            return list(await asyncio.gather(*(criterion.score(case) for case in cases)))

        async def one_by_one() -> list[Measurement]:
            return [await criterion.score(case) for case in cases]

        for case, left, right in zip(cases, asyncio.run(together()), asyncio.run(one_by_one()), strict=True):
            assert left == right, f"case {case.case.eval_id!r} gave two different measurements"

    def _check(self, case: CaseUnderTest, measurement: Measurement) -> None:
        where = f"case {case.case.eval_id!r}"
        turns = len(case.actual.invocations)
        given = len(measurement.per_invocation)
        assert given in (0, turns), f"{where}: {given} outcomes for {turns} turns"
        if turns and measurement.overall is None:
            assert given == turns, f"{where}: neither an overall outcome nor one per turn"
        json.dumps(measurement.details, allow_nan=False)
        overall = () if measurement.overall is None else (measurement.overall,)
        for outcome in (*measurement.per_invocation, *overall):
            self._check_outcome(where, outcome)

    def _check_outcome(self, where: str, outcome: Outcome) -> None:
        json.dumps(outcome.details, allow_nan=False)
        assert (outcome.score is not None) == (outcome.state == "scored"), f"{where}: {outcome!r}"
        assert (outcome.unsure_code is not None) == (outcome.state == "unsure"), f"{where}: {outcome!r}"
        assert (outcome.error is not None) == (outcome.state == "error"), f"{where}: {outcome!r}"
        if outcome.score is not None:
            low, high = self.spec.value_range
            assert math.isfinite(outcome.score), f"{where}: score {outcome.score}"
            assert low <= outcome.score <= high, f"{where}: score {outcome.score} is outside {low} to {high}"


def _first_of_the_menu(request: JudgeRequest) -> str:
    # A request for texts has no items.
    items = [field for field in (request.schema_ or {})["properties"].values() if "properties" in field]
    return verdicts(request, items[0]["properties"]["verdict"]["enum"][0] if items else "")


def criterion_conformance(
    component: str, *, config: Mapping[str, Any] | None = None, plugin: object | None = None
) -> type[CriterionConformance]:
    """Make the class for one criterion, to be bound to a name that starts with ``Test``."""
    members = {"component": component, "config": dict(config or {}), "plugin": plugin}
    return type("CriterionConformanceOf", (CriterionConformance,), members)
