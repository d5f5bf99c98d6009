"""Counts errors that come again."""

from __future__ import annotations

from adjudge.kit import trace
from adjudge.plugin import CaseUnderTest, Measurement, Outcome


class RepeatedErrors:
    """How many errors of the run an earlier step had already shown. One error in one step counts once.

    Not applicable where the run has neither an action nor an error: nothing could go wrong in it.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case, with the places of every error that came again."""
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
            f"no error comes again; there are {len(by_key)}" if by_key else "there is no error",
            evidence=trace.scanned(case.actual, "no error comes twice"),
        )
    places = sorted((error for group in repeated for error in group), key=lambda error: error.step)
    again = len(places) - len(repeated)
    steps = [error.step for error in places]
    return Outcome.scored(
        float(again),
        f"{trace.counted(len(repeated), 'error')} came again, {trace.counted(again, 'time')} in all: {trace.listed(steps)}",
        details={
            "errors": [
                {"message": group[0].message[:200], "steps": [error.step for error in group]}
                for group in repeated
            ]
        },
        evidence=trace.citing(error.citation for error in places),
    )
