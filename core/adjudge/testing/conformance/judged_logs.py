"""Verdicts on logs that every reporter must cope with."""

from __future__ import annotations

from adjudge.model.aggregated import AggregatedSteps, Cluster, TaskDecomposition
from adjudge.model.calibration import Calibration, Curve
from adjudge.model.evaluation import (
    Check,
    CheckResult,
    CompiledCriterion,
    EvaluationResult,
    GranularityChoice,
    VotedVerdict,
)
from adjudge.model.judged_logs import JudgedLog, JudgedLogs, LogError
from adjudge.model.measurement import Absence, Citation, Evidence, Failure
from adjudge.model.result import JudgeCalls, Verdict

_UNFRIENDLY = "だめ <b>&\"'</b> ]]> \x1b[31m \x00 \u202e 👩🏽‍💻\nline two"
_FAILURE = Failure(code="judge_timeout", message=_UNFRIENDLY, origin="judge", retryable=True)
_CALIBRATION = Calibration(
    criterion_name=_UNFRIENDLY,
    criterion_sha256="0" * 64,
    judges=("fake/judge",),
    curve=Curve(method="isotonic", points=((0.25, 0.0), (0.75, 1.0))),
    rows=100,
    threshold=0.75,
    fitted_at="2026-01-01T00:00:00+00:00",
    labels_sha256="0" * 64,
)
_BY_VOTES = VotedVerdict(verdict=Verdict.FAIL, confidence_score=0.75)


def judged_logs() -> JudgedLogs:
    """Every verdict and an error of each kind, in any script."""
    names = {verdict: f"{verdict.value} {_UNFRIENDLY}" for verdict in Verdict}
    log = JudgedLog(
        source="logs/だめ.json",
        run=1,
        reader="acme/log",
        task=_UNFRIENDLY,
        agent=None,
        steps=2,
        lost=("screenshots (2 times)",),
        task_decomposition=TaskDecomposition(clusters=(Cluster(name=_UNFRIENDLY, steps=(1, 2)),)),
        aggregated_steps=(
            AggregatedSteps(
                granularity="step_level",
                aggregated_content=_UNFRIENDLY,
                step_mapping={"Step 1": (1,), "Step 2": (2,)},
            ),
        ),
        results=tuple(_result(verdict, name) for verdict, name in names.items()),
    )
    return JudgedLogs(
        started_at="2026-01-01T00:00:00.000+00:00",
        duration=1.5,
        adjudge_version="0.1.0",
        criteria=tuple(_criterion(name) for name in (*names.values(), "broken")),
        logs=(log, log.model_copy(update={"run": 2, "results": ()})),
        errors=(
            LogError(source="odd.json", error=_FAILURE),
            LogError(
                source=log.source, run=1, criterion_name="broken", error=_FAILURE, checks=(_check("error"),)
            ),
        ),
        judges={"fake/judge": JudgeCalls(calls=3)},
        calibrations=(_CALIBRATION,),
        warnings=(_UNFRIENDLY,),
    )


def _criterion(name: str) -> CompiledCriterion:
    return CompiledCriterion(
        name=name,
        description=_UNFRIENDLY,
        granularity=None,
        threshold=1.0,
        checks=(Check(check_id="c1", text=_UNFRIENDLY, about="outcome"),),
        compiled_by="author",
        sha256="0" * 64,
    )


def _check(state: str) -> CheckResult:
    return CheckResult.model_validate(
        {
            "check_id": "c1",
            "text": _UNFRIENDLY,
            "state": state,
            "reasoning": _UNFRIENDLY,
            "error": _FAILURE if state == "error" else None,
            "granularity": "step_level",
        }
    )


def _result(verdict: Verdict, name: str) -> EvaluationResult:
    sure = verdict is not Verdict.UNSURE
    state = {Verdict.PASS: "met", Verdict.FAIL: "not_met", Verdict.UNSURE: "unsure"}[verdict]
    evidence = Evidence(
        citations=(Citation(step=1, field="result", quote=_UNFRIENDLY),),
        absences=(Absence(steps=(1, 2), scan=_UNFRIENDLY),),
    )
    return EvaluationResult(
        criterion_name=name,
        verdict=verdict,
        reasoning=_UNFRIENDLY,
        confidence_score=0.875 if sure else None,
        used_granularity="step_level",
        evidence=evidence if sure else Evidence(),
        reason_codes=("self_reported",) if sure else ("no_evidence", "addresses_judge"),
        granularity=GranularityChoice(name="step_level", reason=_UNFRIENDLY, chosen_by="rules"),
        checks=(_check(state),),
        criterion_sha256="0" * 64,
        calibrated=verdict is Verdict.FAIL,
        before_calibration=_BY_VOTES if verdict is Verdict.FAIL else None,
    )
