"""``--help``: what every start of the command line costs."""

from __future__ import annotations

from collections.abc import Iterator

from environments import Environments, script
from measure import in_turns, median, process
from table import Row, faster

_STARTS = 5
"""Starts in a round: one is over too soon to be measured well."""


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Wall time of a whole process."""
    folder = environments.folder("startup")
    found = in_turns(
        {
            "adk": lambda: process([script(environments.adk, "adk"), "--help"], folder).seconds,
            "adjudge": lambda: process([script(environments.adjudge, "adjudge"), "--help"], folder).seconds,
        },
        rounds * _STARTS,
    )
    yield Row("`--help`", "s", median(found["adk"]), median(found["adjudge"]), faster(1))
