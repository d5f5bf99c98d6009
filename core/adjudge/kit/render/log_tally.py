"""Counts runs in logs while they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.kit.render.evaluation_lines import Finding, findings_of
from adjudge.model.evaluation import AppliedCalibration
from adjudge.model.printable import clean
from adjudge.model.result import CaseResult
from adjudge.model.verdict import Status
from adjudge.plugin import RunReport


class Row(NamedTuple):
    """The statuses of one run."""

    source: str
    run: int | None
    statuses: Mapping[str, Status]
    """Statuses by criterion."""
    otherwise: Status | None
    """The status of criteria that are not in ``statuses``; ``None``: no status."""


@dataclass
class LogTally:
    """Counts of the runs in logs, and the status of each criterion in each run."""

    counts: Counter[Status] = field(default_factory=Counter[Status])
    """Findings by status, without unfinished ones and without logs that were not read."""
    runs: int = 0
    """The number of runs that could be read."""
    unread_logs: int = 0
    """The number of logs of which no run could be read."""
    unread_runs: int = 0
    """The number of runs that could not be judged, because the log could not be read further or has no step of the agent."""
    unfinished: int = 0
    """The number of runs and logs that are not finished because of an interruption."""
    retryable: int = 0
    """The number of errors that a resumed run tries again."""
    names: dict[str, None] = field(default_factory=dict[str, None])
    """The names of the criteria, in order."""
    rows: list[Row] = field(default_factory=list[Row])
    calibrations: dict[AppliedCalibration, None] = field(default_factory=dict[AppliedCalibration, None])
    """The calibrations of confidences, in the order of use."""
    uncalibrated: bool = False
    """Whether there is a confidence without a calibration."""

    def add(self, case: CaseResult, findings: Iterable[Finding]) -> None:
        """Count one run."""
        found = list(findings)
        unfinished = any(item.unfinished for item in found)
        unread = not was_read(case) and not unfinished
        self.unread_logs += unread and case.run is None
        self.unread_runs += unread and case.run is not None
        if not unread:
            self.counts.update(item.status for item in found if not item.unfinished)
        self.unfinished += unfinished
        self.retryable += sum(item.error is not None and item.error.retryable for item in found)
        self.runs += was_read(case)
        statuses: dict[str, Status] = {
            item.name: item.status for item in found if item.result and not item.unfinished
        }
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
        tally.add(case.result, findings_of(case.result, decides=report.run.decides))
    if report.run.logs is not None:
        tally.names |= dict.fromkeys(report.run.logs.criteria)
    return tally


def was_read(case: CaseResult) -> bool:
    """Whether the case is a run that was read, not a log that could not be read."""
    return case.error is None or bool(case.criteria)


def run_name(several: set[str], source: str, run: int | None) -> str:
    """The name of a run: its log, with its number if the log is in ``several``, the logs with several runs."""
    return clean(f"{source} run {run}" if run is not None and source in several else source)


def source_of(case: CaseResult) -> str:
    """The log of a run."""
    return case.source or case.eval_set_id
