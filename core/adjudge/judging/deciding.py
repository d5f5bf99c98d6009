"""Decisions: what the ballots of one item say, of one model and of a panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from adjudge.judging.polling import Ballot
from adjudge.judging.votes import ABSTAINED, NOT_APPLICABLE, VoteRule, stand_of, tally_of
from adjudge.model.base import JsonObject
from adjudge.model.judging import Choice, Decision, Vote
from adjudge.model.measurement import Failure


def decide(
    item_id: str, ballot: Ballot, choices: Sequence[Choice], rule: VoteRule, flags: tuple[str, ...]
) -> Decision:
    """What the votes of one model say of one item."""
    stands = {choice.label: stand_of(choice) for choice in choices}
    tally = tally_of(stands[vote.label] for vote in ballot.votes if vote.label is not None)
    outcome = rule.outcome(tally)
    common: JsonObject = {
        "item_id": item_id,
        "votes": tuple(ballot.votes),
        "tally": _labels(ballot.votes),
        "flags": flags,
    }
    undecided = ballot.closed and not rule.decided(tally, ballot.remaining)
    if outcome.stand is None or undecided:
        failure = ballot.failure or _unreadable(ballot)
        return Decision(state="error", reasoning=failure.message, error=failure, **common)
    agreeing = [
        vote for vote in ballot.votes if vote.label is not None and stands[vote.label] == outcome.stand
    ]
    label = Counter(vote.label for vote in agreeing).most_common(1)[0][0]
    common |= {
        "label": label,
        "reasoning": _reason(next(vote for vote in agreeing if vote.label == label)),
        "stopped_early": not ballot.closed and ballot.remaining > 0,
        "tie": rule.is_tie(tally),
        "confidence": rule.confidence(tally, outcome.stand),
    }
    if outcome.stand == ABSTAINED:
        return Decision(state="unsure", unsure_code="abstained", **common)
    if outcome.split:
        return Decision(state="unsure", unsure_code="split_votes", **common)
    if outcome.stand == NOT_APPLICABLE:
        return Decision(state="not_applicable", **common)
    return Decision(state="decided", value=outcome.stand, **common)


def panel_decision(decisions: Sequence[Decision], rule: Literal["majority", "all", "any"]) -> Decision:
    """What a panel says of one item: one voice a model, whatever the number of its votes.

    ``majority`` counts the models that decided, a tie going to the lower value. ``all`` gives the lowest
    value and ``any`` the highest; a model that did not decide could have changed that, unless the value
    is already the worst (``all``) or the best (``any``) that a model gave while others are missing.
    """
    if len(decisions) == 1:
        return decisions[0]
    decided = [item for item in decisions if item.state == "decided" and item.value is not None]
    missing = next((item for item in decisions if item.state in ("error", "unsure")), None)
    chosen = _chosen(decided, rule, complete=missing is None)
    if chosen is None:
        chosen = missing or decisions[0]
    agreeing = sum(item.value == chosen.value for item in decided)
    trials = VoteRule("majority", ())
    return chosen.model_copy(
        update={
            "votes": tuple(vote for item in decisions for vote in item.votes),
            "tally": dict(sum((Counter(item.tally) for item in decisions), Counter[str]())),
            "tie": rule == "majority" and 2 * agreeing == len(decided) > 0,
            "stopped_early": any(item.stopped_early for item in decisions),
            "confidence": None
            if chosen.state != "decided"
            else trials.confidence({1.0: agreeing, 0.0: len(decided) - agreeing}, 1.0),
        }
    )


def _chosen(
    decided: Sequence[Decision], rule: Literal["majority", "all", "any"], *, complete: bool
) -> Decision | None:
    if not decided:
        return None
    values = [item.value for item in decided if item.value is not None]
    if rule == "majority":
        counts = Counter(values)
        value = min(counts, key=lambda value: (-counts[value], value))
    else:
        value = min(values) if rule == "all" else max(values)
        # The other models could still have said otherwise.
        if not complete and value == (1.0 if rule == "all" else 0.0):
            return None
    return next(item for item in decided if item.value == value)


def _labels(votes: Sequence[Vote]) -> dict[str, int]:
    return dict(Counter(vote.label or "lost" for vote in votes))


def _reason(vote: Vote) -> str | None:
    return vote.notes.get("rationale") or next(iter(vote.notes.values()), None)


def _unreadable(ballot: Ballot) -> Failure:
    """Why there is no vote although the judge answered."""
    reasons = Counter(vote.lost for vote in ballot.votes if vote.lost is not None).most_common(1)
    said = reasons[0][0] if reasons else "no vote was cast"
    model = ballot.votes[0].model if ballot.votes else None
    refused = said is not None and ("refused" in said or "blocked" in said)
    return Failure(
        code="judge_refused" if refused else "judge_unreadable",
        message=f"no vote of {model} can be used: {said}",
        origin=model,
    )
