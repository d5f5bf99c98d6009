"""The common subject of the steps of a window."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit import digests
from adjudge.model import Step


def pages(steps: Sequence[Step]) -> list[str]:
    """The page of every step, without what a query says."""
    return ["no page" if page is None else digests.without_query(page) for page in digests.pages_of(steps)]


def tools(steps: Sequence[Step]) -> list[str]:
    """The kind of tool that every step used first; a step without a call goes on with the kind before it."""
    found: list[str] = []
    for step in steps:
        families = digests.families_of(step)
        found.append(families[0] if families else found[-1] if found else "no tool")
    return found
