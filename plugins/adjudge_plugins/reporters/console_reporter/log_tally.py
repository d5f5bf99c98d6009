"""What is counted of runs in logs while they go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.kit import render
from adjudge.model import AppliedCalibration, CaseResult, Status
from adjudge.plugin import RunReport


class Row(NamedTuple):
    """What a run comes to."""

    source: str
    run: int | None
    statuses: Mapping[str, Status]
    """By criterion."""
    otherwise: Status | None
    """What holds for criteria that are not there; ``None``: nothing."""


@dataclass
class LogTally:
    """What is counted of the runs in logs, and what becomes of each criterion in each of them."""

    counts: Counter[Status] = field(default_factory=Counter[Status])
    """Findings by status, without those that an interrupted run has not come to."""
    runs: int = 0
    """Runs that could be read."""
    unfinished: int = 0
    """Runs and logs that an interrupted run has not come to the end of."""
    retryable: int = 0
    """Errors that a resumed run tries again."""
    names: dict[str, None] = field(default_factory=dict[str, None])
    """The criteria."""
    rows: list[Row] = field(default_factory=list[Row])
    calibrations: dict[AppliedCalibration, None] = field(default_factory=dict[AppliedCalibration, None])
    """What made confidences probabilities, in the order of use."""
    uncalibrated: bool = False
    """Whether there is another confidence."""

    def add(self, case: CaseResult, findings: Iterable[render.Finding]) -> None:
        """Count one run."""
        found = list(findings)
        self.counts.update(item.status for item in found if not item.unfinished)
        self.unfinished += any(item.unfinished for item in found)
        self.retryable += sum(item.error is not None and item.error.retryable for item in found)
        self.runs += was_read(case)
        statuses: dict[str, Status] = {
            item.name: item.status for item in found if item.result and not item.unfinished
        }
        unread = not was_read(case) and not any(item.unfinished for item in found)
        self.rows.append(Row(source_of(case), case.run, statuses, "error" if unread else None))
        for item in case.criteria:
            self.names[item.criterion_name] = None
            if item.calibration is not None:
                self.calibrations[item.calibration] = None
            self.uncalibrated |= item.confidence_score is not None and not item.calibrated

    @property
    def of_several_runs(self) -> set[str]:
        """The logs with more than one run."""
        return {row.source for row in self.rows if row.run is not None and row.run > 1}


def tally_of(report: RunReport) -> LogTally:
    """Count the runs of a report."""
    tally = LogTally()
    for case in report.cases():
        tally.add(case.result, render.findings_of(case.result, decides=report.run.decides))
    if report.run.logs is not None:
        tally.names |= dict.fromkeys(report.run.logs.criteria)
    return tally


def was_read(case: CaseResult) -> bool:
    """Whether there is a run, and not only a log that could not be read."""
    return case.error is None or bool(case.criteria)


def source_of(case: CaseResult) -> str:
    """The log of a run."""
    return case.source or case.eval_set_id
