"""Results of runs in logs for the conformance tests of reporters."""

from __future__ import annotations

from typing import Final

from adjudge.kit.evaluation import Check, CompiledCriterion
from adjudge.model.aggregated import AggregatedSteps, Cluster, TaskDecomposition
from adjudge.model.base import JsonObject
from adjudge.model.evaluation import AppliedCalibration, CheckResult, GranularityChoice, VotedVerdict
from adjudge.model.evidence import Absence, Citation, Evidence, Failure
from adjudge.model.result import CaseResult, CriterionInfo, CriterionResult, LogInfo, LogsInfo
from adjudge.model.verdict import Verdict

_UNFRIENDLY = "だめ <b>&\"'</b> ]]> \x1b[31m \x00 \u202e 👩🏽‍💻\nline two"
_FAILURE = Failure(code="judge_timeout", message=_UNFRIENDLY, origin="judge", retryable=True)
_CALIBRATION = AppliedCalibration(
    criterion_name=_UNFRIENDLY,
    judges=("fake/judge",),
    rows=100,
    threshold=0.75,
    fitted_at="2026-01-01T00:00:00+00:00",
    labels_sha256="0" * 64,
)
_BY_VOTES = VotedVerdict(verdict=Verdict.FAIL, confidence_score=0.75)


_NAMES: Final = {verdict: f"{verdict.value} {_UNFRIENDLY}" for verdict in Verdict}


def log_results() -> list[CaseResult]:
    """Results with every verdict and every kind of error, and texts in several scripts."""
    judged = CaseResult(
        eval_set_id="logs/だめ.json",
        eval_id="1",
        source="logs/だめ.json",
        run=1,
        task=_UNFRIENDLY,
        steps=2,
        lost=("screenshots (2 times)",),
        status="FAIL",
        verdict=Verdict.FAIL,
        criteria=(*(_result(verdict) for verdict in Verdict), _broken()),
    )
    failed = {"source": "odd.json", "run": None, "criteria": (), "status": "error", "verdict": None}
    second = {"eval_id": "2", "run": 2, "criteria": (_broken(),), "status": "error", "verdict": None}
    return [
        judged,
        judged.model_copy(update=second),
        judged.model_copy(update={**failed, "eval_set_id": "odd.json", "eval_id": "", "error": _FAILURE}),
    ]


def prepared() -> dict[str, JsonObject]:
    """The prepared checks of the criteria."""
    names = (*_NAMES.values(), "broken")
    return {
        name: CompiledCriterion(
            name=name,
            description=_UNFRIENDLY,
            granularity=None,
            threshold=1.0,
            checks=(Check(check_id="c1", text=_UNFRIENDLY, about="outcome"),),
            compiled_by="author",
            sha256="0" * 64,
        ).model_dump(mode="json")
        for name in names
    }


def logs_info() -> LogsInfo:
    """The logs and criteria of the run."""
    helpful = CriterionInfo(
        criterion="acme/helpful",
        version=1,
        distribution="acme 1.0",
        threshold=1.0,
        options={"description": _UNFRIENDLY},
        declared={"facts": [_UNFRIENDLY]},
    )
    return LogsInfo(
        files={"logs/だめ.json": LogInfo(reader="acme/log", sha256="0" * 64)},
        criteria=dict.fromkeys(_NAMES.values(), helpful),
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


def _broken() -> CriterionResult:
    return CriterionResult(
        criterion_name="broken",
        criterion="acme/helpful",
        status="error",
        threshold=1.0,
        error=_FAILURE,
        used_granularity="step_level",
        checks=(_check("error"),),
    )


def _result(verdict: Verdict) -> CriterionResult:
    sure = verdict is not Verdict.UNSURE
    state = {Verdict.PASS: "met", Verdict.FAIL: "not_met", Verdict.UNSURE: "unsure"}[verdict]
    evidence = Evidence(
        citations=(Citation(step=1, field="result", quote=_UNFRIENDLY),),
        absences=(Absence(steps=(1, 2), scan=_UNFRIENDLY),),
    )
    return CriterionResult(
        criterion_name=_NAMES[verdict],
        criterion="acme/helpful",
        status=verdict.value,
        verdict=verdict,
        threshold=1.0,
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
        calibration=_CALIBRATION if verdict is Verdict.FAIL else None,
        task_decomposition=TaskDecomposition(clusters=(Cluster(name=_UNFRIENDLY, steps=(1, 2)),)),
        aggregated_steps=(
            AggregatedSteps(
                granularity="step_level",
                aggregated_content=_UNFRIENDLY,
                step_mapping={"Step 1": (1,), "Step 2": (2,)},
            ),
        ),
    )
