"""Compares the arguments of two calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Final, TypeAlias, TypeGuard, TypeVar

from adjudge.kit.matching.options import ArgumentRules, Tolerance
from adjudge.kit.matching.paths import Place, covers, dotted, json_path, segments
from adjudge.kit.matching.patterns import Pattern, compiled, matches
from adjudge.model.base import JsonObject

ArgumentFunction: TypeAlias = Callable[[JsonObject, JsonObject], bool]
"""A function of the expected and the actual arguments that returns whether they match."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Marks an argument that one side does not have."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two calls' arguments differ."""

    path: str
    """JSON path inside the arguments."""
    expected: Any
    """``ABSENT`` if the expected call has no such argument."""
    actual: Any
    """``ABSENT`` if the actual call has no such argument."""
    pattern: str | None = None
    """The regular expression that the actual value does not match."""

    def as_json(self) -> JsonObject:
        """The difference as JSON for reports; a side with ``ABSENT`` has no key."""
        shown: JsonObject = {"path": self.path}
        if self.expected is not ABSENT:
            shown["expected"] = self.expected
        if self.actual is not ABSENT:
            shown["actual"] = self.actual
        if self.pattern is not None:
            shown["pattern"] = self.pattern
        return shown


class RuleMatcher:
    """Compares arguments by rules. It does not recurse, so that arguments may be nested to any depth."""

    def __init__(self, rules: ArgumentRules) -> None:
        self._subset = rules.mode == "subset"
        self._ignore = [(segments(path), True) for path in rules.ignore]
        self._regex = [(segments(path), compiled(pattern)) for path, pattern in rules.regex.items()]
        self._tolerance = [(segments(path), tolerance) for path, tolerance in rules.tolerance.items()]
        self._has_paths = bool(self._ignore or self._regex or self._tolerance)
        self._is_equality = not (self._subset or self._has_paths)

    def same(self, expected: Any, actual: Any) -> bool:
        """Whether the actual arguments match the expected ones."""
        if self._is_equality:
            try:
                return bool(expected == actual)
            except RecursionError:  # the arguments are nested too deeply for Python's comparison
                pass
        return next(self._walk(None, expected, actual), None) is None

    def differences(self, expected: Any, actual: Any) -> list[Difference]:
        """All differences, in the order of the expected arguments."""
        return [
            Difference(json_path(path), left, right, None if pattern is None else pattern.pattern)
            for path, left, right, pattern in self._walk(None, expected, actual)
        ]

    def credit(self, expected: Any, actual: Any) -> float:
        """The share of arguments that are right, from 0.0 to 1.0.

        It is the number of top-level arguments without a difference, divided by the number of compared top-level
        arguments: the expected ones and, unless the mode is ``subset``, those that only the actual call has. Ignored
        arguments are not counted. Without any arguments it is 1.0.
        """
        if not (_is_object(expected) and _is_object(actual)):
            return float(self.same(expected, actual))
        left, right = expected, actual
        if self._is_equality:  # fast path without rules, for lists of hundreds of calls
            every = {**left, **right}
            pairs = [(left[name], right[name]) for name in every if name in left and name in right]
            # ``is``: the same NaN object counts as equal, as when Python compares dictionaries.
            alike = sum(one is other or self.same(one, other) for one, other in pairs)
            return alike / len(every) if every else 1.0
        names = list(left) if self._subset else list({**left, **right})
        counted = [name for name in names if not _first(self._ignore, dotted((None, name)))]
        right_ones = sum(
            next(self._walk((None, name), left.get(name, ABSENT), right.get(name, ABSENT)), None) is None
            for name in counted
        )
        return right_ones / len(counted) if counted else 1.0

    def _walk(
        self, path: Place, expected: Any, actual: Any
    ) -> Iterator[tuple[Place, Any, Any, Pattern | None]]:
        todo: list[tuple[Place, Any, Any]] = [(path, expected, actual)]
        while todo:
            path, left, right = todo.pop()
            pattern = tolerance = None
            if self._has_paths:
                place = dotted(path)
                if _first(self._ignore, place):
                    continue
                if path is not None:  # rules apply to single arguments, not to all arguments together
                    pattern = _first(self._regex, place)
                    tolerance = _first(self._tolerance, place)
            if pattern is not None and left is not ABSENT:
                if not _matches(pattern, right):
                    yield path, left, right, pattern
            elif _is_object(left) and _is_object(right):
                todo.extend(self._object(path, left, right))
            elif _is_array(left) and _is_array(right):
                todo.extend(_array(path, left, right))
            elif not (
                left is right or left == right or (tolerance is not None and _near(tolerance, left, right))
            ):
                yield path, left, right, None

    def _object(self, path: Place, left: JsonObject, right: JsonObject) -> list[tuple[Place, Any, Any]]:
        names = list(left) if self._subset else list({**left, **right})
        return [((path, name), left.get(name, ABSENT), right.get(name, ABSENT)) for name in reversed(names)]


_RuleT = TypeVar("_RuleT")


def _first(rules: list[tuple[tuple[str, ...], _RuleT]], place: tuple[str, ...]) -> _RuleT | None:
    """The first rule whose path covers the place; ``None`` if there is none."""
    return next((rule for path, rule in rules if covers(path, place)), None)


def _array(path: Place, left: list[Any], right: list[Any]) -> list[tuple[Place, Any, Any]]:
    return [
        (
            (path, index),
            left[index] if index < len(left) else ABSENT,
            right[index] if index < len(right) else ABSENT,
        )
        for index in reversed(range(max(len(left), len(right))))
    ]


def _is_object(value: Any) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def _is_array(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _near(tolerance: Tolerance, expected: Any, actual: Any) -> bool:
    if not (_is_number(expected) and _is_number(actual)):
        return False
    # Compare decimal numbers exactly: a file with 1.0, 1.1 and the tolerance 0.1 means these decimal values.
    wanted = _exact(expected)
    allowance = max(_exact(tolerance.absolute), _exact(tolerance.relative) * abs(wanted))
    return abs(wanted - _exact(actual)) <= allowance


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or isfinite(value))
    )


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _matches(pattern: Pattern, value: Any) -> bool:
    if isinstance(value, bool | int | float):
        try:
            value = json.dumps(value)
        except ValueError:  # Python does not convert integers of thousands of digits
            return False
    return isinstance(value, str) and matches(pattern, value)


class FunctionMatcher:
    """Compares arguments by the user's function, without partial credit."""

    def __init__(self, function: ArgumentFunction) -> None:
        self._function = function

    def same(self, expected: Any, actual: Any) -> bool:
        """The result of the function. Arguments that are not an object are compared by equality."""
        if _is_object(expected) and _is_object(actual):
            return bool(self._function(expected, actual))
        return bool(expected == actual)

    def differences(self, expected: Any, actual: Any) -> list[Difference]:
        """One difference for the arguments as a whole if they do not match."""
        return [] if self.same(expected, actual) else [Difference("$", expected, actual)]

    def credit(self, expected: Any, actual: Any) -> float:
        """1.0 if the arguments match, else 0.0."""
        return float(self.same(expected, actual))
