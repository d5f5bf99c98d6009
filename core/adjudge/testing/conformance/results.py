"""Results of cases for the conformance tests of reporters and observers."""

from __future__ import annotations

from typing import Final

from adjudge.model.evidence import Failure
from adjudge.model.result import CaseResult, CriterionResult, InvocationResult
from adjudge.model.verdict import Status, Verdict

UNFRIENDLY: Final = "だめ <b>&\"'</b> ]]> \x1b[31m \x00 \u202e 👩🏽‍💻"
"""A text that must be escaped in HTML, XML, Markdown and terminals."""
SCORES: Final[dict[Status, float | None]] = {
    "PASS": 1.0,
    "FAIL": 0.25,
    "UNSURE": None,
    "error": None,
    "not_applicable": None,
    "informational": 0.5,
}
"""A score for every status; ``None`` for statuses without a score."""


def case_results() -> list[CaseResult]:
    """Results of every status, and one of a failed agent."""
    return [*(case_result(f"case_{status}", status) for status in SCORES), broken_case()]


def broken_case() -> CaseResult:
    """The result of a case whose agent failed, so that nothing was measured."""
    return CaseResult(
        eval_set_id="set",
        eval_set_file="folder/set.evalset.json",
        eval_id="agent_broke",
        status="error",
        error=Failure(code="agent_raised", message=UNFRIENDLY, origin="python:agent", retryable=True),
    )


def case_result(eval_id: str, status: Status) -> CaseResult:
    """The result of a case with the given status, from one criterion on one turn."""
    verdict = Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None
    failure = Failure(code="criterion_raised", message=UNFRIENDLY) if status == "error" else None
    per_invocation = InvocationResult(
        status=status,
        verdict=verdict,
        score=SCORES[status],
        reasoning=UNFRIENDLY,
        unsure_code="split_votes" if status == "UNSURE" else None,
        error=failure,
        details={"expected": UNFRIENDLY, "rows": [1, None, {"a": 2.5}]},
    )
    criterion = CriterionResult(
        criterion_name="helpful",
        criterion="acme/helpful",
        status=status,
        verdict=verdict,
        score=SCORES[status],
        threshold=None if status == "informational" else 0.8,
        reasoning=UNFRIENDLY,
        error=failure,
        scored=0 if SCORES[status] is None else 1,
        total=0 if status == "not_applicable" else 1,
        per_invocation=(per_invocation,),
    )
    return CaseResult(
        eval_set_id="set",
        eval_set_file="folder/set.evalset.json",
        eval_id=eval_id,
        status=status,
        verdict=verdict,
        criteria=(criterion,),
        duration=0.5,
    )
