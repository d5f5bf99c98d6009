"""What became of an evaluation, as a test says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge import RunResult
from adjudge.kit import render

_UNSETTLED: Final = ("FAIL", "error", "UNSURE")


def failures_of(result: RunResult) -> str:
    """Every case that did not pass, with every criterion, the reasons and the differences."""
    with result.report() as report:
        lines = [line for case in render.whole_cases(report) for line in _failure(case)]
        lines += [
            f"{criterion.criterion_name}: {criterion.error.message}"
            for criterion in report.summary.criteria
            if criterion.error is not None
        ]
    return "\n".join([f"{result.status}, run {result.name}", *lines])


def details_of(result: RunResult) -> str:
    """Every turn of every case."""
    with result.report() as report:
        return "\n".join(line for case in render.whole_cases(report) for line in _details(case))


def _failure(case: render.WholeCase) -> Iterator[str]:
    if case.overall.status in _UNSETTLED:
        yield f"{case.overall.status.upper()} {case.name}"
        yield from (f"  {line}" for line in render.explained(case))


def _details(case: render.WholeCase) -> Iterator[str]:
    yield f"{case.overall.status.upper()} {case.name}"
    for repeat in case.repeats:
        if len(case.repeats) > 1:
            yield f"  repeat {repeat.result.repeat}  {repeat.result.status}"
        yield from (f"  {line}" for line in render.transcript(repeat))
