"""Estimates the calls to judges of a plan, with their tokens and cost, before any call is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.protocols import SupportsPreparation
from adjudge.judge.rehearsal import Counted, Rehearsal
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.model.trajectory import Trajectory
from adjudge.runner.case_source import CaseSource
from adjudge.runner.criteria import lacking
from adjudge.runner.log_source import LogSource
from adjudge.runner.plan import Plan, PlannedCriterion, UnitSource
from adjudge.runner.scoring import asked_with, prepared, score


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The estimated number of calls to judges: minimum and maximum. Cached answers are not counted."""

    requests: tuple[int, int] = (0, 0)
    tokens: tuple[int, int] = (0, 0)
    """Tokens of requests and answers, estimated without a tokenizer, too high rather than too low."""
    cost: tuple[float | None, float | None] = (0.0, 0.0)
    """The cost in USD; ``None`` if a price is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimated work of judging. For cases it assumes that the agent does what they expect."""

    runs: int
    """The number of readable runs in the logs; or of cases times repeats, without cases with a simulated user, whose
    length is unknown."""
    criteria: dict[tuple[str, ...], Needed] = field(default_factory=dict[tuple[str, ...], Needed])
    """The estimate for each group of criteria that share requests; the key is the names of the group."""
    total: Needed = field(default_factory=Needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """The work of an evaluation without problems."""

    cases: int
    """The number of cases times repeats."""
    simulated: int
    """How many of ``cases`` have a simulated user."""
    criteria: dict[str, float | None]
    """The threshold of each criterion by its name; ``None``: informational."""
    warnings: tuple[str, ...]
    estimate: Estimate
    """The estimated judge calls; ``total`` is zero if there are none."""


async def planned_evaluation(make_plan: Callable[[], Awaitable[Plan]]) -> EvaluationPlan:
    """Describe and estimate a plan over cases.

    Raises:
        InputError: the plan has problems; it names all of them.
    """
    plan = await make_plan()
    await plan.source.aclose()
    source = plan.source
    if not isinstance(source, CaseSource):
        raise TypeError("a plan over logs is no evaluation of an agent")
    scenarios = sum(entry.is_scenario for file in source.files for entry in file.entries)
    simulated = scenarios * plan.request.num_runs
    asks = any(item.judges for item in source.criteria)
    return EvaluationPlan(
        cases=source.total,
        simulated=simulated,
        criteria={item.rule.criterion_name: item.rule.threshold for item in source.criteria},
        warnings=plan.warnings,
        estimate=await estimated(make_plan) if asks else Estimate(runs=source.total - simulated),
    )


async def estimated(make_plan: Callable[[], Awaitable[Plan]]) -> Estimate:
    """Estimate the judge calls of a plan by two rehearsals, for the minimum and the maximum.

    Each rehearsal has its own plan, because components remember decisions that save later calls.

    Raises:
        InputError: the plan has problems; it names all of them.
    """
    runs, least = await _rehearsed(await make_plan(), most=False)
    _, most = await _rehearsed(await make_plan(), most=True)
    total = (Counted(), Counted())
    criteria: dict[tuple[str, ...], Needed] = {}
    for names in least:
        pair = (least[names], most.get(names, least[names]))
        criteria[names] = _needed(pair)
        for counted, each in zip(total, pair, strict=True):
            counted.add(each)
    return Estimate(runs=runs, criteria=criteria, total=_needed(total))


def _needed(pair: tuple[Counted, Counted]) -> Needed:
    low, high = pair
    return Needed(
        requests=(low.requests, max(low.requests, high.requests)),
        tokens=(low.tokens, max(low.tokens, high.tokens)),
        cost=(low.cost, high.cost),
    )


@dataclass(frozen=True, slots=True)
class _Supposed:
    """A trajectory to measure, and its criteria."""

    case: CaseUnderTest
    criteria: Sequence[PlannedCriterion]
    times: int


async def _rehearsed(plan: Plan, *, most: bool) -> tuple[int, dict[tuple[str, ...], Counted]]:
    """Rehearse a plan: the number of runs, and the counted judge calls, none of which is made."""
    source = plan.source
    rehearsal = Rehearsal(most=most)
    counted = {_names(group): Counted() for group in _asking(source.criteria)}
    runs = 0

    async def measured(group: Sequence[PlannedCriterion], what: Awaitable[object], times: int = 1) -> None:
        rehearsal.counted = Counted()
        await what
        counted.setdefault(_names(group), Counted()).add(rehearsal.counted, times)

    async with plugin_loops():
        try:
            plan.judges.open(None)
            plan.judges.rehearse(rehearsal)
            for group in _asking(source.criteria):
                for item in group:
                    if isinstance(item.criterion, SupportsPreparation):
                        await measured(group, prepared(item, item.criterion))
            async for supposed in _supposed(source, plan.request.num_runs):
                runs += supposed.times
                for group in _asking(supposed.criteria):
                    await measured(group, score(group, supposed.case, within=None), supposed.times)
        finally:
            await plan.judges.aclose()
            await source.aclose()
    return runs, counted


def _asking(criteria: Sequence[PlannedCriterion]) -> list[list[PlannedCriterion]]:
    """The criteria that need judges, grouped by shared requests."""
    groups: dict[object, list[PlannedCriterion]] = {}
    for number, planned in enumerate(criteria):
        groups.setdefault(asked_with(planned, number), []).append(planned)
    return [group for group in groups.values() if any(item.judges for item in group)]


def _names(group: Sequence[PlannedCriterion]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.rule.criterion_name for item in group))


async def _supposed(source: UnitSource, repeats: int) -> AsyncIterator[_Supposed]:
    """The trajectories for a rehearsal: the runs of logs, or the expected conversations of cases."""
    if isinstance(source, CaseSource):
        for file in source.files:
            for entry in file.entries:
                if not entry.is_scenario:
                    case = file.eval_set.read(entry)
                    actual = Trajectory(eval_id=case.eval_id, invocations=case.conversation or ())
                    criteria = [item for item in file.criteria if not lacking(item, entry)]
                    yield _Supposed(CaseUnderTest(case=case, actual=actual), criteria, repeats)
        return
    if not isinstance(source, LogSource):
        raise TypeError("only logs and cases can be estimated")
    async for number, run in source.runs():
        if run.failure is None:
            judged = CaseUnderTest(case=EvalCase(eval_id=str(number)), actual=run.trajectory)
            yield _Supposed(judged, source.criteria, 1)
