"""The criterion ``ai_judge``: judges the whole run of a case by a criterion in words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, cast, get_args

from adjudge.kit.calibration import Calibration, KeptCalibrations, read_calibrations
from adjudge.model import EvaluationResult, JsonObject, Trajectory, UnsureCode
from adjudge.plugin import (
    AdjudgeError,
    CaseUnderTest,
    Criterion,
    Host,
    InputError,
    Judge,
    Measurement,
    Outcome,
    Problem,
)
from adjudge_plugins.ai_judge.budget import budget_of, check_lengths
from adjudge_plugins.ai_judge.calibration_choice import check_given, may_apply
from adjudge_plugins.ai_judge.check_compiler import compiled_by_author
from adjudge_plugins.ai_judge.config import AiJudgeConfig
from adjudge_plugins.ai_judge.evaluator import JudgedRun
from adjudge_plugins.ai_judge.named_steps import at_fault
from adjudge_plugins.ai_judge.services import CriterionEvaluator, Options, Services, evaluated_together

_UNSURE: Final[tuple[UnsureCode, ...]] = get_args(UnsureCode)


def made(config: AiJudgeConfig, host: Host) -> Criterion:
    """Create the criterion from its options.

    Raises:
        UnavailableError: no judge is named, or its requirements are missing.
        InputError: the options are invalid, the granularity is not installed, or the criterion is
            too long for a request.
        RunError: the calibrations of this installation cannot be read.
    """
    unknown: list[Problem] = []
    for granularity in (config.granularity_override, config.granularity):
        if granularity is not None:
            try:
                host.granularity_strategy(granularity)
            except AdjudgeError as error:
                unknown.append(Problem(what=str(error)))
    judge: Judge | None = None
    if not config.aggregate_only or config.write_summaries:
        try:
            judge = host.judge(config.judge_model_options)
        except InputError as error:
            if unknown:
                raise InputError([*unknown, *error.problems]) from None
            raise
    if unknown:
        raise InputError(unknown)
    budget = budget_of(config.token_budget, judge)
    check_lengths(config.criterion(), budget)
    host.declare({"token_budget": budget})
    if config.aggregate_only or judge is None:
        return Aggregation(config, host, judge)
    return AiJudge(config, host, judge)


def options_of(config: AiJudgeConfig, judge: Judge | None) -> Options:
    """Extract the options for aggregating and judging runs from a configuration."""
    return Options(
        granularity=config.granularity_override,
        token_budget=budget_of(config.token_budget, judge),
        strict_evidence=config.strict_evidence,
        correct_phases=config.correct_phases,
    )


class Aggregation:
    """Aggregates a run for a judge, and gives no verdict."""

    def __init__(self, config: AiJudgeConfig, host: Host, judge: Judge | None) -> None:
        """Aggregate for the criterion of ``config``; without a description, at every granularity."""
        self.config = config
        self._criteria = [config.criterion()] if config.description else []
        self._services = Services(host, judge, options_of(config, judge))

    def know_siblings(self, siblings: Sequence[Criterion]) -> None:
        """Share services with siblings of equal settings: runs are divided once, and granularities chosen together."""
        found = [other for other in siblings if isinstance(other, Aggregation)]
        first = next(other for other in found if _looks_alike(other.config, self.config))
        self._services = first._services
        self._services.announce(self._criteria)

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return the sub-tasks and the aggregated views of the run."""
        views = await self._services.views(case.actual, self._criteria)
        return Measurement(
            overall=Outcome.not_applicable("it ends after aggregation, without a verdict"),
            task_decomposition=await self._services.decomposer.decompose(case.actual),
            aggregated_steps=views,
        )


