"""Odd JSON: a document with something else in one place, the same for everybody who asks."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final, TypeAlias

from adjudge.adk.validation import is_list, is_object

_ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    2.5,
    10**30,
    "",
    "odd",
    "\ud800",
    "{",
    [],
    {},
    [None],
    [[]],
    ["odd", 1],
    {"odd": None},
    {"type": "odd"},
)

_Place: TypeAlias = tuple[Any, Any]
"""A list or an object, and an index or a key of it."""


def odd_documents(document: Any, number: int) -> Iterator[bytes]:
    """Variants of a JSON document, each with one place taken out, doubled, or replaced by something odd.

    Args:
        document: The document. It is not changed.
        number: How many variants.
    """
    draw = random.Random(number)  # noqa: S311 - the same variants every time are wanted
    for _ in range(number):
        variant = deepcopy(document)
        places = list(_places(variant))
        if not places:
            yield json.dumps(draw.choice(_ODD)).encode()
            continue
        inside, at = draw.choice(places)
        change = draw.randrange(6)
        if change == 0:
            del inside[at]
        elif change == 1 and is_list(inside):
            inside.insert(at, deepcopy(inside[at]))
        else:
            inside[at] = deepcopy(draw.choice(_ODD))
        yield json.dumps(variant).encode()


def _places(value: Any) -> Iterator[_Place]:
    inner: list[_Place] = []
    if is_object(value):
        inner = [(value, key) for key in value]
    elif is_list(value):
        inner = [(value, at) for at in range(len(value))]
    for inside, at in inner:
        yield inside, at
        yield from _places(inside[at])
