"""Voting: what the votes of one model say of an item, and what a panel of models says of it."""

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
"""Failures that every further vote on the same question would meet."""


@dataclass(slots=True)
class Ballot:
    """The votes of one model on one item, in the order of their samples."""

    model: str
    allowed: int
    """How many votes may be asked for."""
    rule: VoteRule
    stands: Mapping[str, Stand]
    """What each label stands for."""
    votes: list[Vote] = field(default_factory=list[Vote])
    tally: Tally = field(default_factory=Counter[Stand])
    asked: int = 0
    missing: int = 0
    """Votes that were asked for and could not be had. Unlike a lost one, which the judge has wasted, such
    a vote may still come: what it could change is not decided without it."""
    failure: Failure | None = None
    """Why the last of them could not be had."""
    closed: bool = False
    """Whether no further vote can be had."""

    def add(self, vote: Vote | Failure) -> None:
        """Count the next vote, or why there is none."""
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
        """Whether the votes, two or more, all agree; ``None`` where there are fewer."""
        labels = [vote.label for vote in self.votes if vote.label is not None]
        return len(set(labels)) == 1 if len(labels) > 1 else None

    def decision(self, item_id: str, flags: tuple[str, ...]) -> Decision:
        """What the votes say of the item."""
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
        """Why there is no vote although the judge answered."""
        lost = [vote.lost for vote in self.votes if vote.lost is not None]
        reason = Counter(lost).most_common(1)[0][0] if lost else "no vote was cast"
        return Failure(
            code="judge_refused" if reason in WITHHELD.values() else "judge_unreadable",
            message=f"no vote of {self.model} can be used: {reason}",
            origin=self.model,
        )


def ballots_on(question: Question, model: str, allowed: int, unsure_below: float | None) -> list[Ballot]:
    """An empty ballot of one model for every item of a question.

    Args:
        question: With the menu and the rule.
        model: Who votes, as ``provider/model``.
        allowed: How many votes may be asked for.
        unsure_below: The share of the votes below which nothing is decided.
    """
    stands = {choice.label: stand_of(choice) for choice in question.choices}
    rule = VoteRule(question.rule, tuple(dict.fromkeys(stands.values())), unsure_below)
    return [Ballot(model, allowed, rule, stands) for _ in question.items]


def votes_wanted(ballots: Sequence[Ballot]) -> dict[int, int]:
    """How many votes each ballot that is open, by its position, needs next: the fewest that can decide it."""
    # Items that stand alike, as all do at the beginning, are looked at once: many votes take a while.
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
    """What a panel says of one item: one voice a model, whatever the number of its votes.

    ``majority``: a voice counts as a vote does. A model that cannot tell has a voice, one that could not be
    asked has none, and a tie goes to the lower value. With ``needs_majority`` nothing is decided without more
    than half of the voices. ``all`` gives the lowest value and ``any`` the highest of the models to which the item
    applies; one that did not decide could have changed that, unless the value is already the worst (``all``) or
    the best (``any``) of the menu.
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
        # Of two models that did not decide, the one that could not be asked is the reason: asking it may help.
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
    """The worst or the best value; ``None`` where the models that did not decide could change it."""
    pick = min if rule == "all" else max
    values = [item.value for item in decisions if item.value is not None]
    is_final = bool(values) and pick(values) == pick(
        choice.value for choice in choices if choice.value is not None
    )
    if not is_final and any(item.state in _OPEN for item in decisions):
        return None
    return pick(values) if values else NOT_APPLICABLE


def _citations(cited: Iterable[Vote | Decision]) -> tuple[Citation, ...]:
    """Every place once."""
    return tuple(dict.fromkeys(citation for item in cited for citation in item.citations))
