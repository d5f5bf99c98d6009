"""How many calls are right: precision, recall, F1, the use of one tool, and edit similarity."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching.alignment import Alignment, Link, counted
from adjudge.kit.matching.assignment import maximum_weight
from adjudge.kit.matching.calls import Call, Key, key_of
from adjudge.kit.matching.comparison import Arguments, Comparison
from adjudge.kit.matching.relation import best_chain, best_pairs
from adjudge.model.base import JsonObject


class Overlap(Alignment):
    """The calls that two lists share, in any order, paired so that their credits have the largest sum.

    A pair that matches has credit 1. With ``partial_credit`` a pair of one tool whose arguments differ
    has the share of arguments that are right (``RuleMatcher.credit``), else 0.
    """

    def __init__(
        self,
        expected: Sequence[Call],
        actual: Sequence[Call],
        comparison: Comparison,
        *,
        partial_credit: bool = False,
    ) -> None:
        super().__init__(expected, actual, comparison)
        self._partial = partial_credit

    def _solve(self) -> list[Link]:
        wanted, given = self._keys
        if self._partial and not self._comparison.names_only:
            return self._weighted(wanted, given)
        chosen = best_pairs(wanted, given, self._comparison.same)
        return [(row, column, 1.0) for row, column in enumerate(chosen) if column is not None]

    def _weighted(self, wanted: list[Key], given: list[Key]) -> list[Link]:
        links: list[Link] = []
        # Calls of different tools have no credit: every tool is a problem of its own, and a smaller one.
        for name in dict.fromkeys(key[0] for key in wanted):
            rows = [row for row, key in enumerate(wanted) if key[0] == name]
            columns = [column for column, key in enumerate(given) if key[0] == name]
            shares = [
                [self._comparison.credit(wanted[row], given[column]) for column in columns] for row in rows
            ]
            for at, to in enumerate(maximum_weight(shares)):
                if to is not None:
                    links.append((rows[at], columns[to], shares[at][to]))
        return sorted(links)

    @property
    def credit(self) -> float:
        """The sum of all credits."""
        return sum(credit for _, _, credit in self.links)

    @property
    def precision(self) -> float:
        """Credit over actual calls. No actual call: 1.0 where none was expected, else 0.0."""
        if not self._actual:
            return 0.0 if self._expected else 1.0
        return self.credit / len(self._actual)

    @property
    def recall(self) -> float:
        """Credit over expected calls; 1.0 where none was expected."""
        return self.credit / len(self._expected) if self._expected else 1.0

    @property
    def f1(self) -> float:
        """``2 * credit / (expected + actual)``, the harmonic mean of both; 1.0 where both lists are empty."""
        total = len(self._expected) + len(self._actual)
        return 2 * self.credit / total if total else 1.0

    def reason(self) -> str:
        """The result in one sentence."""
        made = counted(len(self._actual), "call")
        lead = f"{len(self.pairs)} of {counted(len(self._expected), 'expected call')} matched, {made} made"
        wrong = self.problems()
        return f"{lead}; {wrong}." if wrong else f"{lead}."


class Edits(Alignment):
    """The cheapest way to turn the expected calls into the actual ones.

    Removing a call costs 1, adding one costs 1, replacing one costs ``1 - credit``: 0 for a call that
    matches, 1 for any other, and with ``partial_credit`` the share of wrong arguments for a call of the
    same tool.
    """

    def __init__(
        self,
        expected: Sequence[Call],
        actual: Sequence[Call],
        comparison: Comparison,
        *,
        partial_credit: bool = False,
    ) -> None:
        super().__init__(expected, actual, comparison)
        self._partial = partial_credit

    _chain: list[Link] | None = None

    def _paired(self) -> list[Link]:
        if self._chain is None:
            wanted, given = self._keys
            credit = self._comparison.credit if self._partial else self._comparison.same
            shares = [[float(credit(key, other)) for other in given] for key in wanted]
            # A pair saves one removal and one addition and costs 1 - credit.
            chain = best_chain(len(wanted), len(given), lambda row, column: 1 + shares[row][column])
            self._chain = [(row, column, shares[row][column]) for row, column in chain]
        return self._chain

    def _solve(self) -> list[Link]:
        return [link for link in self._paired() if link[2]]

    @property
    def distance(self) -> float:
        """The cost, from 0.0 to the length of the longer list."""
        chain = self._paired()
        alone = len(self._expected) + len(self._actual) - 2 * len(chain)
        return alone + sum(1 - credit for _, _, credit in chain)

    @property
    def similarity(self) -> float:
        """``1 - distance / length of the longer list``; 1.0 where both are empty."""
        longer = max(len(self._expected), len(self._actual))
        # Shares of arguments are rounded: the last bit could fall below zero.
        return max(0.0, 1 - self.distance / longer) if longer else 1.0

    def details(self) -> JsonObject:
        """The diff as an outcome's ``details`` hold it, with the distance."""
        return {"distance": self.distance, **super().details()}

    def reason(self) -> str:
        """The result in one sentence."""
        wrong = self.problems()
        lead = f"Edit distance {self.distance:g}"
        return f"{lead}; {wrong}." if wrong else f"{lead}."


