"""Counts steps."""

from __future__ import annotations

from adjudge.plugin import CaseUnderTest, Measurement, Outcome


class StepCount:
    """The steps of a run, all turns together. What a log calls a step is one. Not applicable without any."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case."""
        steps = case.actual.steps
        if not steps:
            return Measurement(overall=Outcome.not_applicable("no step was recorded"))
        first, last = steps[0].number, steps[-1].number
        where = f"step {first}" if len(steps) == 1 else f"steps {first} to {last}"
        turns = [len(turn.steps) for turn in case.actual.invocations]
        return Measurement(
            overall=Outcome.scored(
                float(len(steps)),
                where,
                details={"first": first, "last": last, "per_turn": turns},
            )
        )
