"""Measures of matched calls: precision, recall, F1, use of one tool, and edit similarity."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching.alignment import Alignment, Link, counted
from adjudge.kit.matching.assignment import maximum_weight
from adjudge.kit.matching.calls import Call, Key, key_of
from adjudge.kit.matching.comparison import Arguments, Comparison
from adjudge.kit.matching.relation import best_chain, best_pairs
from adjudge.model.base import JsonObject


class Overlap(Alignment):
    """The pairs of calls, in any order, with the largest total credit.

    A matching pair has credit 1. With ``partial_credit`` a pair of the same tool with different arguments has the
    share of arguments that are right (``RuleMatcher.credit``); otherwise 0.
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
        # Calls of different tools have no credit, so each tool is a separate, smaller assignment problem.
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
        """Credit divided by the number of actual calls; without actual calls 1.0 if none was expected, else 0.0."""
        if not self._actual:
            return 0.0 if self._expected else 1.0
        return self.credit / len(self._actual)

    @property
    def recall(self) -> float:
        """Credit divided by the number of expected calls; 1.0 if none was expected."""
        return self.credit / len(self._expected) if self._expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: ``2 * credit / (expected + actual)``; 1.0 for two empty lists."""
        total = len(self._expected) + len(self._actual)
        return 2 * self.credit / total if total else 1.0

    def reason(self) -> str:
        """The result in one sentence."""
        made = counted(len(self._actual), "call")
        lead = f"{len(self.pairs)} of {counted(len(self._expected), 'expected call')} matched, {made} made"
        wrong = self.problems()
        return f"{lead}; {wrong}." if wrong else f"{lead}."


class Edits(Alignment):
    """The Levenshtein distance between the expected and the actual calls.

    Removing or adding a call costs 1. Replacing a call costs ``1 - credit``: 0 for a matching call, else 1; with
    ``partial_credit`` the share of wrong arguments for a call of the same tool.
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
            # A pair saves a removal and an addition, and costs 1 - credit: the gain is 1 + credit.
            chain = best_chain(len(wanted), len(given), lambda row, column: 1 + shares[row][column])
            self._chain = [(row, column, shares[row][column]) for row, column in chain]
        return self._chain

    def _solve(self) -> list[Link]:
        return [link for link in self._paired() if link[2]]

    @property
    def distance(self) -> float:
        """The total cost, from 0.0 to the length of the longer list."""
        chain = self._paired()
        alone = len(self._expected) + len(self._actual) - 2 * len(chain)
        return alone + sum(1 - credit for _, _, credit in chain)

    @property
    def similarity(self) -> float:
        """``1 - distance / length of the longer list``; 1.0 if both lists are empty."""
        longer = max(len(self._expected), len(self._actual))
        # Rounding errors could make the result slightly negative.
        return max(0.0, 1 - self.distance / longer) if longer else 1.0

    def details(self) -> JsonObject:
        """The ``details`` of an outcome, with the distance."""
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
    """Precision: the share of the actual calls that were expected (seed 001), from 0.0 to 1.0.

    It is the number of matched calls (in any order, by an optimal assignment) divided by the number of actual calls. If
    there are no actual calls, it is 1.0 if none was expected, else 0.0. The arguments are those of ``match``.
    """
    return Overlap(expected, actual, Comparison.of(arguments, ignore_args=ignore_args)).precision


def recall(
    expected: Sequence[Call],
    actual: Sequence[Call],
    arguments: Arguments = None,
    *,
    ignore_args: bool = False,
) -> float:
    """Recall: the share of the expected calls that the agent made (seed 001), from 0.0 to 1.0.

    It is the number of matched calls (in any order, by an optimal assignment) divided by the number of expected calls;
    1.0 if none was expected. The arguments are those of ``match``.
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
    """F1, the harmonic mean of precision and recall: ``2 * matched / (expected + actual)``, from 0.0 to 1.0.

    It is 1.0 if both lists are empty, and 0.0 if only one is. With ``partial_credit`` a call of the right tool counts
    with the share of arguments that are right, in the assignment with the largest sum. The other arguments are those of
    ``match``.
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
    """Edit similarity: ``1 - edit distance / length of the longer list``, from 0.0 to 1.0; 1.0 for two empty lists.

    It is the Levenshtein distance between lists of calls. With ``partial_credit``, replacing a call by one of the same
    tool costs the share of arguments that are wrong. The other arguments are those of ``match``.
    """
    comparison = Comparison.of(arguments, ignore_args=ignore_args)
    return Edits(expected, actual, comparison, partial_credit=partial_credit).similarity


def single_tool_use(actual: Sequence[Call], tool_name: str) -> float:
    """1.0 if the agent called the tool at least once, else 0.0 (seed 001)."""
    return float(any(key_of(call)[0] == tool_name for call in actual))
