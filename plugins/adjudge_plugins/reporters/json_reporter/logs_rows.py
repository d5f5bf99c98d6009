"""From verdicts on logs to the rows of their document."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from adjudge.kit import render
from adjudge.kit.judged_logs import JudgedLog, JudgedLogs, LogError
from adjudge.model import (
    Calibration,
    CheckResult,
    CompiledCriterion,
    EvaluationResult,
    MeasuredCriterion,
    TaskDecomposition,
    VotedVerdict,
)
from adjudge.plugin import (
    AggregatedSteps,
)
from adjudge_plugins.reporters.json_reporter.judged_rows import (
    evidence_row,
    failure_row,
    judge_calls_row,
    judging_row,
    votes_row,
)

if TYPE_CHECKING:
    from adjudge_plugins.reporters.json_reporter import document
    from adjudge_plugins.reporters.json_reporter import logs_document as doc


def summary_row(judged: JudgedLogs) -> doc.LogsSummaryRow:
    """Everything together."""
    counts = Counter(str(result.verdict) for log in judged.logs for result in log.results)
    counts["error"] = len(judged.errors)
    return {
        "status": judged.status,
        "exit_status": cast("document.ExitStatus", judged.exit_status),
        "counts": {
            "PASS": counts["PASS"],
            "FAIL": counts["FAIL"],
            "UNSURE": counts["UNSURE"],
            "error": counts["error"],
        },
        "judges": {name: judge_calls_row(calls) for name, calls in judged.judges.items()},
    }


def criterion_row(criterion: CompiledCriterion) -> doc.CriterionRow:
    """A criterion with its checks."""
    return {
        "name": criterion.name,
        "description": criterion.description,
        "granularity": criterion.granularity,
        "threshold": criterion.threshold,
        "checks": [
            {"check_id": check.check_id, "text": check.text, "about": check.about, "reducer": check.reducer}
            for check in criterion.checks
        ],
        "compiled_by": criterion.compiled_by,
        "sha256": criterion.sha256,
    }


def measured_row(criterion: MeasuredCriterion) -> doc.MeasuredRow:
    """A criterion that measures."""
    return {
        "name": criterion.name,
        "criterion": criterion.criterion,
        "threshold": criterion.threshold,
        "lower_is_better": criterion.lower_is_better,
        "document": criterion.document,
        "sha256": criterion.sha256,
    }


def calibration_row(calibration: Calibration) -> doc.CalibrationRow:
    """What made confidences of one criterion probabilities."""
    curve = calibration.curve
    return {
        "criterion_name": calibration.criterion_name,
        "criterion_sha256": calibration.criterion_sha256,
        "judges": list(calibration.judges),
        "curve": {
            "method": curve.method,
            "slope": curve.slope,
            "intercept": curve.intercept,
            "points": [list(point) for point in curve.points],
        },
        "rows": calibration.rows,
        "threshold": calibration.threshold,
        "wanted_agreement": calibration.wanted_agreement,
        "fitted_at": calibration.fitted_at,
        "labels_sha256": calibration.labels_sha256,
    }


def log_row(log: JudgedLog) -> doc.LogRow:
    """One run."""
    return {
        "source": log.source,
        "run": log.run,
        "reader": log.reader,
        "task": log.task,
        "agent": log.agent,
        "steps": log.steps,
        "lost": list(log.lost),
        "task_decomposition": None
        if log.task_decomposition is None
        else _decomposition(log.task_decomposition),
        "aggregated_steps": [_aggregated(view) for view in log.aggregated_steps],
        "results": [_evaluation(result) for result in log.results],
        "not_applicable": [
            {"criterion_name": item.criterion_name, "reasoning": item.reasoning}
            for item in log.not_applicable
        ],
    }


def error_row(error: LogError) -> doc.ErrorRow:
    """Something that could not be measured."""
    return {
        "source": error.source,
        "run": error.run,
        "criterion_name": error.criterion_name,
        "error": failure_row(error.error),
        "checks": [_check(check) for check in error.checks],
    }


def _decomposition(found: TaskDecomposition) -> doc.DecompositionRow:
    return {
        "clusters": [
            {
                "name": cluster.name,
                "steps": list(cluster.steps),
                "summary": cluster.summary,
                "boundary": cluster.boundary,
            }
            for cluster in found.clusters
        ],
        "named_by": found.named_by,
    }


def _aggregated(view: AggregatedSteps) -> doc.AggregatedStepsRow:
    return {
        "granularity": view.granularity,
        "aggregated_content": view.aggregated_content,
        "step_mapping": {label: list(steps) for label, steps in view.step_mapping.items()},
        "summary_metadata": view.summary_metadata,
    }


def _evaluation(result: EvaluationResult) -> doc.EvaluationRow:
    return {
        "criterion_name": result.criterion_name,
        "verdict": cast("document.Verdict", str(result.verdict)),
        "reasoning": result.reasoning,
        "confidence_score": result.confidence_score,
        "used_granularity": result.used_granularity,
        "evidence": evidence_row(result.evidence),
        "calibrated": result.calibrated,
        "before_calibration": _voted(result.before_calibration),
        "reason_codes": list(result.reason_codes),
        "granularity": {
            "name": result.granularity.name,
            "reason": result.granularity.reason,
            "chosen_by": result.granularity.chosen_by,
        },
        "checks": [_check(check) for check in result.checks],
        "criterion_sha256": result.criterion_sha256,
        "score": result.score,
        "threshold": result.threshold,
        "judging": judging_row(result.judging),
    }


def _voted(voted: VotedVerdict | None) -> doc.VotedRow | None:
    if voted is None:
        return None
    return {
        "verdict": cast("document.Verdict", str(voted.verdict)),
        "confidence_score": voted.confidence_score,
    }


def _check(check: CheckResult) -> doc.CheckResultRow:
    return {
        "check_id": check.check_id,
        "text": check.text,
        "state": check.state,
        "reasoning": check.reasoning,
        "evidence": evidence_row(check.evidence),
        "confidence": check.confidence,
        "unsure_code": check.unsure_code,
        "error": failure_row(check.error),
        "granularity": check.granularity,
        "votes": votes_row(check.votes) if render.is_votes(check.votes) else None,
        "dropped_citations": sum(vote.get("dropped_citations", 0) for vote in check.votes.get("votes", ())),
        "steps_not_shown": check.steps_not_shown,
        "steps_fetched": list(check.steps_fetched),
    }
