"""What a reader could not keep."""

from __future__ import annotations

from collections import Counter


class Losses:
    """Counts what was lost of one run, for ``Trajectory.lost``."""

    def __init__(self) -> None:
        """Nothing is lost yet."""
        self._times: Counter[str] = Counter()

    def add(self, what: str, times: int = 1) -> None:
        """Note a loss, in words that are the same for every loss of the kind."""
        self._times[what] += times

    def take(self, mended: Counter[str]) -> None:
        """Note what was mended, which is then said and gone."""
        self._times.update(mended)
        mended.clear()

    def texts(self) -> tuple[str, ...]:
        """Every kind of loss once, in the order of the log, with how often it happened."""
        return tuple(what if times == 1 else f"{what} ({times} times)" for what, times in self._times.items())
