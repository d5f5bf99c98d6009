"""Measures a judge: scores every labelled turn with the criterion that it names, as in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from adjudge import CaseToScore, JudgedScore, JudgeNote, keep_judge_note, score_by_judge
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.model.trajectory import Trajectory
from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.judge_trial.labelled_turns import LabelledTurn, read_labelled
from adjudge_plugins.agreement.judge_trial.report import (
    JudgedRow,
    JudgeMeasurement,
    JudgeReport,
    LabelledGroup,
    doubts_of,
    measurement_facts,
)
from adjudge_plugins.agreement.statistics.confusion import Confusion, kappa


async def measure_judge(
    model: str,
    files: Sequence[Path],
    *,
    num_samples: int = 1,
    max_calls: int | None = None,
    no_plugins: Iterable[str] = (),
    judged: Callable[[int], None] = lambda _: None,
) -> JudgeReport:
    """Score labelled turns with ``model``, and keep how well it met the labels.

    Args:
        model: As ``provider/model``.
        files: Labelled sets, as JSON Lines.
        num_samples: The most votes for each decision.
        max_calls: Calls that may be made; what they would decide is not measured then.
        no_plugins: Plugins or distributions that are not imported.
        judged: Told after every turn how many turns there are.

    Raises:
        InputError: something that it needs is missing or wrong; every problem is named, and no call was made.
        RunError: no further call makes sense, or the measurement cannot be kept.
    """
    turns, labels, problems = _read(files)
    done = await score_by_judge(
        [_case(turn) for turn in turns],
        model,
        num_samples=num_samples,
        max_judge_calls=max_calls,
        problems=problems,
        disable=no_plugins,
        scored=lambda: judged(len(turns)),
    )
    rows = [
        JudgedRow(turn, score.criterion, score.result) for turn, score in zip(turns, done.scores, strict=True)
    ]
    by_component = {score.criterion: score for score in done.scores}
    measured = tuple(
        _measurement(score, [row for row in rows if row.criterion == component], num_samples, labels)
        for component, score in sorted(by_component.items())
    )
    for item in measured:
        keep_judge_note(_note(item), by_component[item.criterion].backend)
    return JudgeReport(measured[0].judge, measured, tuple(rows), done.calls)


def _read(files: Iterable[Path]) -> tuple[list[LabelledTurn], dict[str, str], list[Problem]]:
    turns: list[LabelledTurn] = []
    labels: dict[str, str] = {}
    problems: list[Problem] = []
    for file in dict.fromkeys(files):
        try:
            rows, labels[str(file)] = read_labelled(file)
        except InputError as error:
            problems += error.problems
            continue
        turns += rows
    return turns, labels, problems


def _case(turn: LabelledTurn) -> CaseToScore:
    case = CaseUnderTest(
        case=EvalCase(eval_id=turn.row_id, conversation=(turn.expected,)),
        actual=Trajectory(eval_id=turn.row_id, invocations=(turn.actual,)),
    )
    return CaseToScore(
        case=case, criterion=turn.criterion, options=turn.options, file=turn.file, line=turn.line
    )


def _note(item: JudgeMeasurement) -> JudgeNote:
    value = kappa(item.counts)
    name = item.criterion.partition("/")[2]
    figure = "kappa undefined" if value is None else f"kappa {value:.2f}"
    return JudgeNote(
        judge=item.judge,
        criterion=item.criterion,
        criterion_version=item.criterion_version,
        summary=f"{item.judge} on {name}: {figure}, {item.counts.total} labels, {item.measured_at[:10]}",
        warnings=tuple(doubts_of(item)),
        facts=measurement_facts(item),
    )


def _measurement(
    score: JudgedScore, rows: Sequence[JudgedRow], num_samples: int, labels: dict[str, str]
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
    return JudgeMeasurement(
        judge=score.judge,
        criterion=score.criterion,
        criterion_version=score.criterion_version,
        model_versions=tuple(sorted(versions)),
        num_samples=num_samples,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        labels=labels,
        groups=tuple(groups),
    )
