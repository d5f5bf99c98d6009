"""Votes: what a tally decides, and when the rest of the votes cannot change it.

A tally counts votes by what they stand for: a value, "does not apply", or "cannot tell". Lost votes
count for nothing, and are asked for only once.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from adjudge.model.judging import Choice, VoteRuleName


class Aside(Enum):
    """A vote for no value; of a tie the value wins, then the lower number here."""

    NOT_APPLICABLE = 1
    ABSTAINED = 2
    """It cannot be told."""


NOT_APPLICABLE: Final = Aside.NOT_APPLICABLE
ABSTAINED: Final = Aside.ABSTAINED

Stand: TypeAlias = float | Aside
"""What a vote stands for."""

Tally: TypeAlias = Counter[Stand]


def stand_of(choice: Choice) -> Stand:
    """What a choice stands for."""
    if choice.abstains:
        return ABSTAINED
    return NOT_APPLICABLE if choice.value is None else choice.value


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tally decides."""

    stand: Stand | None
    """``None``: not one vote counts."""
    split: bool = False
    """Whether the stand has a smaller share than was asked for: then it is undecided, whatever the stand."""

    def same(self, other: Outcome) -> bool:
        """Whether both give one verdict."""
        return self.split == other.split and (self.split or self.stand == other.stand)


@dataclass(frozen=True, slots=True)
class VoteRule:
    """How votes decide."""

    kind: VoteRuleName
    stands: tuple[Stand, ...]
    """Everything that a vote may stand for."""
    unsure_below: float | None = None

    def outcome(self, tally: Tally) -> Outcome:
        """What the votes decide; a tie goes to the lower value, and to a value before anything else.

        Under ``majority_or_unsure`` nothing is decided without more than half of the votes.
        """
        total = tally.total()
        if not total:
            return Outcome(None)
        if self.kind == "median":
            values = sorted(stand for stand in tally.elements() if not isinstance(stand, Aside))
            stand: Stand = values[(len(values) - 1) // 2]
        else:
            stand = min(tally, key=lambda stand: (-tally[stand], _tie_order(stand)))
        if self.kind == "majority_or_unsure" and 2 * tally[stand] <= total:
            return Outcome(stand, split=True)
        is_below = self.unsure_below is not None and tally[stand] / total < self.unsure_below
        return Outcome(stand, is_below and stand != ABSTAINED)

    def is_tie(self, tally: Tally) -> bool:
        """Whether another stand has as many votes as the one that holds."""
        most = [count for _, count in tally.most_common(2)]
        return self.kind != "median" and len(most) == 2 and most[0] == most[1]

    def decided(self, tally: Tally, remaining: int) -> bool:
        """Whether every way in which the remaining votes can go, lost ones included, gives one verdict.

        It is enough to look at those where all go one way: no mixture is worse for the leader, better
        for another, or further from the middle, than all votes for one stand or all lost.
        """
        now = self.outcome(tally)
        return not remaining or all(
            self.outcome(tally + Counter({stand: remaining})).same(now) for stand in self.stands
        )

    def fewest(self, tally: Tally, remaining: int, missing: int = 0) -> int:
        """The fewest further votes that can decide; 0 where the tally is decided, or where none can.

        Args:
            tally: The votes that were cast.
            remaining: How many may still be asked for.
            missing: How many cannot be had although they were asked for: they may have gone any way.
        """

        def can_decide(more: int) -> bool:
            return any(
                self.decided(votes, remaining - more + missing) for votes in self._quickest(tally, more)
            )

        if self.decided(tally, remaining + missing) or not can_decide(remaining):
            return 0
        # Whatever decides also does with a further vote, so that halving finds the fewest.
        return 1 + bisect.bisect_left(range(1, remaining), True, key=can_decide)

    def confidence(self, tally: Tally, stand: Stand) -> float:
        """P(more than half of all possible votes are for ``stand`` | tally), from a uniform prior Beta(1, 1).

        With whole numbers the distribution function of Beta at one half is a binomial tail.
        """
        trials = tally.total() + 1
        ways = sum(math.comb(trials, wins) for wins in range(tally[stand] + 1))
        return ways / (1 << trials)

    def _quickest(self, tally: Tally, number: int) -> Iterator[Tally]:
        """Tallies with ``number`` more votes, of which one decides if any does.

        All further votes for one stand; evenly for all, where that leaves no majority; or some for one stand
        and the others evenly against it, where that leaves too small a share.
        """
        for stand in self.stands:
            yield tally + Counter({stand: number})
        if self.kind == "majority_or_unsure":
            yield _added_evenly(tally, self.stands, number)
        if self.unsure_below is not None:
            for stand in self.stands:
                others = [other for other in self.stands if other != stand]
                for agreeing in range(number if others else 0):
                    yield _added_evenly(tally + Counter({stand: agreeing}), others, number - agreeing)


def _added_evenly(tally: Tally, stands: Sequence[Stand], number: int) -> Tally:
    """The tally with further votes, each for the stand that has fewest; ``ABSTAINED`` the last of several."""
    rising = sorted(stands, key=lambda stand: tally[stand])
    counts = [tally[stand] for stand in rising]
    # The stands that get votes end on one level, or one vote apart.
    level, lowest = next(
        found
        for size in range(len(rising), 0, -1)
        if (found := (divmod(number + sum(counts[:size]), size), rising[:size]))[0][0] >= counts[size - 1]
    )
    height, left = level
    lowest.sort(key=lambda stand: stand == ABSTAINED)
    return tally | Counter({stand: height + (at < left) for at, stand in enumerate(lowest)})


def _tie_order(stand: Stand) -> tuple[int, float]:
    return (stand.value, 0.0) if isinstance(stand, Aside) else (0, stand)
