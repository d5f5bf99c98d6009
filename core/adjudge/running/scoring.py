"""Scoring: one criterion on one case, whatever the criterion does."""

from __future__ import annotations

from adjudge.errors import PluginError, RunError
from adjudge.extension.guard import awaited, is_built_in, lent
from adjudge.extension.shortage import shortage_of
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
    component = planned.component
    origin = component.provenance
    with ledger() as asked:
        passes = False
        try:
            measurement = await awaited(
                component,
                "score",
                lambda: planned.criterion.score(lent(component, case)),
                # What concerns the whole run is in the ledger, whatever a criterion makes of it.
                passing=(RunError,) if is_built_in(component) else (),
            )
        except PluginError as error:
            measurement = Measurement()
            failure: str | None = str(error)
            # Another attempt may find what this machine lacked.
            passes = shortage_of(error) is not None
        else:
            failure = _broken_contract(measurement, len(case.actual.invocations), origin)
    if asked.fatal is not None:
        raise asked.fatal
    if failure is not None:
        measurement = Measurement(
            overall=Outcome.failed("criterion_raised", failure, origin=origin, retryable=passes)
        )
    return criterion_result(measurement, planned.rule).model_copy(update={"judging": asked.use()})


def _broken_contract(measurement: object, turns: int, origin: str) -> str | None:
    if not isinstance(measurement, Measurement):
        return f"the criterion gave {type(measurement).__name__}, expected a Measurement ({origin})"
    if measurement.overall is None and len(measurement.per_invocation) != turns:
        return (
            f"the criterion gave {len(measurement.per_invocation)} outcomes for {turns} turns "
            f"and no overall outcome ({origin})"
        )
    return None
