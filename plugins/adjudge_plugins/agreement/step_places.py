"""Places of steps in their files, and the distance between two places.

A step's number is that of whoever counted: people count messages from 0, logs count from 1, or leave some out. The
place in the log is the same for all.
"""

from __future__ import annotations

import re
from typing import Final

_NUMBERS: Final = re.compile(r"\[(\d{1,9})\]|(?<=:)(\d{1,9})(?= \$)")
"""An index of a list, and the line of a file with a value a line."""


def positions(labelled: str, found: str | None) -> tuple[int, int | None]:
    """The positions of two places in the list, or in the lines, in which they first differ.

    Args:
        labelled: As a person writes it: ``file.jsonl:3 $.history[2]``, ``$.history[2]`` or ``history[2]``.
        found: As a result has it (``source_ref``).

    Returns:
        The labelled position and the found one; ``None`` for the found one where nothing was found, or where it stands
        somewhere else altogether, or where the labelled place has no number to be told by.
    """
    path = labelled.strip()
    if " $" not in path:
        path = path if path.startswith("$") else f"$.{path}"
        found = None if found is None else f"${found.rpartition('$')[2]}"
    true = _parts(path)
    own = next((part for part in reversed(true) if isinstance(part, int)), None)
    if own is None or found is None:
        return own or 0, None
    other = _parts(found)
    for one, two in zip(true, other, strict=False):
        if one != two:
            return (one, two) if isinstance(one, int) and isinstance(two, int) else (own, None)
    return own, own if len(true) == len(other) else None


def _parts(path: str) -> list[str | int]:
    """The numbers of a place, and what stands between them."""
    parts: list[str | int] = []
    end = 0
    for found in _NUMBERS.finditer(path):
        parts += [path[end : found.start()], int(found[1] or found[2])]
        end = found.end()
    rest = path[end:]
    return [*parts, rest] if rest else parts
