"""The result of an evaluation, as a message of a test."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from adjudge import RunResult
from adjudge.kit import render

_UNSETTLED: Final = ("FAIL", "error", "UNSURE")


def failures_of(result: RunResult, made: Set[str]) -> str:
    """Every case that did not pass, with every criterion, the reasons and the differences.

    The first line has the first case and why it failed: it is all that the summary of pytest shows.

    Args:
        result: What is told.
        made: Ids of eval sets that are in no file of the user's; messages call them so.
    """
    with result.report() as report:
        lines = [line for case in render.whole_cases(report) for line in _failure(case, made)]
        lines += [
            f"{criterion.criterion_name}: {criterion.error.message}"
            for criterion in report.summary.criteria
            if criterion.error is not None
        ]
    return "\n".join([*lines, f"{result.status}, run {result.name}"])


def details_of(result: RunResult, made: Set[str]) -> str:
    """Every turn of every case; ``made`` as for ``failures_of``."""
    with result.report() as report:
        return "\n".join(line for case in render.whole_cases(report) for line in _details(case, made))


def _failure(case: render.WholeCase, made: Set[str]) -> Iterator[str]:
    if case.overall.status in _UNSETTLED:
        yield f"{_name(case, made)}: {render.headline(case)}"
        yield from (f"  {line}" for line in render.explained(case))


def _name(case: render.WholeCase, made: Set[str]) -> str:
    # A run keeps an eval set that is in no file under a file name that says nothing to the user.
    eval_set = case.overall.eval_set_id
    return render.clean(f"{eval_set}:{case.overall.eval_id}") if eval_set in made else case.name


def _details(case: render.WholeCase, made: Set[str]) -> Iterator[str]:
    yield f"{case.overall.status.upper()} {_name(case, made)}"
    for repeat in case.repeats:
        if len(case.repeats) > 1:
            yield f"  repeat {repeat.result.repeat}  {repeat.result.status}"
        yield from (f"  {line}" for line in render.transcript(repeat))
