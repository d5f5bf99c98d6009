"""Converts the decisions of a judge to outcomes with scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from adjudge.model.base import JsonObject
from adjudge.model.judging import Decision
from adjudge.model.measurement import Outcome, RubricScore


def votes_of(decision: Decision) -> JsonObject:
    """The votes of a decision as JSON for ``details``, without default values."""
    return decision.cast.model_dump(mode="json", exclude_defaults=True)


def outcome_of(decision: Decision) -> Outcome:
    """Convert a decision to an outcome; ``details["votes"]`` contains its votes."""
    details = {"votes": votes_of(decision)}
    if decision.state == "decided" and decision.value is not None:
        return Outcome.scored(decision.value, decision.reasoning, details=details)
    if decision.state == "not_applicable":
        return Outcome.not_applicable(
            decision.reasoning or "the judge finds it not applicable", details=details
        )
    if decision.state == "unsure" and decision.unsure_code is not None:
        return Outcome.unsure(decision.unsure_code, decision.reasoning or "", details=details)
    return Outcome(state="error", reasoning=decision.reasoning, error=decision.error, details=details)


def rubric_score(decision: Decision) -> RubricScore:
    """Convert a decision to the score of a rubric."""
    outcome = outcome_of(decision)
    return RubricScore(
        rubric_id=decision.item_id,
        score=outcome.score,
        rationale=outcome.reasoning,
        state=outcome.state,
        unsure_code=outcome.unsure_code,
        error=outcome.error,
        votes=decision.cast,
    )


def rubric_outcome(decisions: Sequence[Decision]) -> Outcome:
    """The mean over the applicable rubrics; the outcome has a score for each.

    If one of them could not be measured or decided, there is no score, but ``best_possible``: the result is a FAIL if
    even this is below the threshold.
    """
    scores = tuple(rubric_score(decision) for decision in decisions)
    said = "; ".join(f"{item.rubric_id}: {_word(item)}" for item in scores)
    outcome = mean_of([outcome_of(decision) for decision in decisions], said, none="no rubric applies")
    return outcome.model_copy(update={"rubric_scores": scores})


def mean_of(
    parts: Sequence[Outcome], reasoning: str, *, none: str, details: JsonObject | None = None
) -> Outcome:
    """The mean over the applicable parts, with scores from 0 to 1.

    If one of them could not be measured or decided, there is no score, but ``best_possible``: the result is a FAIL if
    even this is below the threshold.

    Args:
        parts: The parts, for instance the rubrics of a turn, or the sentences of an answer.
        reasoning: The reasoning of the mean.
        none: The reasoning if no part applies.
        details: The details of the outcome.
    """
    applying = [part for part in parts if part.state != "not_applicable"]
    if not applying:
        return Outcome.not_applicable(none, details=details)
    if all(part.state == "scored" for part in applying):
        return Outcome.scored(_mean(part.score for part in applying), reasoning, details=details)
    failed = next((part for part in applying if part.state == "error"), None)
    undecided = next(part for part in applying if part.state != "scored")
    return Outcome(
        state="unsure" if failed is None else "error",
        reasoning=reasoning,
        error=None if failed is None else failed.error,
        unsure_code=undecided.unsure_code if failed is None else None,
        details=details or {},
        best_possible=_mean(part.best_possible if part.score is None else part.score for part in applying),
    )


def _mean(scores: Iterable[float | None]) -> float:
    """The mean, with the score 1.0 for unknown parts."""
    known = [1.0 if score is None else score for score in scores]
    return math.fsum(known) / len(known)


def _word(item: RubricScore) -> str:
    if item.score is None:
        return {"unsure": "undecided", "error": "could not be judged"}.get(item.state, "does not apply")
    return {1.0: "yes", 0.0: "no"}.get(item.score, f"{item.score:g}")