def precision(
    expected: Sequence[Call],
    actual: Sequence[Call],
    arguments: Arguments = None,
    *,
    ignore_args: bool = False,
) -> float:
    """The share of the agent's calls that were expected (seed 001), from 0.0 to 1.0.

    Matched calls, in any order and by an optimal assignment, over actual calls. Where the agent made no
    call: 1.0 if none was expected, else 0.0. Arguments as for ``match``.
    """
    return Overlap(expected, actual, Comparison.of(arguments, ignore_args=ignore_args)).precision


def recall(
    expected: Sequence[Call],
    actual: Sequence[Call],
    arguments: Arguments = None,
    *,
    ignore_args: bool = False,
) -> float:
    """The share of the expected calls that the agent made (seed 001), from 0.0 to 1.0.

    Matched calls, in any order and by an optimal assignment, over expected calls; 1.0 where none was
    expected. Arguments as for ``match``.
    """
    return Overlap(expected, actual, Comparison.of(arguments, ignore_args=ignore_args)).recall


def f1(
    expected: Sequence[Call],
    actual: Sequence[Call],
    arguments: Arguments = None,
    *,
    ignore_args: bool = False,
    partial_credit: bool = False,
) -> float:
    """The harmonic mean of precision and recall: ``2 * matched / (expected + actual)``, from 0.0 to 1.0.

    1.0 where both lists are empty, 0.0 where one is. With ``partial_credit`` a call of the right tool counts
    by the share of arguments that are right, in the assignment with the largest sum. Arguments as for ``match``.
    """
    comparison = Comparison.of(arguments, ignore_args=ignore_args)
    return Overlap(expected, actual, comparison, partial_credit=partial_credit).f1


def edit_similarity(
    expected: Sequence[Call],
    actual: Sequence[Call],
    arguments: Arguments = None,
    *,
    ignore_args: bool = False,
    partial_credit: bool = False,
) -> float:
    """``1 - edit distance / length of the longer list``, from 0.0 to 1.0; 1.0 where both are empty.

    The distance is Levenshtein's on calls. With ``partial_credit`` replacing a call by one of the same tool
    costs the share of arguments that are wrong. Arguments as for ``match``.
    """
    comparison = Comparison.of(arguments, ignore_args=ignore_args)
    return Edits(expected, actual, comparison, partial_credit=partial_credit).similarity


def single_tool_use(actual: Sequence[Call], tool_name: str) -> float:
    """1.0 where the agent called the tool at least once, else 0.0 (seed 001)."""
    return float(any(key_of(call)[0] == tool_name for call in actual))
