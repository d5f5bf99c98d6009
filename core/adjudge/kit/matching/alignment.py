"""The result of comparing two lists of calls: matched pairs, and on request the diff of each call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, TypeAlias

from adjudge.kit.matching.assignment import maximum_weight
from adjudge.kit.matching.calls import UNSAID, Call, Key, as_json, keys_of
from adjudge.kit.matching.comparison import Comparison
from adjudge.kit.matching.relation import best_pairs
from adjudge.model.base import JsonObject

CallStatus: TypeAlias = Literal["match", "different_args", "missing", "unexpected", "out_of_order", "extra"]
"""The status of one call; docs/criteria/trajectory.md defines the values."""

Link: TypeAlias = tuple[int, int, float]
"""Expected index, actual index, and credit: the share of the arguments that are right, 0 < credit <= 1."""
_NAMES_SHOWN = 5
_MOST_SIMILAR = 10_000
"""The maximum number of pairs of unmatched calls of one tool whose similarity is computed."""


class Alignment(ABC):
    """An alignment of two lists of calls: which actual call matches which expected call. It is computed on access."""

    # Computed on access. As class attributes they cost nothing for most turns, which are never accessed.
    _keyed: tuple[list[Key], list[Key]] | None = None
    _links: list[Link] | None = None
    _diff: list[JsonObject] | None = None

    extras_are_permitted: bool = False
    """Whether calls that are not expected are allowed."""

    def __init__(self, expected: Sequence[Call], actual: Sequence[Call], comparison: Comparison) -> None:
        self._expected, self._actual, self._comparison = expected, actual, comparison

    @abstractmethod
    def _solve(self) -> list[Link]:
        """Compute the best pairs, in the order of the expected calls."""

    @property
    def _keys(self) -> tuple[list[Key], list[Key]]:
        """The keys by which the calls are compared. The first access also chooses the comparison for them."""
        if self._keyed is None:
            self._keyed, self._comparison = _comparable(self._expected, self._actual, self._comparison)
        return self._keyed

    @property
    def links(self) -> list[Link]:
        """All pairs with their credit, in the order of the expected calls."""
        if self._links is None:
            self._links = self._solve()
        return self._links

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """``(expected index, actual index)`` of the matching calls."""
        return [(row, column) for row, column, credit in self.links if credit == 1]

    @property
    def missing(self) -> list[int]:
        """Indices of expected calls without a matching actual call."""
        served = {row for row, _, _ in self.links}
        return [row for row in range(len(self._expected)) if row not in served]

    @property
    def unexpected(self) -> list[int]:
        """Indices of actual calls without a matching expected call."""
        used = {column for _, column, _ in self.links}
        return [column for column in range(len(self._actual)) if column not in used]

    def diff(self) -> list[JsonObject]:
        """One JSON object per call: ``expected``, ``actual``, ``status`` and, if needed, ``differences``.

        Expected calls are in their order; unexpected calls are inserted where the agent made them.
        """
        if self._diff is None:
            self._diff = self._rows()
        return self._diff

    def _rows(self) -> list[JsonObject]:
        partner: dict[int, tuple[int, CallStatus, float]] = {
            row: (column, "match" if credit == 1 else "different_args", credit)
            for row, column, credit in self.links
        }
        missing, unexpected = self.missing, self.unexpected
        wanted, given = self._keys
        moved = best_pairs(
            [wanted[i] for i in missing], [given[j] for j in unexpected], self._comparison.same
        )
        for at, to in enumerate(moved):
            if to is not None:
                partner[missing[at]] = (unexpected[to], "out_of_order", 1.0)
        self._add_similar(partner)

        used = {column for column, _, _ in partner.values()}
        extra = [column for column in range(len(given)) if column not in used]
        rows: list[JsonObject] = []
        for row, call in enumerate(self._expected):
            if row not in partner:
                rows.append({"expected": as_json(call), "actual": None, "status": "missing"})
                continue
            column, status, credit = partner[row]
            while extra and extra[0] < column:
                rows.append(self._unexpected_row(extra.pop(0)))
            shown: JsonObject = {
                "expected": as_json(call),
                "actual": as_json(self._actual[column]),
                "status": status,
            }
            if status == "different_args":
                differences = self._comparison.differences(wanted[row], given[column])
                shown["differences"] = [difference.as_json() for difference in differences]
                if credit:
                    shown["credit"] = credit
            rows.append(shown)
        return rows + [self._unexpected_row(column) for column in extra]

    def _unexpected_row(self, column: int) -> JsonObject:
        status: CallStatus = "extra" if self.extras_are_permitted else "unexpected"
        return {"expected": None, "actual": as_json(self._actual[column]), "status": status}

    def _add_similar(self, partner: dict[int, tuple[int, CallStatus, float]]) -> None:
        """Pair unmatched calls of the same tool so that their arguments are as similar as possible."""
        wanted, given = self._keys
        used = {column for column, _, _ in partner.values()}
        groups: dict[str, tuple[list[int], list[int]]] = {}
        for row, key in enumerate(wanted):
            if row not in partner:
                groups.setdefault(_name(key), ([], []))[0].append(row)
        for column, key in enumerate(given):
            if column not in used and _name(key) in groups:
                groups[_name(key)][1].append(column)
        for rows, columns in groups.values():
            # Only the report depends on these pairs, so for very many calls they are not optimised.
            chosen: Sequence[int | None] = range(len(columns))
            if len(rows) * len(columns) <= _MOST_SIMILAR:
                # Weight 1 + credit, so that as many calls as possible are paired.
                chosen = maximum_weight(
                    [
                        [1 + self._comparison.credit(wanted[row], given[column]) for column in columns]
                        for row in rows
                    ]
                )
            for row, to in zip(rows, chosen, strict=False):
                if to is not None:
                    partner[row] = (columns[to], "different_args", 0.0)

    def problems(self) -> str:
        """A text about missing, unexpected and different calls with names of tools; empty if there are none."""
        words = {
            "missing": "missing",
            "different_args": "different arguments",
            "out_of_order": "out of order",
            "unexpected": "unexpected",
        }
        found: list[str] = []
        for status, word in words.items():
            names = [
                str((entry["expected"] or entry["actual"])["name"])
                for entry in self.diff()
                if entry["status"] == status
            ]
            if names:
                more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
                found.append(f"{word}: {', '.join(names[:_NAMES_SHOWN])}{more}")
        return "; ".join(found)

    def details(self) -> JsonObject:
        """The ``details`` of an outcome: the number of matches, and the diff if not all calls match."""
        shown: JsonObject = {"matched": len(self.pairs)}
        if self.missing or self.unexpected or len(self.pairs) < len(self.links):
            shown["calls"] = self.diff()
        return shown


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``"1 call"``, ``"2 calls"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _name(key: Key) -> str:
    return key if isinstance(key, str) else key[0]


def _comparable(
    expected: Sequence[Call], actual: Sequence[Call], comparison: Comparison
) -> tuple[tuple[list[Key], list[Key]], Comparison]:
    """The keys of the calls, and the comparison for them.

    If all calls of one side are bare names, only names are compared.
    """
    wanted, given = keys_of(expected), keys_of(actual)
    bare = any(all(args is UNSAID for _, args in keys) for keys in (wanted, given))
    if not (bare or comparison.names_only):
        return (wanted, given), comparison
    return ([name for name, _ in wanted], [name for name, _ in given]), Comparison.of(ignore_args=True)
