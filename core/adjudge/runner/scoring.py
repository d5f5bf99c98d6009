"""Scores one case with one criterion, and handles every failure of the criterion."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import cast

from pydantic_core import from_json, to_json

from adjudge.errors import AdjudgeError, InputError, JudgeUnusableError, PluginError, RunError
from adjudge.extension.coroutine_guard import awaited
from adjudge.extension.guard import PluginTimeoutError, lent, returned
from adjudge.extension.judge_use import judge_use
from adjudge.extension.protocols import SupportsPreparation, SupportsTogether
from adjudge.extension.shortage import shortage_of
from adjudge.model.base import JsonObject
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import NOT_MEASURED, CriterionResult
from adjudge.runner.plan import PlannedCriterion
from adjudge.runner.request import DEFAULT_SCORING_TIMEOUT
from adjudge.verdict.algebra import criterion_result


def inapplicable(planned: PlannedCriterion, lacking: str) -> CriterionResult:
    """The ``not_applicable`` result of a criterion; ``lacking`` says which of its requirements the case lacks."""
    outcome = Outcome.not_applicable(f"the case lacks what this criterion needs: {lacking}")
    return criterion_result(Measurement(overall=outcome), planned.rule)


def asked_with(planned: PlannedCriterion, number: int) -> object:
    """The grouping key of a criterion: criteria with equal keys measure a case in one call.

    It is the component's id if the component supports this, else the criterion's own ``number``.
    """
    return planned.component.id if isinstance(planned.criterion, SupportsTogether) else number


async def score(
    planned: Sequence[PlannedCriterion], case: CaseUnderTest, *, within: float | None
) -> list[CriterionResult]:
    """Measure a case, and apply the rules of the verdict algebra. A failure of a criterion becomes its result.

    Args:
        planned: The criterion; or several instances of one component, which measures with all of them in one call.
        case: The case to measure.
        within: The time limit in seconds, without waiting for judges. ``None`` for no limit.

    Raises:
        RunError: the whole run is affected: a judge cannot be called, a journal cannot be written.
    """
    first, instances = planned[0].criterion, [item.criterion for item in planned]

    async def measured(case: CaseUnderTest) -> list[object] | None:
        if len(instances) == 1 or not isinstance(first, SupportsTogether):
            return [await first.score(case)]
        given = await first.score_together(instances, case)
        return list(given) if isinstance(given, list | tuple) else None

    component = planned[0].component
    origin = component.provenance
    results: list[CriterionResult] | None = None
    with judge_use() as asked:
        try:
            measurements = await awaited(
                component,
                "score",
                lambda: measured(lent(component, case)),
                # Failures that affect the whole run are in the ledger, even if a criterion swallows them.
                passing=(RunError,) if component.is_built_in else (),
                within=within,
            )
            if measurements is None or len(measurements) != len(planned):
                raise PluginError(f"the criterion did not give a measurement for each instance ({origin})")
            turns = len(case.actual.invocations)
            results = [
                _result(item, measurement, turns)
                for item, measurement in zip(planned, measurements, strict=True)
            ]
        except JudgeUnusableError as error:
            asked.fatal = error
        except PluginTimeoutError as error:
            results = _all_failed(planned, _failed("criterion_timeout", error, origin, retryable=True))
        except PluginError as error:
            results = _all_failed(planned, _raised(error, origin))
    fatal = asked.fatal
    if fatal is not None:
        if any(item.rule.gates for item in planned) or not isinstance(fatal, JudgeUnusableError):
            raise fatal
        # The criterion is informational: the run continues, and a resumption tries again.
        results = _all_failed(planned, _failed(NOT_MEASURED, fatal, origin, retryable=True))
    if results is None:
        raise AssertionError("a judge that cannot be asked is noted in the ledger")
    use = asked.use()
    return results if use is None else [item.model_copy(update={"judging": use}) for item in results]


def _result(planned: PlannedCriterion, measured: object, turns: int) -> CriterionResult:
    """The result of one instance's measurement; an error if it violates the contract."""
    component = planned.component
    try:
        measurement = returned(component, "the criterion", measured, Measurement)
        broken = _broken_contract(measurement, turns)
        if broken is not None:
            raise PluginError(f"{broken} ({component.provenance})")
    except PluginError as error:
        measurement = _raised(error, component.provenance)
    return criterion_result(measurement, planned.rule)


def _raised(error: PluginError, origin: str) -> Measurement:
    # A resource of this machine was exhausted: another attempt may succeed.
    return _failed("criterion_raised", error, origin, retryable=shortage_of(error) is not None)


def _all_failed(planned: Sequence[PlannedCriterion], measurement: Measurement) -> list[CriterionResult]:
    return [criterion_result(measurement, item.rule) for item in planned]


async def prepared(planned: PlannedCriterion, criterion: SupportsPreparation) -> JsonObject:
    """The data that a criterion prepares before the first case; empty if it fails: measuring a case then reports this.

    Raises:
        InputError: the user's input is invalid.
        RunError: the whole run is affected: a judge cannot be called, a journal cannot be written.
    """
    component = planned.component
    with judge_use() as asked:
        document: JsonObject = {}
        try:
            found = await awaited(
                component,
                "prepare",
                criterion.prepare,
                passing=(RunError, InputError) if component.is_built_in else (InputError,),
                within=DEFAULT_SCORING_TIMEOUT,
            )
            document = _json_object(found)
        except JudgeUnusableError as error:
            asked.fatal = error
        except PluginError:
            pass
    if asked.fatal is not None and (planned.rule.gates or not isinstance(asked.fatal, JudgeUnusableError)):
        raise asked.fatal
    return document


async def all_prepared(criteria: Iterable[PlannedCriterion]) -> dict[str, JsonObject]:
    """The data that criteria prepare before the first case, by name, without those that prepare nothing or failed.

    Raises:
        InputError: the user's input is invalid.
        RunError: the whole run is affected: a judge cannot be called, a journal cannot be written.
    """
    # Files with the same configuration share criteria objects: prepare each object once.
    planned = {id(item): item for item in criteria}.values()
    preparing = [
        (item, item.criterion) for item in planned if isinstance(item.criterion, SupportsPreparation)
    ]
    locked = await asyncio.gather(*(prepared(item, criterion) for item, criterion in preparing))
    documents: dict[str, JsonObject] = {}
    for (item, _), document in zip(preparing, locked, strict=True):
        name = item.rule.criterion_name
        # Two configurations may give one name to different criteria.
        if documents.get(name, document) != document:
            name = f"{name} ({item.source})"
        if document:
            documents[name] = document
    return documents


def _json_object(value: object) -> JsonObject:
    """The value after a round trip through JSON; empty if it is not a JSON object."""
    try:
        found: object = from_json(to_json(value))
    except ValueError:
        return {}
    return cast("JsonObject", found) if isinstance(found, dict) else {}


def _failed(code: str, error: AdjudgeError, origin: str, *, retryable: bool) -> Measurement:
    return Measurement(overall=Outcome.failed(code, str(error), origin=origin, retryable=retryable))


def _broken_contract(measurement: Measurement, turns: int) -> str | None:
    if measurement.overall is None and len(measurement.per_invocation) != turns:
        return (
            f"the criterion gave {len(measurement.per_invocation)} outcomes for {turns} turns "
            "and no overall outcome"
        )
    return None
