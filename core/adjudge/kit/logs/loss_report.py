"""Counts the data that a reader could not keep."""

from __future__ import annotations

from collections import Counter


class Losses:
    """Counts the lost data of one run, for ``Trajectory.lost``."""

    def __init__(self) -> None:
        """Start without losses."""
        self._times: Counter[str] = Counter()

    def add(self, what: str, times: int = 1) -> None:
        """Count a loss. Use the same text ``what`` for all losses of one kind."""
        self._times[what] += times

    def take(self, mended: Counter[str]) -> None:
        """Add the counts of repairs, and clear ``mended``."""
        self._times.update(mended)
        mended.clear()

    def texts(self) -> tuple[str, ...]:
        """One text for each kind of loss with its count, in the order of their first occurrence."""
        return tuple(what if times == 1 else f"{what} ({times} times)" for what, times in self._times.items())
