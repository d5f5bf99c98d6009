"""Scores given trajectories with one judge, without an agent, calibrations and a journal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from adjudge.adk.config import parse_config
from adjudge.errors import InputError, Problem
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import project_extensions
from adjudge.extension.secrets import Secrets
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.model.base import JsonObject
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.config import CriterionEntry
from adjudge.model.result import CriterionResult, JudgeCalls
from adjudge.runner.criteria import make_criterion
from adjudge.runner.decision import Conversation
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.plan import PlannedCriterion
from adjudge.runner.request import DEFAULT_SCORING_TIMEOUT, JudgingRequest, RunRequest
from adjudge.runner.scoring import all_prepared, score
from adjudge.runner.unit_result import masked, storable

_AT_A_TIME: Final = 64
"""Cases that are scored at a time; the limiters of the backends decide how many calls that makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseToScore:
    """A trajectory, and the criterion that measures it."""

    case: CaseUnderTest
    criterion: str
    """A short name, or ``plugin/component``."""
    options: JsonObject = field(default_factory=dict[str, object])
    """The criterion's options, and ``threshold``, as a configuration has them. Without a threshold only the best
    score passes."""
    file: str | None = None
    """Where it was read from, for messages."""
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScore:
    """The result of a judge on one case."""

    result: CriterionResult
    criterion: str
    """The component, as ``plugin/component``."""
    criterion_version: int
    judge: str
    """As ``provider/model``."""
    backend: JsonObject | None
    """The address of the judge's calls, from its backend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScores:
    """The results of a judge on several cases."""

    scores: tuple[JudgedScore, ...]
    """In the order of the cases."""
    calls: JudgeCalls


async def score_by_judge(
    cases: Sequence[CaseToScore],
    judge: str,
    *,
    num_samples: int = 1,
    max_judge_calls: int | None = None,
    problems: Iterable[Problem] = (),
    disable: Iterable[str] = (),
    scored: Callable[[], None] = lambda: None,
) -> JudgedScores:
    """Score cases with one judge, which overrides the judge in their options. Calibrations are not applied.

    Args:
        cases: The cases to score, each by a criterion that asks a judge.
        judge: As ``provider/model``.
        num_samples: The largest number of votes for each decision.
        max_judge_calls: The largest number of calls; decisions that need more are errors.
        problems: Problems found before; they are reported together with new ones.
        disable: Plugins or distributions not to import.
        scored: Called after every case.

    Raises:
        InputError: something that it needs is missing or wrong; every problem is named, and no call was made.
        PluginError: a required plugin is not available.
        JudgeUnusableError: no further call makes sense.
    """
    folder = Path.cwd()
    request = RunRequest(
        agent=None,
        eval_sets=(),
        judging=JudgingRequest(judges=(judge,), max_calls=max_judge_calls),
        working_folder=str(folder),
    )
    ground = Groundwork(request, project_extensions(folder, disable=disable))
    host, found = ground.host, ground.problems
    host.decided_once["calibrations"] = []
    with found.caught():
        if known := list(problems):
            raise InputError(known)
    with found.caught():
        host.read_environment(agent_folder=None)
        host.judge(JudgeModelOptions())  # report missing requirements once, and not for every case
        planned = _planned(cases, num_samples, ground)
    found.raise_any()
    secrets, slots = Secrets(), asyncio.Semaphore(_AT_A_TIME)

    async def scored_by(plan: PlannedCriterion, case: CaseUnderTest) -> JudgedScore:
        conversation, _ = masked(Conversation(case.actual, None, None), secrets)
        case = case.model_copy(update={"actual": conversation.trajectory})
        async with slots:
            [result] = await score([plan], case, within=DEFAULT_SCORING_TIMEOUT)
        scored()
        [asked, *_] = plan.judges
        return JudgedScore(
            result=storable(plan, result, secrets)[0],
            criterion=plan.component.id,
            criterion_version=plan.component.spec.version,
            judge=asked["models"][0],
            backend=asked["backends"][0],
        )

    judges = ground.judges
    async with plugin_loops():
        try:
            judges.open(None)
            await all_prepared(planned.values())
            async with asyncio.TaskGroup() as tasks:
                begun = [tasks.create_task(scored_by(planned[_kind(item)], item.case)) for item in cases]
        except ExceptionGroup as group:
            # Criteria raise nothing from here: what is left concerns all cases, for instance a judge without a key.
            raise group.exceptions[0] from group
        finally:
            await judges.aclose()
    return JudgedScores(
        scores=tuple(task.result() for task in begun), calls=next(iter(judges.calls.values()), JudgeCalls())
    )


def _planned(
    cases: Iterable[CaseToScore], num_samples: int, ground: Groundwork
) -> dict[str, PlannedCriterion]:
    """A criterion for everything that the cases name; cases with the same options share one."""
    problems = ground.problems
    planned: dict[str, PlannedCriterion] = {}
    first: dict[str, CaseToScore] = {}
    for item in cases:
        first.setdefault(_kind(item), item)
    for kind, item in first.items():
        name = item.criterion
        place = {"file": f"{item.file}:{item.line}" if item.line else item.file, "path": "$.options"}
        with problems.caught(**place):
            spec = ground.extensions.criteria.resolve(name).spec
            if Need.JUDGE not in spec.needs:
                problems.add(f"criterion {name!r} asks no judge", **place)
                continue
            made = make_criterion(_entry(item, spec, num_samples), ground, place)
            if not made.judges:
                problems.add(f"criterion {name!r} asks no judge with these options", **place)
            if not made.rule.gates:
                problems.add("every score reaches this threshold, so the verdict has no meaning", **place)
            planned[kind] = made
    return planned


def _entry(item: CaseToScore, spec: CriterionSpec, num_samples: int) -> CriterionEntry:
    """The criterion as a configuration would have it."""
    try:
        (entry,) = parse_config({"criteria": {item.criterion: item.options}}, source=None).criteria
    except InputError as error:
        raise InputError([_placed(problem, item) for problem in error.problems]) from None
    best = spec.value_range[0] if spec.lower_is_better else spec.value_range[1]
    judge = {**entry.options.get("judge_model_options", {}), "num_samples": num_samples}
    return entry.model_copy(
        update={
            "threshold": best if entry.threshold is None else entry.threshold,
            "options": {**entry.options, "judge_model_options": judge},
        }
    )


def _placed(problem: Problem, item: CaseToScore) -> Problem:
    path = (problem.path or "").replace(f"$.criteria.{item.criterion}", "$.options")
    return replace(problem, file=item.file, line=item.line, path=path)


def _kind(item: CaseToScore) -> str:
    return json.dumps([item.criterion, item.options], sort_keys=True)
