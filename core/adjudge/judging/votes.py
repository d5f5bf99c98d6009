"""Votes: what a tally decides, and when the rest of the votes cannot change it.

A tally counts votes by what they stand for: a value, "does not apply", or "cannot tell". Lost votes
count for nothing, and are asked for only once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from adjudge.model.judging import Choice

ABSTAINED: Final = "abstained"
NOT_APPLICABLE: Final = "not_applicable"

Stand: TypeAlias = "float | Literal['abstained', 'not_applicable']"
"""What a vote stands for."""

Tally: TypeAlias = Mapping[Stand, int]


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
    """Whether the stand has a smaller share than was asked for."""


@dataclass(frozen=True, slots=True)
class VoteRule:
    """How votes decide."""

    kind: Literal["majority", "median"]
    stands: tuple[Stand, ...]
    """Everything that a vote may stand for."""
    unsure_below: float | None = None

    def outcome(self, tally: Tally) -> Outcome:
        """What the votes decide; a tie goes to the lower value, and to a value before anything else."""
        total = sum(tally.values())
        if not total:
            return Outcome(None)
        if self.kind == "median":
            return Outcome(self._median(tally))
        leader = self._leader(tally)
        return Outcome(leader, self.unsure_below is not None and tally[leader] / total < self.unsure_below)

    def is_tie(self, tally: Tally) -> bool:
        """Whether another stand has as many votes as the one that holds."""
        if self.kind == "median" or not any(tally.values()):
            return False
        most = max(tally.values())
        return sum(count == most for count in tally.values()) > 1

    def decided(self, tally: Tally, remaining: int) -> bool:
        """Whether every way in which the remaining votes can go, lost ones included, gives one outcome.

        It is enough to look at those where all go one way: no mixture is worse for the leader, better
        for another, or further from the middle, than all votes for one stand or all lost.
        """
        now = self.outcome(tally)
        return not remaining or all(
            self.outcome(added(tally, stand, remaining)) == now for stand in self.stands
        )

    def fewest(self, tally: Tally, remaining: int) -> int:
        """The fewest further votes that can decide; 0 where the tally is decided."""
        if self.decided(tally, remaining):
            return 0
        for more in range(1, remaining):
            if any(self.decided(added(tally, stand, more), remaining - more) for stand in self.stands):
                return more
        return remaining

    def confidence(self, tally: Tally, stand: Stand) -> float:
        """P(more than half of all possible votes are for ``stand`` | tally), from a uniform prior Beta(1, 1).

        With whole numbers the distribution function of Beta at one half is a binomial tail.
        """
        agree = tally.get(stand, 0)
        trials = sum(tally.values()) + 1
        ways = sum(math.comb(trials, wins) for wins in range(agree + 1))
        return ways / (1 << trials)

    def _leader(self, tally: Tally) -> Stand:
        return min(
            (stand for stand in tally if tally[stand]), key=lambda stand: (-tally[stand], _tie_order(stand))
        )

    @staticmethod
    def _median(tally: Tally) -> Stand:
        values = sorted(float(stand) for stand, count in tally.items() for _ in range(count))
        return values[(len(values) - 1) // 2]


def added(tally: Tally, stand: Stand, count: int) -> Tally:
    """The tally with ``count`` votes more for ``stand``."""
    more: Counter[Stand] = Counter(dict(tally))
    more[stand] += count
    return more


def tally_of(stands: Iterable[Stand]) -> Tally:
    """How many votes stand for what."""
    return Counter(stands)


def rule_for(
    choices: Sequence[Choice], kind: Literal["majority", "median"], unsure_below: float | None
) -> VoteRule:
    """The rule for a menu."""
    return VoteRule(kind, tuple(dict.fromkeys(map(stand_of, choices))), unsure_below)


def _tie_order(stand: Stand) -> tuple[int, float]:
    if isinstance(stand, str):
        return (1, 0.0) if stand == NOT_APPLICABLE else (2, 0.0)
    return (0, stand)
