"""Invalid variants of JSON documents, made with a fixed random seed."""

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
"""A list or an object, with one of its indexes or keys."""


def odd_documents(document: Any, number: int) -> Iterator[bytes]:
    """Yield variants of a JSON document, each with one value removed, duplicated, or replaced by an unusual value.

    Args:
        document: The document. It is not changed.
        number: The number of variants.
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