class AiJudge:
    """Scores 1.0 for the verdict PASS, 0.0 for FAIL, and nothing for UNSURE (seed 003)."""

    def __init__(self, config: AiJudgeConfig, host: Host, judge: Judge) -> None:
        """Judge with ``judge``."""
        self.config = config
        self.judge = judge
        self.name = config.name
        self._host = host
        known = compiled_by_author(config.criterion())
        self.known_sha256 = None if known is None else known.sha256
        self.given = None
        if config.calibration is not None:
            self.given = read_calibrations(host.working_folder / Path(config.calibration))
        self._calibrations = may_apply(
            _kept(host) if self.given is None else self.given, judge, self.known_sha256
        )
        host.declare(
            {"granularity_strategies": {item.id: item.spec.version for item in host.granularity_strategies()}}
        )
        if self._calibrations:
            host.declare({"calibrations": [item.model_dump(mode="json") for item in self._calibrations]})
        self._siblings: Sequence[AiJudge] = (self,)

    @cached_property
    def services(self) -> Services:
        """The services, shared with the first sibling of equal settings."""
        first = next(other for other in self._siblings if _looks_alike(other.config, self.config))
        return (
            Services(self._host, self.judge, options_of(self.config, self.judge))
            if first is self
            else first.services
        )

    @cached_property
    def evaluator(self) -> CriterionEvaluator:
        """The evaluator for this criterion."""
        return CriterionEvaluator(
            self.services, self.judge, self.config.criterion(), calibrations=self._calibrations
        )

    def know_siblings(self, siblings: Sequence[Criterion]) -> None:
        """Share services with siblings of equal settings, so that a run is divided into sub-tasks once.

        Raises:
            InputError: the given calibration file has no calibration for any of them.
        """
        self._siblings = [other for other in siblings if isinstance(other, AiJudge)]
        self._check_given([(other.name, other.known_sha256) for other in self._siblings])

    def _check_given(self, hashes: Sequence[tuple[str, str | None]]) -> None:
        if self.given is not None:
            check_given(self.given, str(self.config.calibration), hashes, self.judge)

    async def prepare(self) -> JsonObject:
        """Compile the checks, once for all runs.

        Raises:
            InputError: the given calibration file has no calibration for the checks that a judge wrote.
        """
        locked = await self.evaluator.compiled()
        if self.given is not None:
            others = await asyncio.gather(*(other.evaluator.compiled() for other in self._siblings))
            self._check_given([(other.name, other.sha256) for other in others])
        return locked.model_dump(mode="json")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one outcome for the case, with the checks and evidence behind it."""
        [measurement] = await self.score_together([self], case)
        return measurement

    async def score_together(
        self, instances: Sequence[Criterion], case: CaseUnderTest
    ) -> Sequence[Measurement]:
        """Return one measurement per criterion; those with equal settings share requests."""
        criteria = [item for item in instances if isinstance(item, AiJudge)]
        alike: list[list[AiJudge]] = []
        for each in criteria:
            group = next((found for found in alike if _looks_alike(found[0].config, each.config)), None)
            if group is None or any(other.name == each.name for other in group):
                alike.append([each])
            else:
                group.append(each)
        judged = await asyncio.gather(
            *(evaluated_together([each.evaluator for each in group], case.actual) for group in alike)
        )
        found = {
            id(each): run
            for group, runs in zip(alike, judged, strict=True)
            for each, run in zip(group, runs, strict=True)
        }
        return [_measurement(found[id(each)], case.actual) for each in criteria]


def _measurement(run: JudgedRun, trajectory: Trajectory) -> Measurement:
    failed = [item for item in run.result.checks if item.state == "not_met"]
    return Measurement(
        overall=outcome_of(run.result),
        details=at_fault(trajectory, failed) if run.result.verdict == "FAIL" else {},
        evaluation=run.result,
        task_decomposition=run.decomposition,
        aggregated_steps=run.views,
    )


def _kept(host: Host) -> tuple[Calibration, ...]:
    """The calibrations stored in this installation when the run began."""
    kept = host.once(
        "calibrations", lambda: [item.model_dump(mode="json") for item in KeptCalibrations().everything()]
    )
    items = cast("list[object]", kept) if isinstance(kept, list) else []
    return tuple(map(Calibration.model_validate, items))


def _looks_alike(one: AiJudgeConfig, other: AiJudgeConfig) -> bool:
    return _look(one) == _look(other)


def _look(config: AiJudgeConfig) -> tuple[object, ...]:
    return options_of(config, None), config.token_budget, config.judge_model_options


def outcome_of(result: EvaluationResult) -> Outcome:
    """Convert a verdict to a score."""
    match result.verdict:
        case "PASS":
            return Outcome.scored(1.0, result.reasoning, evidence=result.evidence)
        case "FAIL":
            return Outcome.scored(0.0, result.reasoning, evidence=result.evidence)
        case "UNSURE":
            outcome = Outcome.unsure(_code(result), result.reasoning)
            return outcome.model_copy(update={"evidence": result.evidence})
        case _:
            return Outcome(state="error", reasoning=result.reasoning, error=result.error)


def _code(result: EvaluationResult) -> UnsureCode:
    """The reason for UNSURE; ``abstained`` if no other code fits, for instance if no check applies."""
    for code in _UNSURE:
        if code in result.reason_codes:
            return code
    return "abstained"
