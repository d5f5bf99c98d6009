"""Polling: the votes of one model on one question, as they come in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from adjudge.extension.judge_protocols import CitationCheck
from adjudge.judge.citations import holding
from adjudge.judge.parsing import ReadItem
from adjudge.judge.tally import Tally, VoteRule, stand_of, tally_of
from adjudge.model.evidence import Failure
from adjudge.model.judging import Question, Vote


@dataclass(slots=True)
class Ballot:
    """The votes of one model on one item."""

    allowed: int
    votes: list[Vote] = field(default_factory=list[Vote])
    asked: int = 0
    missing: int = 0
    """Votes that were asked for and could not be had. Unlike a lost one, which the judge has wasted, such
    a vote may still come: what it could change is not decided without it."""
    failure: Failure | None = None
    """Why the last of them could not be had."""
    closed: bool = False
    """Whether no further vote can be had."""

    @property
    def open(self) -> int:
        """Votes that nobody knows yet: not asked for, or missing."""
        return self.allowed - self.asked + self.missing


class Poll:
    """The ballots of one model on the items of one question. Votes count in the order of their samples."""

    def __init__(
        self, question: Question, model: str, rule: VoteRule, allowed: int, check: CitationCheck | None = None
    ) -> None:
        """Ask ``model`` for at most ``allowed`` votes on every item."""
        self.ballots = [Ballot(allowed) for _ in question.items]
        self.asked = 0
        self._allowed = allowed
        self._model = model
        self._rule = rule
        self._check = check
        self._stands = {choice.label: stand_of(choice) for choice in question.choices}

    def wanted(self) -> int:
        """How many votes to ask for next: the fewest that can decide every item that is open."""
        remaining = self._allowed - self.asked
        tallies = {
            (frozenset(tally.items()), ballot.missing): tally
            for ballot in self.ballots
            if not ballot.closed
            for tally in (self._tally(ballot),)
        }
        # Items that stand alike, as all do at the beginning, are looked at once: many votes take a while.
        return max(
            (self._rule.fewest(tally, remaining, missing) for (_, missing), tally in tallies.items()),
            default=0,
        )

    def add(self, votes: Sequence[Sequence[ReadItem | Failure]]) -> None:
        """Count the next votes; each says something of every item, or why it says nothing."""
        for vote in votes:
            for ballot, said in zip(self.ballots, vote, strict=True):
                ballot.asked += 1
                if isinstance(said, Failure):
                    self._failed(ballot, said)
                else:
                    held, dropped = holding(said, self._check)
                    ballot.votes.append(
                        Vote(
                            model=self._model,
                            sample=self.asked,
                            label=held.label,
                            notes=dict(held.notes),
                            citations=held.citations,
                            dropped_citations=dropped,
                            lost=held.lost_because,
                        )
                    )
            self.asked += 1

    def unanimities(self) -> Iterator[bool]:
        """For every item with two votes or more, whether they all agree."""
        for ballot in self.ballots:
            labels = [vote.label for vote in ballot.votes if vote.label is not None]
            if len(labels) > 1:
                yield len(set(labels)) == 1

    def _failed(self, ballot: Ballot, failure: Failure) -> None:
        ballot.failure = failure
        ballot.missing += 1
        if failure.code in _CLOSING:
            ballot.closed = True
        else:
            ballot.votes.append(Vote(model=self._model, sample=self.asked, lost=failure.message))

    def _tally(self, ballot: Ballot) -> Tally:
        return tally_of(self._stands[vote.label] for vote in ballot.votes if vote.label is not None)


_CLOSING = frozenset(
    {
        "judge_budget",
        "judge_context_too_long",
        "judge_schema_rejected",
        "judge_bad_request",
        "judge_raised",
        "judge_unavailable",
    }
)
"""Failures that every further vote on the same question would meet."""
