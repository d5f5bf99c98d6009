"""Measuring a judge: every labelled turn is scored by the criterion that it names, as in a run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Final

from adjudge.adk.config import parse_config
from adjudge.adk.labelled import read_labelled
from adjudge.errors import InputError, Problem
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.settings import find_settings
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.journal.measured import MeasuredJudges
from adjudge.model.base import JsonObject
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.config import CriterionEntry
from adjudge.model.eval_set import EvalCase
from adjudge.model.labelled import Confusion, JudgeMeasurement, LabelledGroup, LabelledTurn
from adjudge.model.result import CriterionResult, JudgeCalls
from adjudge.model.trajectory import Trajectory
from adjudge.runner.criteria import make_criterion
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.plan import PlannedCriterion
from adjudge.runner.problems import Problems
from adjudge.runner.request import JudgingRequest
from adjudge.runner.scoring import score

_AT_A_TIME: Final = 64
"""Turns that are scored at a time; the limiters of the backends decide how many calls that makes."""


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One labelled turn, and what the judge said of it."""

    turn: LabelledTurn
    criterion: str
    """The component, as ``plugin/component``."""
    result: CriterionResult

    @property
    def why_not(self) -> str | None:
        """Why there is no verdict; ``None`` where there is one."""
        if self.result.status in ("PASS", "FAIL"):
            return None
        error = self.result.error
        said = self.result.reasoning if error is None else error.message
        return f"{self.result.status}: {said}" if said else self.result.status

    @property
    def counts(self) -> Confusion:
        """This row alone; nothing where there is no verdict."""
        judged_pass = self.result.status == "PASS"
        if self.why_not is not None:
            return Confusion()
        if self.turn.label == "PASS":
            return Confusion(true_pass=int(judged_pass), false_fail=int(not judged_pass))
        return Confusion(false_pass=int(judged_pass), true_fail=int(not judged_pass))


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """How a model met the labels."""

    judge: str
    measurements: tuple[JudgeMeasurement, ...]
    """One a criterion."""
    rows: tuple[JudgedRow, ...]
    """In the order of the files."""
    calls: JudgeCalls


async def measure_judge(
    model: str,
    files: Sequence[Path],
    extensions: Extensions,
    folder: Path,
    *,
    num_samples: int = 1,
    max_calls: int | None = None,
    started: Callable[[int], None] = lambda _: None,
    judged: Callable[[], None] = lambda: None,
) -> JudgeReport:
    """Score labelled turns with ``model``, and keep how well it met the labels.

    Args:
        model: As ``provider/model``.
        files: Labelled sets, as JSON Lines.
        extensions: The loaded plugins.
        folder: Whose ``.env`` and configuration hold.
        num_samples: The most votes for each decision.
        max_calls: Calls that may be made; what they would decide is not measured then.
        started: Told how many turns there are.
        judged: Told every turn.

    Raises:
        InputError: something that it needs is missing or wrong; every problem is named, and no call was made.
        RunError: no further call makes sense, or the measurement cannot be kept.
    """
    problems = Problems()
    host = RunHost(extensions, folder)
    request = JudgingRequest(judges=(model,), max_calls=max_calls)
    # What is measured is the judge as it is.
    judges = RunJudges(request, extensions, host, find_settings(folder).judge, calibrations=())
    judges.check(problems, resuming=False)
    turns, labels = _read(files, problems)
    with problems.caught():
        host.read_environment(agent_folder=None)
        judges.judge(JudgeModelOptions())  # what it lacks is told once, and not with every row
        planned = _planned(turns, num_samples, extensions, host, problems)
    problems.raise_any()
    started(len(turns))
    judges.open(None)
    slots = asyncio.Semaphore(_AT_A_TIME)

    async def row_of(turn: LabelledTurn) -> JudgedRow:
        plan = planned[_kind(turn)]
        async with slots:
            result = await score(plan, _case(turn))
        judged()
        return JudgedRow(turn, plan.component.id, result)

    async with plugin_loops():
        try:
            async with asyncio.TaskGroup() as tasks:
                made = [tasks.create_task(row_of(turn)) for turn in turns]
            rows = tuple(task.result() for task in made)
        except ExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:
            await judges.aclose()
    by_component = {plan.component.id: plan for plan in planned.values()}
    measured = tuple(
        _measurement(plan, [row for row in rows if row.criterion == component], num_samples, labels)
        for component, plan in sorted(by_component.items())
    )
    for measurement in measured:
        [backend] = by_component[measurement.criterion].judges[0]["backends"]
        MeasuredJudges().keep(measurement, backend)
    judge = measured[0].judge
    return JudgeReport(judge, measured, rows, judges.calls.get(judge, JudgeCalls()))


