"""Decisions: what the ballots of one item say, of one model and of a panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from adjudge.judge.parsing import WITHHELD
from adjudge.judge.tally import ABSTAINED, NOT_APPLICABLE, Stand, VoteRule, stand_of, tally_of
from adjudge.judge.voting import Ballot
from adjudge.model.base import JsonObject
from adjudge.model.evidence import Citation, Failure
from adjudge.model.judging import Choice, Decision, Vote


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
    if outcome.stand is None or not rule.decided(tally, ballot.open):
        failure = ballot.failure or _unreadable(ballot)
        return Decision(state="error", reasoning=failure.message, error=failure, **common)
    agreeing = [
        vote for vote in ballot.votes if vote.label is not None and stands[vote.label] == outcome.stand
    ]
    label = Counter(vote.label for vote in agreeing).most_common(1)[0][0]
    common |= {
        "label": label,
        "reasoning": _reason(next(vote for vote in agreeing if vote.label == label)),
        "citations": _citations(agreeing),
        "stopped_early": not ballot.closed and ballot.asked < ballot.allowed,
        "tie": rule.is_tie(tally),
        "confidence": rule.confidence(tally, outcome.stand),
    }
    if outcome.split:
        return Decision(state="unsure", unsure_code="split_votes", **common)
    if outcome.stand == ABSTAINED:
        return Decision(state="unsure", unsure_code="abstained", **common)
    if outcome.stand == NOT_APPLICABLE:
        return Decision(state="not_applicable", **common)
    return Decision(state="decided", value=outcome.stand, **common)


def panel_decision(
    decisions: Sequence[Decision],
    choices: Sequence[Choice],
    rule: Literal["majority", "all", "any"],
    *,
    needs_majority: bool = False,
) -> Decision:
    """What a panel says of one item: one voice a model, whatever the number of its votes.

    ``majority``: a voice counts as a vote does. A model that cannot tell has a voice, one that could not be
    asked has none, and a tie goes to the lower value. With ``needs_majority`` nothing is decided without more
    than half of the voices. ``all`` gives the lowest value and ``any`` the highest of the models to which the item applies; one that did not decide could
    have changed that, unless the value is already the worst (``all``) or the best (``any``) of the menu.
    """
    if len(decisions) == 1:
        return decisions[0]
    voices = [(stand, item) for item in decisions if (stand := _voice(item)) is not None]
    tally = tally_of(stand for stand, _ in voices)
    chosen = _chosen(voices, choices, rule, complete=all(item.state != "error" for item in decisions))
    if chosen is None:
        chosen = next(item for state in _MISSING for item in decisions if item.state == state)
    counting = VoteRule("majority_or_unsure" if needs_majority else "majority", ())
    is_tie = rule == "majority" and counting.is_tie(tally)
    if rule == "majority" and counting.outcome(tally).split:
        chosen = chosen.model_copy(update={"state": "unsure", "value": None, "unsure_code": "split_votes"})
    return chosen.model_copy(
        update={
            "votes": tuple(vote for item in decisions for vote in item.votes),
            "tally": dict(sum((Counter(item.tally) for item in decisions), Counter[str]())),
            "citations": _citations(item for item in decisions if item.value == chosen.value),
            "tie": is_tie,
            "stopped_early": any(item.stopped_early for item in decisions),
            "confidence": None if chosen.value is None else counting.confidence(tally, chosen.value),
        }
    )


_MISSING: Final = ("error", "unsure")
"""Of two models that did not decide, the one that could not be asked is the reason: asking it may help."""


def _voice(decision: Decision) -> Stand | None:
    match decision.state:
        case "decided":
            return decision.value
        case "not_applicable":
            return NOT_APPLICABLE
        case "unsure":
            return ABSTAINED
        case "error":
            return None


def _chosen(
    voices: Sequence[tuple[Stand, Decision]],
    choices: Sequence[Choice],
    rule: Literal["majority", "all", "any"],
    *,
    complete: bool,
) -> Decision | None:
    """The decision that holds; ``None`` where the models that did not decide could change it."""
    if rule == "majority":
        stand = VoteRule("majority", ()).outcome(tally_of(stand for stand, _ in voices)).stand
    else:
        pick = min if rule == "all" else max
        values = [item.value for _, item in voices if item.value is not None]
        menu = [choice.value for choice in choices if choice.value is not None]
        is_final = bool(values) and pick(values) == pick(menu)
        if not is_final and not (complete and all(stand != ABSTAINED for stand, _ in voices)):
            return None
        stand = pick(values) if values else NOT_APPLICABLE
    return next((item for found, item in voices if found == stand), None)


def _labels(votes: Sequence[Vote]) -> dict[str, int]:
    return dict(Counter(vote.label or "lost" for vote in votes))


def _citations(cited: Iterable[Vote | Decision]) -> tuple[Citation, ...]:
    """Every place once."""
    return tuple(dict.fromkeys(citation for item in cited for citation in item.citations))


def _reason(vote: Vote) -> str | None:
    return vote.notes.get("rationale") or next(iter(vote.notes.values()), None)


def _unreadable(ballot: Ballot) -> Failure:
    """Why there is no vote although the judge answered."""
    reasons = Counter(vote.lost for vote in ballot.votes if vote.lost is not None).most_common(1)
    said = reasons[0][0] if reasons else "no vote was cast"
    model = ballot.votes[0].model if ballot.votes else None
    return Failure(
        code="judge_refused" if said in WITHHELD.values() else "judge_unreadable",
        message=f"no vote of {model} can be used: {said}",
        origin=model,
    )
