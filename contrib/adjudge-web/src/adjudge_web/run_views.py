"""What the viewer is given: documents of runs, cases and sessions, made by the kit."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from pydantic_core import to_json

from adjudge import read_run
from adjudge.kit import render
from adjudge.kit.viewer import (
    Row,
    case_row,
    case_view,
    compared,
    criteria_of,
    run_document,
)
from adjudge.model import RunSummary
from adjudge.plugin import RunReport

_KEPT: Final = 4
"""Runs whose documents stay in memory."""


@dataclass(frozen=True, slots=True)
class _Made:
    finished_at: str | None
    summary: RunSummary
    rows: list[Row]
    document: dict[str, Any]


class RunViews:
    """Makes the documents, and keeps those of the runs that were looked at last."""

    def __init__(self) -> None:
        """Begin with none."""
        self._made: OrderedDict[str, _Made] = OrderedDict()
        self._making = Lock()
        """Of two who ask at the same time one makes it."""

    def document(self, name: str, before: str = "") -> bytes:
        """The document of a run, compared with an earlier one where that is named.

        Raises:
            RunError: there is no such run, or it is damaged.
        """
        made = self._of(name)
        if not before:
            return _json(made.document)
        earlier = self._of(before)
        with (
            read_run(before, summary=earlier.summary) as old,
            read_run(name, summary=made.summary) as new,
        ):
            return _json({**made.document, "comparison": compared(old, new, made.rows)})

    def case(self, name: str, number: int) -> bytes:
        """The document of one case.

        Raises:
            RunError: there is no such case.
        """
        with read_run(name, case=number, summary=self._of(name).summary) as report:
            [case] = render.whole_cases(report)
            return _json(case_view(case, report.run))

    def _of(self, name: str) -> _Made:
        with self._making:
            known = self._made.get(name)
            if known is not None and known.finished_at is not None:
                # A run of the same name may have taken its place since.
                with read_run(name, summary=known.summary) as report:
                    if report.run.finished_at == known.finished_at:
                        self._made.move_to_end(name)
                        return known
            with read_run(name) as report:
                made = self._made[name] = _made(report)
            self._made.move_to_end(name)
            if len(self._made) > _KEPT:
                self._made.popitem(last=False)
            return made


def _made(report: RunReport) -> _Made:
    tally, columns = render.Tally(), criteria_of(report)
    rows: list[Row] = []
    for number, case in enumerate(render.whole_cases(report)):
        tally.add(case)
        rows.append(case_row(case, columns, str(number)))
    document = dict(run_document(report, tally, rows))
    return _Made(report.run.finished_at, report.summary, rows, document)


def _json(document: Any) -> bytes:
    return to_json(document, inf_nan_mode="null")