def _read(files: Iterable[Path], problems: Problems) -> tuple[list[LabelledTurn], dict[str, str]]:
    turns: list[LabelledTurn] = []
    labels: dict[str, str] = {}
    for file in dict.fromkeys(files):
        with problems.caught():
            rows, labels[str(file)] = read_labelled(file)
            turns += rows
    return turns, labels


def _planned(
    turns: Iterable[LabelledTurn],
    num_samples: int,
    extensions: Extensions,
    host: RunHost,
    problems: Problems,
) -> dict[str, PlannedCriterion]:
    """A criterion for everything that the rows name; rows with the same options share one."""
    planned: dict[str, PlannedCriterion] = {}
    seen: set[str] = set()
    for turn in turns:
        kind = _kind(turn)
        if kind in seen:
            continue
        seen.add(kind)
        place = {"file": f"{turn.file}:{turn.line}", "path": "$.options"}
        with problems.caught(**place):
            spec = extensions.criteria.resolve(turn.criterion).spec
            if Need.JUDGE not in spec.needs:
                problems.add(f"criterion {turn.criterion!r} asks no judge", **place)
                continue
            entry = _entry(turn, spec, num_samples)
            made = make_criterion(entry, extensions, host, problems, place)
            if not made.judges:
                problems.add(f"criterion {turn.criterion!r} asks no judge with these options", **place)
            if not made.rule.gates:
                problems.add("every score reaches this threshold, so that no label says anything", **place)
            planned[kind] = made
    return planned


def _entry(turn: LabelledTurn, spec: CriterionSpec, num_samples: int) -> CriterionEntry:
    """The criterion as a configuration would have it. Without a threshold only the best score passes."""
    try:
        (entry,) = parse_config({"criteria": {turn.criterion: turn.options}}, source=None).criteria
    except InputError as error:
        raise InputError([_placed(problem, turn) for problem in error.problems]) from None
    best = spec.value_range[0] if spec.lower_is_better else spec.value_range[1]
    judge = {**entry.options.get("judge_model_options", {}), "num_samples": num_samples}
    return entry.model_copy(
        update={
            "threshold": best if entry.threshold is None else entry.threshold,
            "options": {**entry.options, "judge_model_options": judge},
        }
    )


def _placed(problem: Problem, turn: LabelledTurn) -> Problem:
    path = (problem.path or "").replace(f"$.criteria.{turn.criterion}", "$.options")
    return replace(problem, file=turn.file, line=turn.line, path=path)


def _kind(turn: LabelledTurn) -> str:
    return json.dumps([turn.criterion, turn.options], sort_keys=True)


def _case(turn: LabelledTurn) -> CaseUnderTest:
    return CaseUnderTest(
        case=EvalCase(eval_id=turn.row_id, conversation=(turn.expected,)),
        actual=Trajectory(eval_id=turn.row_id, invocations=(turn.actual,)),
    )


def _measurement(
    plan: PlannedCriterion, rows: Sequence[JudgedRow], num_samples: int, labels: dict[str, str]
) -> JudgeMeasurement:
    def group_of(row: JudgedRow) -> tuple[str, str]:
        return row.turn.language, row.turn.difficulty

    groups: list[LabelledGroup] = []
    for (language, difficulty), members in groupby(sorted(rows, key=group_of), key=group_of):
        found = list(members)
        groups.append(
            LabelledGroup(
                language=language,
                difficulty=difficulty,
                counts=sum((row.counts for row in found), Confusion()),
                not_measured=sum(row.why_not is not None for row in found),
            )
        )
    versions = {name for row in rows if row.result.judging for name in row.result.judging.model_versions}
    judge: JsonObject = plan.judges[0]
    return JudgeMeasurement(
        judge=judge["models"][0],
        criterion=plan.component.id,
        criterion_version=plan.component.spec.version,
        model_versions=tuple(sorted(versions)),
        num_samples=num_samples,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        labels=labels,
        groups=tuple(groups),
    )
