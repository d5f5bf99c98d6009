"""``repeated_errors``: whether the agent caused the same error again."""

from __future__ import annotations

import math

from adjudge.kit import trace
from adjudge.plugin import (
    CaseUnderTest,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    NoConfig,
    Outcome,
    hookimpl,
)


class RepeatedErrors:
    """The number of errors that had already occurred in an earlier step. An error counts once per step.

    Not applicable if the run has neither an action nor an error.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with the places of every repeated error."""
        return Measurement(overall=_again(case))


def _again(case: CaseUnderTest) -> Outcome:
    by_key: dict[str, dict[int, trace.ShownError]] = {}
    for step in case.actual.steps:
        for error in trace.errors_of(step):
            by_key.setdefault(error.key, {}).setdefault(error.step, error)
    if not by_key and not trace.actions_of(case.actual.steps):
        return Outcome.not_applicable("neither an action nor an error was recorded")
    repeated = [list(places.values()) for places in by_key.values() if len(places) > 1]
    if not repeated:
        return Outcome.scored(
            0.0,
            f"no error occurs twice ({trace.counted(len(by_key), 'error')})"
            if by_key
            else "there is no error",
            evidence=trace.scanned(case.actual, "no error occurs twice"),
        )
    places = sorted((error for group in repeated for error in group), key=lambda error: error.step)
    again = len(places) - len(repeated)
    steps = [error.step for error in places]
    return Outcome.scored(
        float(again),
        f"{trace.counted(len(repeated), 'error')} occurred again, {trace.counted(again, 'time')} in total: {trace.listed(steps)}",
        details={
            "errors": [
                {"message": group[0].message[:200], "steps": [error.step for error in group]}
                for group in repeated
            ]
        },
        evidence=trace.citing(error.citation for error in places),
    )


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return RepeatedErrors()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="repeated_errors",
            summary="Errors that already occurred in an earlier step",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
