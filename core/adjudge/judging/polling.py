"""Polling: the votes of one model on one question, as they come in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from adjudge.judging.replies import ReadItem
from adjudge.judging.votes import Tally, VoteRule, stand_of, tally_of
from adjudge.model.judging import Question, Vote
from adjudge.model.measurement import Failure


@dataclass(slots=True)
class Ballot:
    """The votes of one model on one item."""

    allowed: int
    votes: list[Vote] = field(default_factory=list[Vote])
    failure: Failure | None = None
    """Why the last vote that failed as a whole did."""
    closed: bool = False
    """Whether no further vote can be had: the rest is neither cast nor lost."""

    @property
    def remaining(self) -> int:
        """Votes that are still allowed."""
        return self.allowed - len(self.votes)


class Poll:
    """The ballots of one model on the items of one question. Votes count in the order of their samples."""

    def __init__(self, question: Question, model: str, rule: VoteRule, allowed: int) -> None:
        """Ask ``model`` for at most ``allowed`` votes on every item."""
        self.ballots = [Ballot(allowed) for _ in question.items]
        self.asked = 0
        self._allowed = allowed
        self._model = model
        self._rule = rule
        self._stands = {choice.label: stand_of(choice) for choice in question.choices}

    def wanted(self) -> int:
        """How many votes to ask for next: the fewest that can decide every item that is open."""
        remaining = self._allowed - self.asked
        return max(
            0 if ballot.closed else self._rule.fewest(self._tally(ballot), remaining)
            for ballot in self.ballots
        )

    def add(self, votes: Sequence[tuple[ReadItem, ...] | Failure]) -> None:
        """Count the next votes."""
        for vote in votes:
            for position, ballot in enumerate(self.ballots):
                if isinstance(vote, Failure):
                    self._failed(ballot, vote)
                else:
                    item = vote[position]
                    ballot.votes.append(
                        Vote(
                            model=self._model,
                            sample=self.asked,
                            label=item.label,
                            notes=dict(item.notes),
                            lost=item.lost,
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
        if failure.code in _CLOSING:
            ballot.closed = True
            return
        ballot.votes.append(Vote(model=self._model, sample=self.asked, lost=failure.message))

    def _tally(self, ballot: Ballot) -> Tally:
        return tally_of(self._stands[vote.label] for vote in ballot.votes if vote.label is not None)


_CLOSING = frozenset(
    {
        "judge_budget",
        "judge_context_too_long",
        "judge_schema_rejected",
        "judge_bad_request",
        "judge_not_recorded",
        "judge_raised",
    }
)
"""Failures that every further vote on the same question would meet."""
