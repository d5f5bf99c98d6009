"""Estimates the work of a schema validation before it starts, because the validator cannot be interrupted.

References make the work exponential: eighteen definitions that each refer twice to the next cause a quarter
of a million checks; forty would take days. The estimate visits each pair of a subschema and a value only
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, cast
from urllib.parse import unquote

MOST: Final = 10_000_000
"""The limit of checks (one value against one subschema) for all calls of a case: less than a second of work."""

_MOST_COPIES: Final = 50_000
"""The limit of subschemas after references are expanded: the validator may create one validator for each."""

_PAIR: Final = 20
"""The cost of visiting one pair in this estimate, in checks."""

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_SAME_VALUE: Final = ("not", "if", "then", "else")
_SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_OBJECTS: Final = ("dependentSchemas", "dependencies")
_EVERY_ITEM: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_EVERY_PROPERTY: Final = ("additionalProperties", "unevaluatedProperties")
_FURTHER_ROUND: Final = ("unevaluatedItems", "unevaluatedProperties")
"""For these keywords the validator applies the neighbouring keywords a second time."""


class TooMuchWorkError(Exception):
    """More than ``MOST`` checks, or a reference that cannot be resolved."""


class Budget:
    """The number of checks left for a case."""

    def __init__(self) -> None:
        self._left = MOST

    def spend(self, checks: int) -> None:
        """Subtract ``checks`` from the budget.

        Raises:
            TooMuchWorkError: fewer are left.
        """
        self._left -= checks
        if self._left < 0:
            raise TooMuchWorkError


class Work:
    """Estimates the number of checks for a schema."""

    def __init__(self, schema: object) -> None:
        """Scan the schema once."""
        self._root = schema
        self._named: dict[str, object] = {}
        self._size = 0
        self._has_references = False
        todo = [schema]
        while todo:
            part = todo.pop()
            self._size += 1
            if isinstance(part, list):
                todo += cast("list[object]", part)
            elif isinstance(part, dict):
                found = cast("dict[str, object]", part)
                todo += found.values()
                self._has_references |= any(name in found for name in _REFERENCES)
                for name, sign in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", "")):
                    if isinstance(named := found.get(name), str):
                        self._named.setdefault(sign + named, found)
        try:
            self.is_too_large = self._expanded(schema, {}) - self._size > _MOST_COPIES
        except RecursionError:
            self.is_too_large = True

    def _expanded(self, part: object, known: dict[int, int]) -> int:
        """The number of subschemas in a part after its references are expanded."""
        place = id(part)
        if place in known:
            return known[place]
        known[place] = 0  # a recursive reference is not expanded again
        size = 1 + sum(self._expanded(inner, known) for inner in (*_values(part), *_parts(part)))
        if isinstance(part, dict):
            rules = cast("dict[str, object]", part)
            for reference in (rules.get(name) for name in _REFERENCES):
                if isinstance(reference, str):
                    with suppress(TooMuchWorkError):  # the validator reports a broken schema
                        size += self._expanded(self._referred(reference), known)
        known[place] = size
        return size

    def check(self, value: object, budget: Budget) -> None:
        """Subtract the work of validating ``value`` from the budget.

        Raises:
            TooMuchWorkError: the budget is exhausted, or a reference cannot be resolved.
        """
        if self.is_too_large:
            raise TooMuchWorkError
        if not self._has_references and (most := self._size * _size(value)) <= MOST // 10:
            budget.spend(most)  # without references each subschema meets each value at most once
            return
        try:
            budget.spend(self._count(self._root, value, {}, budget))
        except RecursionError:
            raise TooMuchWorkError from None

    def _count(self, schema: object, value: object, known: dict[tuple[int, int], int], budget: Budget) -> int:
        if not isinstance(schema, dict):
            return 1
        rules = cast("dict[str, object]", schema)
        pair = id(rules), id(value)
        if pair in known:
            return known[pair]
        budget.spend(_PAIR)
        known[pair] = 0  # for a cycle: the validator ends it as well
        same = sum(self._count(part, value, known, budget) for part in self._for_the_same_value(rules))
        if any(name in rules for name in _FURTHER_ROUND):
            same *= 2
        inside = sum(
            self._count(part, item, known, budget) for part, item in _for_values_inside(rules, value)
        )
        known[pair] = len(rules) + same + inside
        return known[pair]

    def _for_the_same_value(self, rules: Mapping[str, object]) -> Iterator[object]:
        for name in _REFERENCES:
            if isinstance(reference := rules.get(name), str):
                yield self._referred(reference)
        for name in _SAME_VALUE:
            if name in rules:
                yield rules[name]
        for name in _SAME_VALUE_LISTS:
            yield from _parts(rules.get(name))
        for name in _SAME_VALUE_OBJECTS:
            yield from _values(rules.get(name))

    def _referred(self, reference: str) -> object:
        if reference in self._named:
            return self._named[reference]
        base, _, pointer = reference.partition("#")
        found = self._named.get(base, self._root) if base else self._root
        for part in pointer.split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = cast("dict[str, object]", found)[name]
            elif (
                isinstance(found, list) and name.isdecimal() and int(name) < len(cast("list[object]", found))
            ):
                found = cast("list[object]", found)[int(name)]
            else:
                raise TooMuchWorkError
        if pointer and not pointer.startswith("/"):
            raise TooMuchWorkError
        return found


def _for_values_inside(rules: Mapping[str, object], value: object) -> Iterator[tuple[object, object]]:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        properties = rules.get("properties")
        if isinstance(properties, dict):
            for name, part in cast("dict[str, object]", properties).items():
                if name in members:
                    yield part, members[name]
        every = [rules[name] for name in _EVERY_PROPERTY if name in rules]
        every += _values(rules.get("patternProperties"))
        yield from ((part, member) for part in every for member in members.values())
        if "propertyNames" in rules:
            yield from ((rules["propertyNames"], name) for name in members)
    elif isinstance(value, list):
        items = cast("list[object]", value)
        for name in ("prefixItems", "items"):
            yield from zip(_parts(rules.get(name)), items, strict=False)
        every = [rules[name] for name in _EVERY_ITEM if isinstance(rules.get(name), dict)]
        yield from ((part, item) for part in every for item in items)


def _parts(value: object) -> Iterable[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()


def _values(value: object) -> Iterable[object]:
    return cast("dict[str, object]", value).values() if isinstance(value, dict) else ()


def _size(value: Any) -> int:
    """The number of values in a JSON value, including itself."""
    size, todo = 0, [value]
    while todo:
        part = todo.pop()
        size += 1
        todo += _values(part)
        todo += _parts(part)
    return size
