"""Judges the whole run of a case by a criterion in words."""

from __future__ import annotations

from typing import Final, get_args

from adjudge.model import EvaluationResult, UnsureCode
from adjudge.plugin import CaseUnderTest, Evaluator, Measurement, Outcome

_UNSURE: Final[tuple[UnsureCode, ...]] = get_args(UnsureCode)


class AiJudge:
    """1.0 where the verdict is PASS, 0.0 where it is FAIL, and no score where it is UNSURE (seed 003)."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Judge with ``evaluator``."""
        self._evaluator = evaluator

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome for the case; ``details["evaluation"]`` is the whole result."""
        return Measurement(overall=outcome_of(await self._evaluator.evaluate(case.actual)))


def outcome_of(result: EvaluationResult) -> Outcome:
    """A verdict as a score."""
    details = {"evaluation": result.model_dump(mode="json", exclude={"judging"}, exclude_defaults=True)}
    match result.verdict:
        case "PASS":
            return Outcome.scored(1.0, result.reasoning, details=details, evidence=result.evidence)
        case "FAIL":
            return Outcome.scored(0.0, result.reasoning, details=details, evidence=result.evidence)
        case "UNSURE":
            return Outcome.unsure(_code(result), result.reasoning, details=details)
        case _:
            return Outcome(state="error", reasoning=result.reasoning, error=result.error, details=details)


def _code(result: EvaluationResult) -> UnsureCode:
    """Why nothing was decided; where no check applies, the judge had nothing to say of the run."""
    for code in _UNSURE:
        if code in result.reason_codes:
            return code
    return "abstained"
