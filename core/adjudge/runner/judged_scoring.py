"""Scoring what agents did by one judge: a run without an agent and calibrations, whose journal nobody keeps."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from adjudge.adk.config import parse_config
from adjudge.errors import InputError, JudgeUnusableError, Problem, RunError
from adjudge.extension.hooks import CaseFinished
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.loader import Extensions
from adjudge.extension.project import project_extensions
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.journal.run_journal import Journal
from adjudge.model.base import JsonObject
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.config import CriterionEntry
from adjudge.model.result import CriterionResult, JudgeCalls
from adjudge.runner.criteria import make_criterion
from adjudge.runner.decision import CaseOrigin, Conversation
from adjudge.runner.engine import Event
from adjudge.runner.execution import begun
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.host import RunHost
from adjudge.runner.journal_views import FileRecord
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import PlannedCriterion, Unit, in_turn
from adjudge.runner.problems import Problems
from adjudge.runner.request import DEFAULT_SCORING_TIMEOUT, JudgingRequest, RunRequest

_AT_A_TIME: Final = 64
"""Cases that are scored at a time; the limiters of the backends decide how many calls that makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseToScore:
    """What an agent did, and the criterion that measures it."""

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
    """What a judge made of one case."""

    result: CriterionResult
    criterion: str
    """The component, as ``plugin/component``."""
    criterion_version: int
    judge: str
    """As ``provider/model``."""
    backend: JsonObject | None
    """Where the judge's calls go, as its backend says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScores:
    """What a judge made of several cases."""

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
    """Score cases with one judge, whatever their options say of judges; nothing is calibrated.

    Args:
        cases: What is scored, each by a criterion that asks a judge.
        judge: As ``provider/model``.
        num_samples: The most votes for each decision.
        max_judge_calls: Calls that may be made; what they would decide is an error then.
        problems: Those that were found already; they are told with those that are found here.
        disable: Plugins or distributions that are not imported.
        scored: Called after every case.

    Raises:
        InputError: something that it needs is missing or wrong; every problem is named, and no call was made.
        PluginError: a required plugin is not available.
        JudgeUnusableError: no further call makes sense.
    """
    folder = Path.cwd()
    extensions = project_extensions(folder, disable=disable)
    request = RunRequest(
        agent=None,
        eval_sets=(),
        judging=JudgingRequest(judges=(judge,), max_calls=max_judge_calls),
        scoring_timeout=DEFAULT_SCORING_TIMEOUT,
        working_folder=str(folder),
    )
    ground = Groundwork(request, extensions, (), resuming=False, decided_once={"calibrations": []})
    host, found = ground.host, ground.problems
    with found.caught():
        if known := list(problems):
            raise InputError(known)
    with found.caught():
        host.read_environment(agent_folder=None)
        host.judge(JudgeModelOptions())  # what it lacks is told once, and not with every case
        planned = _planned(cases, num_samples, extensions, host, found)
    found.raise_any()
    source = _Given([(item, planned[_kind(item)]) for item in cases])
    results: dict[str, CriterionResult] = {}

    def watch(event: Event) -> None:
        if isinstance(event, CaseFinished):
            [results[event.result.eval_id]] = event.result.criteria
            scored()

    with TemporaryDirectory() as place:
        # Nobody resumes it: its journal goes with it.
        journal = Path(place) / "scores.sqlite3"
        try:
            run = await begun(ground.plan(source), extensions, OldReports(()), journal, (), watch)
        except RunError as error:
            raise (error.__cause__ if isinstance(error.__cause__, JudgeUnusableError) else error) from None
    scores: list[JudgedScore] = []
    for number, (_, plan) in enumerate(source.cases):
        [asked, *_] = plan.judges
        scores.append(
            JudgedScore(
                result=results[str(number)],
                criterion=plan.component.id,
                criterion_version=plan.component.spec.version,
                judge=asked["models"][0],
                backend=asked["backends"][0],
            )
        )
    return JudgedScores(scores=tuple(scores), calls=next(iter(run.summary.judges.values()), JudgeCalls()))


@dataclass(frozen=True, slots=True)
class _Given:
    """Cases that an agent was run on elsewhere, each with the criterion that measures it."""

    cases: Sequence[tuple[CaseToScore, PlannedCriterion]]
    at_once: int = _AT_A_TIME
    origin: None = None

    @property
    def criteria(self) -> Sequence[PlannedCriterion]:
        return [plan for _, plan in self.cases]

    def document(self) -> JsonObject:
        return {}

    def records(self) -> tuple[JsonObject, Sequence[str]]:
        # Each case is a file of its own: it has criteria of its own.
        names = [str(number) for number in range(len(self.cases))]
        files = [
            FileRecord(eval_set_id=name, path=name, config=None, cases=1, rules=(plan.rule,))
            for name, (_, plan) in zip(names, self.cases, strict=True)
        ]
        return {"files": [file.model_dump(mode="json") for file in files]}, names

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int]:  # noqa: ARG002
        def given(number: int) -> Unit:
            name, (item, plan) = str(number), self.cases[number]
            case = item.case.case.model_copy(update={"eval_id": name})
            return Unit(
                place=(number, 1),
                origin=CaseOrigin(name, name, name),
                criteria=(plan,),
                read=lambda: case,
                played=Conversation(item.case.actual, None, None),
            )

        return in_turn(map(given, range(len(self.cases)))), len(self.cases)

    async def aclose(self) -> None:
        """There is nothing to release."""


def _planned(
    cases: Iterable[CaseToScore], num_samples: int, extensions: Extensions, host: RunHost, problems: Problems
) -> dict[str, PlannedCriterion]:
    """A criterion for everything that the cases name; cases with the same options share one."""
    planned: dict[str, PlannedCriterion] = {}
    first: dict[str, CaseToScore] = {}
    for item in cases:
        first.setdefault(_kind(item), item)
    for kind, item in first.items():
        name = item.criterion
        place = {"file": f"{item.file}:{item.line}" if item.line else item.file, "path": "$.options"}
        with problems.caught(**place):
            spec = extensions.criteria.resolve(name).spec
            if Need.JUDGE not in spec.needs:
                problems.add(f"criterion {name!r} asks no judge", **place)
                continue
            made = make_criterion(_entry(item, spec, num_samples), extensions, host, problems, place)
            if not made.judges:
                problems.add(f"criterion {name!r} asks no judge with these options", **place)
            if not made.rule.gates:
                problems.add("every score reaches this threshold, so that a verdict says nothing", **place)
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
