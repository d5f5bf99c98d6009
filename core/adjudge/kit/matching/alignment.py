"""What came of comparing two lists of calls: pairs, and on request the diff of every call."""

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
"""What became of one call: docs/criteria/trajectory.md says when which."""

Link: TypeAlias = tuple[int, int, float]
"""Expected index, actual index, and how much of the expected call the actual one is: 0 < credit <= 1."""

_NAMES_SHOWN = 5
_MOST_SIMILAR = 10_000
"""Pairs of left-over calls of one tool whose similarity is worked out."""


class Alignment(ABC):
    """Two lists of calls, and which call stands for which. Everything is worked out when asked for."""

    # Worked out when asked for. As defaults of the class they cost nothing for the turns, most of them,
    # that nobody asks about.
    _keyed: tuple[list[Key], list[Key]] | None = None
    _links: list[Link] | None = None
    _diff: list[JsonObject] | None = None

    extras_are_permitted: bool = False
    """Whether calls that nobody expects are no fault."""

    def __init__(self, expected: Sequence[Call], actual: Sequence[Call], comparison: Comparison) -> None:
        self._expected, self._actual, self._comparison = expected, actual, comparison

    @abstractmethod
    def _solve(self) -> list[Link]:
        """The best pairs, in the order of the expected calls."""

    @property
    def _keys(self) -> tuple[list[Key], list[Key]]:
        """What the calls are compared by. Reading it settles which comparison fits them."""
        if self._keyed is None:
            self._keyed, self._comparison = _comparable(self._expected, self._actual, self._comparison)
        return self._keyed

    @property
    def links(self) -> list[Link]:
        """Every pair with its credit, in the order of the expected calls."""
        if self._links is None:
            self._links = self._solve()
        return self._links

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """``(expected index, actual index)`` of the calls that match."""
        return [(row, column) for row, column, credit in self.links if credit == 1]

    @property
    def missing(self) -> list[int]:
        """Indices of expected calls that no actual call stands for."""
        served = {row for row, _, _ in self.links}
        return [row for row in range(len(self._expected)) if row not in served]

    @property
    def unexpected(self) -> list[int]:
        """Indices of actual calls that stand for no expected one."""
        used = {column for _, column, _ in self.links}
        return [column for column in range(len(self._actual)) if column not in used]

    def diff(self) -> list[JsonObject]:
        """One JSON object per call: ``expected``, ``actual``, ``status`` and, if needed, ``differences``.

        Expected calls stand in their order, unexpected ones where the agent made them.
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
        """Pair what is left over and has the same name, the most similar arguments first."""
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
            # Nothing but the report depends on these pairs: of very many the nearest are not looked for.
            chosen: Sequence[int | None] = range(len(columns))
            if len(rows) * len(columns) <= _MOST_SIMILAR:
                # Worth 1 more than the credit, so that as many as possible are paired.
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
        """What is wrong, in words, with names of tools; empty where nothing is."""
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
        """The diff as an outcome's ``details`` hold it: only the number of matches where all is well."""
        shown: JsonObject = {"matched": len(self.pairs)}
        if self.missing or self.unexpected or len(self.pairs) < len(self.links):
            shown["calls"] = self.diff()
        return shown


def counted(number: int, noun: str) -> str:
    """``"1 call"``, ``"2 calls"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _name(key: Key) -> str:
    return key if isinstance(key, str) else key[0]


def _comparable(
    expected: Sequence[Call], actual: Sequence[Call], comparison: Comparison
) -> tuple[tuple[list[Key], list[Key]], Comparison]:
    """What the calls are compared by, and the comparison that fits it.

    Where all calls of one side are bare names, arguments never count: names alone are compared.
    """
    wanted, given = keys_of(expected), keys_of(actual)
    bare = any(all(args is UNSAID for _, args in keys) for keys in (wanted, given))
    if not (bare or comparison.names_only):
        return (wanted, given), comparison
    return ([name for name, _ in wanted], [name for name, _ in given]), Comparison.of(ignore_args=True)
