"""Conformance tests of criteria."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast
from unittest import SkipTest

from adjudge.extension.protocols import Criterion, Host, SupportsPreparation
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.model.measurement import Measurement, Outcome
from adjudge.testing.conformance.cases import criterion_cases
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.values import json_object
from adjudge.testing.host import FakeHost
from adjudge.testing.judge import FakeJudge
from adjudge.testing.judge_replies import verdicts


class CriterionConformance(ComponentConformance[CriterionSpec]):
    """Tests of a criterion. Subclass it and set ``component``, and ``config`` if options are needed."""

    kind: ClassVar[str] = "criteria"

    def host(self, folder: Path) -> Host:
        """The host that is passed to the factory; its judge answers every item with the first choice."""
        return FakeHost(folder, judge=FakeJudge(_first_of_the_menu))

    def cases(self) -> Sequence[CaseUnderTest]:
        """The cases to measure. Override this to add your own cases to ``super().cases()``."""
        return tuple(criterion_cases(simulated=self.spec.simulated_conversations))

    def test_every_case_is_measured_as_the_spec_promises(self, tmp_path: Path) -> None:
        """Measuring raises no exception; scores are finite and in the value range; details are JSON."""
        criterion: Criterion = self.build(tmp_path)
        for case in self.cases():
            self._check(case, self._scored(criterion, case))

    def test_the_case_is_left_as_it_was(self, tmp_path: Path) -> None:
        """The criterion does not change the case, which all criteria share."""
        criterion: Criterion = self.build(tmp_path)
        for case in self.cases():
            before = case.model_dump_json()
            self._scored(criterion, case)
            assert case.model_dump_json() == before, f"case {case.case.eval_id!r} was changed"

    def test_cases_at_the_same_time_score_as_one_by_one(self, tmp_path: Path) -> None:
        """Scores do not depend on the cases before, nor on those that are measured at the same time."""
        criterion: Criterion = self.build(tmp_path)
        cases = self.cases()

        async def together() -> list[Measurement]:
            return list(await asyncio.gather(*(criterion.score(case) for case in cases)))

        one_by_one = [self._scored(criterion, case) for case in reversed(cases)][::-1]
        at_once = cast("list[Measurement]", self.awaited("score", together, list))
        for case, left, right in zip(cases, at_once, one_by_one, strict=True):
            assert self._comparable(left) == self._comparable(right), (
                f"case {case.case.eval_id!r} gave two different measurements: {left!r} and {right!r}"
            )

    def test_made_again_it_scores_the_same(self, tmp_path: Path) -> None:
        """Two instances with the same options give equal scores."""
        first, second = self.build(tmp_path), self.build(tmp_path)
        for case in self.cases():
            left, right = self._scored(first, case), self._scored(second, case)
            assert self._comparable(left) == self._comparable(right), (
                f"case {case.case.eval_id!r} is measured differently in two runs"
            )

    def test_what_it_prepares_is_json(self, tmp_path: Path) -> None:
        """The result of ``prepare`` is JSON, because it is stored with the run."""
        criterion: Criterion = self.build(tmp_path)
        if not isinstance(criterion, SupportsPreparation):
            raise SkipTest("it prepares nothing")
        json_object("prepare", self.awaited("prepare", criterion.prepare, object))

    def test_a_judge_that_gives_no_answer_decides_nothing(self, tmp_path: Path) -> None:
        """If all votes of the judge are lost, there is no score."""
        if Need.JUDGE not in self.spec.needs:
            return
        refusing = FakeJudge(lambda _: JudgeReply(text="", finish_reason="refusal"))
        criterion: Criterion = self.made_with(FakeHost(tmp_path, judge=refusing), tmp_path)
        for case in self.cases():
            asked = len(refusing.requests)
            measurement = self._scored(criterion, case)
            self._check(case, measurement)
            outcomes = (measurement.overall, *measurement.per_invocation)
            if len(refusing.requests) > asked and all(
                outcome is None or outcome.state in ("scored", "not_applicable") for outcome in outcomes
            ):
                raise AssertionError(
                    f"case {case.case.eval_id!r}: its judge gave no answer, and it has a score all the same; "
                    "give `judged_criteria.outcome_of(decision)`"
                )

    def _comparable(self, measurement: Measurement) -> object:
        """What two measurements of one case must share: with a judge, whose calls are counted, the scores alone."""
        if Need.JUDGE not in self.spec.needs:
            return measurement
        overall = () if measurement.overall is None else (measurement.overall,)
        return [(outcome.state, outcome.score) for outcome in (*measurement.per_invocation, *overall)]

    def _scored(self, criterion: Criterion, case: CaseUnderTest) -> Measurement:
        return self.awaited("score", lambda: criterion.score(case), Measurement)

    def _check(self, case: CaseUnderTest, measurement: Measurement) -> None:
        where = f"case {case.case.eval_id!r}"
        turns = len(case.actual.invocations)
        given = len(measurement.per_invocation)
        assert given in (0, turns), f"{where}: {given} outcomes for {turns} turns"
        if turns and measurement.overall is None:
            assert given == turns, f"{where}: neither an overall outcome nor one per turn"
        json_object(f"{where}: details", measurement.details)
        overall = () if measurement.overall is None else (measurement.overall,)
        for outcome in (*measurement.per_invocation, *overall):
            self._check_outcome(where, outcome)
            self._check_evidence(where, case, outcome)
        if measurement.overall is not None and measurement.overall.score is not None and given:
            states = {outcome.state for outcome in measurement.per_invocation}
            assert not states <= {"error", "unsure"}, (
                f"{where}: the case has a score, and every turn is {' or '.join(sorted(states))}"
            )

    def _check_outcome(self, where: str, outcome: Outcome) -> None:
        json_object(f"{where}: details", outcome.details)
        assert (outcome.score is not None) == (outcome.state == "scored"), f"{where}: {outcome!r}"
        assert (outcome.unsure_code is not None) == (outcome.state == "unsure"), f"{where}: {outcome!r}"
        assert (outcome.error is not None) == (outcome.state == "error"), f"{where}: {outcome!r}"
        if outcome.score is not None:
            low, high = self.spec.value_range
            assert math.isfinite(outcome.score), f"{where}: score {outcome.score}"
            assert low <= outcome.score <= high, f"{where}: score {outcome.score} is outside {low} to {high}"
            assert outcome.best_possible is None, f"{where}: it has a score and best_possible besides"
        elif outcome.best_possible is not None:
            low, high = self.spec.value_range
            assert low <= outcome.best_possible <= high, (
                f"{where}: best_possible {outcome.best_possible} is outside {low} to {high}"
            )
        if outcome.state != "scored":
            assert outcome.reasoning, (
                f"{where}: {outcome.state} without a reasoning, so the user cannot see the cause"
            )
        for rubric in outcome.rubric_scores:
            assert (rubric.score is not None) == (rubric.state == "scored"), f"{where}: {rubric!r}"

    @staticmethod
    def _check_evidence(where: str, case: CaseUnderTest, outcome: Outcome) -> None:
        numbers = {step.number for step in case.actual.steps}
        for citation in () if outcome.evidence is None else outcome.evidence.citations:
            assert citation.step in numbers, (
                f"{where}: it cites step {citation.step}, which the run does not have"
            )


def _first_of_the_menu(request: JudgeRequest) -> str:
    # A request for texts has no items.
    items = [field for field in (request.schema_ or {})["properties"].values() if "properties" in field]
    return verdicts(request, items[0]["properties"]["verdict"]["enum"][0] if items else "")


def criterion_conformance(
    component: str, *, config: Mapping[str, Any] | None = None, plugin: object | None = None
) -> type[CriterionConformance]:
    """Create the test class for one criterion. Assign it to a name that starts with ``Test``."""
    members = {"component": component, "config": dict(config or {}), "plugin": plugin}
    return type("CriterionConformanceOf", (CriterionConformance,), members)
