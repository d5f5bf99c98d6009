"""The three match types of seed 004, as one function."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import equality
from adjudge.kit.matching.alignment import Alignment, Link, counted
from adjudge.kit.matching.calls import Call
from adjudge.kit.matching.comparison import Arguments, Comparison
from adjudge.kit.matching.options import MatchType
from adjudge.kit.matching.relation import BY_RELATION, best_chain, best_pairs
from adjudge.model.base import JsonObject

_EXACT, _IN_ORDER, _ANY_ORDER = MatchType


class Match(Alignment):
    """The comparison of a turn's calls with the expected calls: whether they match, and which call matches which."""

    def __init__(
        self, expected: Sequence[Call], actual: Sequence[Call], comparison: Comparison, match_type: MatchType
    ) -> None:
        super().__init__(expected, actual, comparison)
        self.match_type = match_type
        self.extras_are_permitted = match_type is not _EXACT
        if comparison.by_equality:
            try:
                if match_type is _EXACT:
                    self._found = equality.exact(expected, actual)
                elif match_type is _IN_ORDER:
                    self._found = equality.in_order(expected, actual)
                else:
                    self._found = equality.any_order(expected, actual)
                return
            except (AttributeError, RecursionError):  # names, pairs, or very deeply nested arguments
                pass
        wanted, given = self._keys
        self._found = BY_RELATION[match_type](wanted, given, self._comparison.same)

    @property
    def matched(self) -> bool:
        """Whether the calls match."""
        return self._found is not None

    @property
    def score(self) -> float:
        """1.0 if the calls match, else 0.0."""
        return 0.0 if self._found is None else 1.0

    def _solve(self) -> list[Link]:
        if self._found is not None:
            return [(row, column, 1.0) for row, column in enumerate(self._found)]
        wanted, given = self._keys
        same = self._comparison.same
        if self.match_type is MatchType.ANY_ORDER:
            chosen = best_pairs(wanted, given, same)
            return [(row, column, 1.0) for row, column in enumerate(chosen) if column is not None]
        chain = best_chain(
            len(wanted), len(given), lambda row, column: float(same(wanted[row], given[column]))
        )
        return [(row, column, 1.0) for row, column in chain]

    def details(self) -> JsonObject:
        """The ``details`` of an outcome: the number of matches, or the diff if the calls do not match."""
        shown: JsonObject = {"match_type": str(self.match_type)}
        if self._found is None:
            shown["calls"] = self.diff()
        else:
            shown["matched"] = len(self._found)
        return shown

    def reason(self) -> str:
        """The result in one sentence."""
        expected, actual = len(self._expected), len(self._actual)
        if self._found is None:
            lead = f"{len(self.pairs)} of {counted(expected, 'expected call')} matched {self.match_type}"
            return f"{lead}; {self.problems()}."
        if not expected:
            others = f"{counted(actual, 'call')} made" if actual else "none was made"
            return f"No call was expected and {others}."
        others = f"; {counted(actual - expected, 'other call')} made" if actual > expected else ""
        return f"{counted(expected, 'expected call')} matched {self.match_type}{others}."


def match(
    expected: Sequence[Call],
    actual: Sequence[Call],
    match_type: MatchType | str | int = MatchType.EXACT,
    arguments: Arguments = None,
    *,
    ignore_args: bool = False,
) -> Match:
    """Compare the calls of a turn with the expected ones.

    Two empty lists match with every match type. If no call is expected, any actual call fails ``EXACT``, but not the
    other match types. Missing arguments (``None``) equal ``{}``.

    Args:
        expected: Tool calls, ``(name, arguments)`` pairs, or names; they may be mixed.
        actual: The actual calls, in any of the same forms.
        match_type: ``EXACT``, ``IN_ORDER`` or ``ANY_ORDER``.
        arguments: How to compare arguments: options (a mapping or ``ArgumentOptions``), or a function of the expected
            and the actual arguments. ``None``: Python's ``==``.
        ignore_args: Whether to compare only names.

    Raises:
        InputError: the match type or the options are invalid, or an item is not a call.
    """
    kind = match_type if isinstance(match_type, MatchType) else MatchType.of(match_type)
    return Match(expected, actual, Comparison.of(arguments, ignore_args), kind)
