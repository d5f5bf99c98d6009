"""Voting: combines the votes of one model, and the decisions of the models of a panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from adjudge.judge.failure_classes import OF_ONE_REQUEST
from adjudge.judge.parsing import WITHHELD
from adjudge.judge.tally import ABSTAINED, NOT_APPLICABLE, Stand, Tally, VoteRule, stand_of
from adjudge.model.base import JsonObject
from adjudge.model.evidence import Citation, Failure
from adjudge.model.judging import Choice, Decision, Question, Vote

_CLOSING: Final = frozenset(f"judge_{code}" for code in ("budget", "raised", "unavailable", *OF_ONE_REQUEST))
"""Codes of failures that would repeat for every further vote on the same question."""


@dataclass(slots=True)
class Ballot:
    """The votes of one model on one item, in the order of their samples."""

    model: str
    allowed: int
    """The maximum number of votes."""
    rule: VoteRule
    stands: Mapping[str, Stand]
    """The stand of each label."""
    votes: list[Vote] = field(default_factory=list[Vote])
    tally: Tally = field(default_factory=Counter[Stand])
    asked: int = 0
    missing: int = 0
    """The number of requested votes without an answer. Unlike a lost vote, whose answer was unusable, such a vote may
    still be cast later, so a decision that it could change is not made."""
    failure: Failure | None = None
    """The failure of the last vote without an answer."""
    closed: bool = False
    """Whether no further votes are possible."""

    def add(self, vote: Vote | Failure) -> None:
        """Count the next vote or failure."""
        sample = self.asked
        self.asked += 1
        if isinstance(vote, Failure):
            self.failure = vote
            self.missing += 1
            if vote.code in _CLOSING:
                self.closed = True
                return
            vote = Vote(model=self.model, sample=sample, lost=vote.message)
        self.votes.append(vote)
        if vote.label is not None:
            self.tally[self.stands[vote.label]] += 1

    @property
    def unanimous(self) -> bool | None:
        """Whether all votes agree; ``None`` if there are fewer than two."""
        labels = [vote.label for vote in self.votes if vote.label is not None]
        return len(set(labels)) == 1 if len(labels) > 1 else None

    def decision(self, item_id: str, flags: tuple[str, ...]) -> Decision:
        """The decision of the votes on the item."""
        outcome = self.rule.outcome(self.tally)
        common: JsonObject = {
            "item_id": item_id,
            "votes": tuple(self.votes),
            "tally": dict(Counter(vote.label or "lost" for vote in self.votes)),
            "flags": flags,
        }
        unknown = self.allowed - self.asked + self.missing
        if outcome.stand is None or not self.rule.decided(self.tally, unknown):
            failure = self.failure or self._unreadable()
            return Decision(state="error", reasoning=failure.message, error=failure, **common)
        agreeing = [
            vote for vote in self.votes if vote.label is not None and self.stands[vote.label] == outcome.stand
        ]
        label = Counter(vote.label for vote in agreeing).most_common(1)[0][0]
        notes = next(vote.notes for vote in agreeing if vote.label == label)
        common |= {
            "label": label,
            "reasoning": notes.get("rationale") or next(iter(notes.values()), None),
            "citations": _citations(agreeing),
            "stopped_early": not self.closed and self.asked < self.allowed,
            "tie": self.rule.is_tie(self.tally),
            "confidence": self.rule.confidence(self.tally, outcome.stand),
        }
        if outcome.split:
            return Decision(state="unsure", unsure_code="split_votes", **common)
        if outcome.stand == ABSTAINED:
            return Decision(state="unsure", unsure_code="abstained", **common)
        if outcome.stand == NOT_APPLICABLE:
            return Decision(state="not_applicable", **common)
        return Decision(state="decided", value=outcome.stand, **common)

    def _unreadable(self) -> Failure:
        """The failure if all answers of the judge were unusable."""
        lost = [vote.lost for vote in self.votes if vote.lost is not None]
        reason = Counter(lost).most_common(1)[0][0] if lost else "no vote was cast"
        return Failure(
            code="judge_refused" if reason in WITHHELD.values() else "judge_unreadable",
            message=f"no vote of {self.model} can be used: {reason}",
            origin=self.model,
        )


def ballots_on(question: Question, model: str, allowed: int, unsure_below: float | None) -> list[Ballot]:
    """Create an empty ballot of one model for every item of a question.

    Args:
        question: The question, with its choices and voting rule.
        model: The voting model, as ``provider/model``.
        allowed: The maximum number of votes.
        unsure_below: The share of the votes below which the item is undecided.
    """
    stands = {choice.label: stand_of(choice) for choice in question.choices}
    rule = VoteRule(question.rule, tuple(dict.fromkeys(stands.values())), unsure_below)
    return [Ballot(model, allowed, rule, stands) for _ in question.items]


def votes_wanted(ballots: Sequence[Ballot]) -> dict[int, int]:
    """The number of votes that each open ballot needs next, by position: the minimum that can decide it."""
    # Compute this once for items with equal tallies: it is slow for many votes.
    known: dict[object, int] = {}
    wanted: dict[int, int] = {}
    for at, each in enumerate(ballots):
        if each.closed:
            continue
        stand = (frozenset(each.tally.items()), each.missing, each.asked)
        if stand not in known:
            known[stand] = each.rule.fewest(each.tally, each.allowed - each.asked, each.missing)
        if known[stand]:
            wanted[at] = known[stand]
    return wanted


def panel_decision(
    decisions: Sequence[Decision],
    choices: Sequence[Choice],
    rule: Literal["majority", "all", "any"],
    *,
    needs_majority: bool = False,
) -> Decision:
    """The decision of a panel on one item: each model has one vote, whatever the number of its samples.

    ``majority``: the models' decisions are counted like votes. A model that cannot tell has a vote, a model that
    could not be called has none, and a tie goes to the lower value. With ``needs_majority`` a decision needs more
    than half of the votes. ``all``: the lowest value of the models to which the item applies; ``any``: the highest.
    With these, an undecided model makes the panel undecided, unless the value is already the worst (``all``) or the
    best (``any``) possible.
    """
    if len(decisions) == 1:
        return decisions[0]
    voices = [(stand, item) for item in decisions if (stand := _voice(item)) is not None]
    tally = Counter(stand for stand, _ in voices)
    counting = VoteRule("majority_or_unsure" if needs_majority else "majority", ())
    counted = counting.outcome(tally)
    stand = counted.stand if rule == "majority" else _extreme(decisions, choices, rule)
    chosen = next((item for voice, item in voices if voice == stand), None)
    if chosen is None:
        # Report an error before an undecided model: a retry may help.
        chosen = next(item for state in _OPEN for item in decisions if item.state == state)
    if rule == "majority" and counted.split:
        chosen = chosen.model_copy(update={"state": "unsure", "value": None, "unsure_code": "split_votes"})
    return chosen.model_copy(
        update={
            "votes": tuple(vote for item in decisions for vote in item.votes),
            "tally": dict(sum((Counter(item.tally) for item in decisions), Counter[str]())),
            "citations": _citations(item for item in decisions if item.value == chosen.value),
            "tie": rule == "majority" and counting.is_tie(tally),
            "stopped_early": any(item.stopped_early for item in decisions),
            "confidence": None if chosen.value is None else counting.confidence(tally, chosen.value),
        }
    )


_OPEN: Final = ("error", "unsure")


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


def _extreme(
    decisions: Sequence[Decision], choices: Sequence[Choice], rule: Literal["all", "any"]
) -> Stand | None:
    """The worst or the best value; ``None`` if undecided models could change it."""
    pick = min if rule == "all" else max
    values = [item.value for item in decisions if item.value is not None]
    is_final = bool(values) and pick(values) == pick(
        choice.value for choice in choices if choice.value is not None
    )
    if not is_final and any(item.state in _OPEN for item in decisions):
        return None
    return pick(values) if values else NOT_APPLICABLE


def _citations(cited: Iterable[Vote | Decision]) -> tuple[Citation, ...]:
    """All citations, each once."""
    return tuple(dict.fromkeys(citation for item in cited for citation in item.citations))
