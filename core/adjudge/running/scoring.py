"""Scoring: one criterion on one case, whatever the criterion does."""

from __future__ import annotations

from adjudge.errors import RunError
from adjudge.judging.ledger import ledger
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CriterionResult
from adjudge.running.criteria import needs_of
from adjudge.running.plan import PlannedCriterion
from adjudge.statistics.algebra import criterion_result


async def score(planned: PlannedCriterion, case: CaseUnderTest, *, applicable: bool) -> CriterionResult:
    """Measure, and let the core's rules decide. Nothing that the criterion does raises from here.

    Raises:
        RunError: it concerns the whole run: a judge that cannot be asked, a journal that cannot be written.
    """
    if not applicable:
        needs = needs_of(planned.component.spec)
        outcome = Outcome.not_applicable(f"the case has not what this criterion needs: {needs}")
        return criterion_result(Measurement(overall=outcome), planned.rule)
    origin = planned.component.provenance
    with ledger() as asked:
        try:
            measurement = await planned.criterion.score(case)
            failure = _broken_contract(measurement, len(case.actual.invocations))
        except RunError:
            raise
        except (Exception, SystemExit) as error:
            measurement = Measurement()
            failure = f"{type(error).__name__}: {error}"
    if asked.fatal is not None:
        raise asked.fatal
    if failure is not None:
        measurement = Measurement(
            overall=Outcome.failed("criterion_raised", f"{failure} ({origin})", origin=origin)
        )
    return criterion_result(measurement, planned.rule).model_copy(update={"judging": asked.use()})


def _broken_contract(measurement: object, turns: int) -> str | None:
    if not isinstance(measurement, Measurement):
        return f"the criterion gave {type(measurement).__name__}, expected a Measurement"
    if measurement.overall is None and len(measurement.per_invocation) != turns:
        return (
            f"the criterion gave {len(measurement.per_invocation)} outcomes for {turns} turns "
            "and no overall outcome"
        )
    return None
