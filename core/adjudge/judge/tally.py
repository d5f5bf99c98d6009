"""Tallies of votes: the decision, and early stopping when the remaining votes cannot change it.

A tally counts votes by their stand: a value, "does not apply", or "cannot tell". Lost votes
do not count, and are not asked for again.
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
    """The stand of a vote without a value. In a tie a value wins, then the lower number here."""

    NOT_APPLICABLE = 1
    ABSTAINED = 2
    """The judge cannot tell."""


NOT_APPLICABLE: Final = Aside.NOT_APPLICABLE
ABSTAINED: Final = Aside.ABSTAINED

Stand: TypeAlias = float | Aside
"""The meaning of a vote: a value, not applicable, or abstained."""

Tally: TypeAlias = Counter[Stand]


def stand_of(choice: Choice) -> Stand:
    """The stand of a choice."""
    if choice.abstains:
        return ABSTAINED
    return NOT_APPLICABLE if choice.value is None else choice.value


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision of a tally."""

    stand: Stand | None
    """``None`` if no vote counts."""
    split: bool = False
    """Whether the share of the stand is below the required one; the decision is then undecided."""

    def same(self, other: Outcome) -> bool:
        """Whether both lead to the same verdict."""
        return self.split == other.split and (self.split or self.stand == other.stand)


@dataclass(frozen=True, slots=True)
class VoteRule:
    """The rule by which votes decide."""

    kind: VoteRuleName
    stands: tuple[Stand, ...]
    """All possible stands of a vote."""
    unsure_below: float | None = None

    def outcome(self, tally: Tally) -> Outcome:
        """The decision of the votes; a tie goes to the lower value, and to a value before other stands.

        Under ``majority_or_unsure`` a decision needs more than half of the votes.
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
        """Whether another stand has as many votes as the leading one."""
        most = [count for _, count in tally.most_common(2)]
        return self.kind != "median" and len(most) == 2 and most[0] == most[1]

    def decided(self, tally: Tally, remaining: int) -> bool:
        """Whether all possible remaining votes, including lost ones, lead to the same verdict.

        It is enough to check the extreme cases, all votes for one stand or all lost: no mixture is worse for the
        leader, better for another stand, or changes a median more.
        """
        now = self.outcome(tally)
        return not remaining or all(
            self.outcome(tally + Counter({stand: remaining})).same(now) for stand in self.stands
        )

    def fewest(self, tally: Tally, remaining: int, missing: int = 0) -> int:
        """The minimum number of further votes that can decide; 0 if the tally is decided, or no votes can decide it.

        Args:
            tally: The votes that were cast.
            remaining: The number of votes that may still be requested.
            missing: The number of requested votes without an answer: they may have had any stand.
        """

        def can_decide(more: int) -> bool:
            return any(
                self.decided(votes, remaining - more + missing) for votes in self._quickest(tally, more)
            )

        if self.decided(tally, remaining + missing) or not can_decide(remaining):
            return 0
        # If a number of votes can decide, every larger number can too, so bisection finds the minimum.
        return 1 + bisect.bisect_left(range(1, remaining), True, key=can_decide)

    def confidence(self, tally: Tally, stand: Stand) -> float:
        """P(more than half of all possible votes are for ``stand`` | tally), from a uniform prior Beta(1, 1).

        With integer parameters the Beta distribution function at 1/2 is a binomial tail.
        """
        trials = tally.total() + 1
        ways = sum(math.comb(trials, wins) for wins in range(tally[stand] + 1))
        return ways / (1 << trials)

    def _quickest(self, tally: Tally, number: int) -> Iterator[Tally]:
        """Tallies with ``number`` more votes, such that if any tally with that many is decided, one of these is.

        All further votes for one stand; evenly for all stands, if no majority decides; or some for one stand and the
        others evenly against it, if too small a share decides.
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
    """The tally with further votes, each for the stand with the fewest; ``ABSTAINED`` last in a tie."""
    rising = sorted(stands, key=lambda stand: tally[stand])
    counts = [tally[stand] for stand in rising]
    # The counts of the stands that get votes end equal, or differ by one.
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
