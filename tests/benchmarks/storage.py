"""How much a run leaves on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from table import Row, at_most

_MOST = 2
"""KiB a turn."""


def rows(work: str, turns: int, *, adk: Path, adjudge: Path) -> Iterator[Row]:
    """What the last run of each side left.

    Args:
        work: What was evaluated, in words.
        turns: How many turns that were.
        adk: The folder of google-adk's agent, which has one result file.
        adjudge: The working folder of adjudge, which has one run's journal and a JSON report of it.
    """
    (result,) = adk.glob(".adk/eval_history/*.evalset_result.json")
    other = _size(result)
    journal = sum(_size(path) for path in (adjudge / ".adjudge").rglob("*") if path.is_file())
    report = _size(adjudge / "result.json")
    yield Row(f"stored results, {work}", "KiB/turn", other / turns, journal / turns, at_most(_MOST))
    both = (journal + report) / turns
    yield Row(f"stored results and JSON report, {work}", "KiB/turn", other / turns, both, at_most(_MOST))


def _size(path: Path) -> float:
    """KiB."""
    return path.stat().st_size / 1024
