"""The mean of every criterion over the runs of one eval set, read when somebody looks at it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from threading import Lock
from typing import Final

import adjudge
from adjudge import StoredRun
from adjudge.model import CriterionSummary
from adjudge.plugin import AdjudgeError

_KEPT: Final = 1000
"""Runs whose means stay in memory."""
LATEST: Final = 30
"""Runs that are shown at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A criterion in one run."""

    run: StoredRun
    mean: float | None
    """``None`` where the run has no score of it: it was not among its criteria, or could be measured nowhere."""
    threshold: float | None
    is_measured: bool
    """Whether it was among the criteria of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A criterion over runs, the oldest first: a point for each run."""

    criterion: str
    points: tuple[Point, ...]

    @property
    def last(self) -> Point:
        """The latest run that has the criterion."""
        return next(point for point in reversed(self.points) if point.is_measured)


def files_of(run: StoredRun) -> str:
    """The eval sets of a run, in words; empty of a run over logs."""
    return ", ".join(run.eval_sets)


def finished_by_files(runs: Iterable[StoredRun]) -> dict[str, list[StoredRun]]:
    """The finished runs of each choice of eval sets, the oldest first; the choice that was run last comes first."""
    found: dict[str, list[StoredRun]] = {}
    begun = sorted(runs, key=lambda run: run.started_at or "", reverse=True)
    for run in begun:
        if run.state == "finished" and run.eval_sets:
            found.setdefault(files_of(run), []).insert(0, run)
    return found


class ScoreHistory:
    """Reads the means of runs, of each run once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: OrderedDict[tuple[str, str | None, float], tuple[CriterionSummary, ...]] = OrderedDict()
        self._reading = Lock()

    def series(self, runs: Sequence[StoredRun]) -> list[Series]:
        """Every criterion that has a mean in one of the runs, in the order of the latest run that has it.

        Args:
            runs: Finished runs, the oldest first; the latest of them are taken.
        """
        latest = list(runs)[-LATEST:]
        found = [{item.criterion_name: item for item in self._criteria(run)} for run in latest]
        scored = dict.fromkeys(
            name
            for items in reversed(found)
            for name, item in items.items()
            if _finite(item.mean) is not None
        )
        return [
            Series(
                criterion=name,
                points=tuple(_point(run, items.get(name)) for run, items in zip(latest, found, strict=True)),
            )
            for name in scored
        ]

    def _criteria(self, run: StoredRun) -> tuple[CriterionSummary, ...]:
        # A run of the same name may have taken its place since.
        key = run.name, run.started_at, run.duration
        with self._reading:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
            try:
                with adjudge.read_run(run.name) as report:
                    found = report.summary.criteria
            except AdjudgeError:  # damaged or deleted meanwhile: the list of runs says so
                return ()
            self._known[key] = found
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
            return found


def _point(run: StoredRun, item: CriterionSummary | None) -> Point:
    if item is None:
        return Point(run=run, mean=None, threshold=None, is_measured=False)
    return Point(run=run, mean=_finite(item.mean), threshold=_finite(item.threshold), is_measured=True)


def _finite(number: float | None) -> float | None:
    return number if number is not None and isfinite(number) else None
