"""Conformance tests of reporters."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from adjudge.extension.protocols import ReportedCase, Reporter, RunReport
from adjudge.extension.specs import ReporterSpec
from adjudge.model.eval_set import EvalCase
from adjudge.model.result import CriterionSummary, RunInfo, RunSummary
from adjudge.model.verdict import Status, Verdict
from adjudge.testing.conformance.cases import criterion_cases
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.log_results import log_results, logs_info, prepared
from adjudge.testing.conformance.report_formats import well_formed
from adjudge.testing.conformance.results import SCORES, broken_case, case_result
from adjudge.testing.conformance.watching import watched
from adjudge.testing.reported_case import FinishedCase


class ReporterConformance(ComponentConformance[ReporterSpec]):
    """Tests of a reporter. Subclass it and set ``component``."""

    kind: ClassVar[str] = "reporters"
    run: ClassVar[RunInfo] = RunInfo(
        name="conformance",
        started_at="2026-01-01T00:00:00.000+00:00",
        finished_at="2026-01-01T00:00:01.500+00:00",
        duration=1.5,
        adjudge_version="0.1.0",
        python_version="3.11.7",
        plan_hash="0" * 64,
        agent={"target": "agent:agent"},
        eval_sets={},
    )
    """The run that is reported."""

    def test_a_run_without_cases_is_written(self, tmp_path: Path) -> None:
        """A run without cases is written: an interrupted run may have none."""
        assert self._written(tmp_path, []), "nothing is written of a run without cases"

    def test_every_status_is_written(self, tmp_path: Path) -> None:
        """Cases of every status and of failed agents are written, with texts in several scripts."""
        for detailed in (False, True):
            assert self._written(tmp_path, _every_status(), detailed=detailed)

    def test_the_stream_stays_open(self, tmp_path: Path) -> None:
        """The reporter does not close the stream, which belongs to the core."""
        reporter: Reporter = self.build(tmp_path)
        stream = io.BytesIO()
        reporter.write(self._report(_every_status()), stream)
        assert not stream.closed, "the reporter closed the stream"

    def test_the_same_run_is_written_the_same(self, tmp_path: Path) -> None:
        """Writing the same run twice gives equal reports."""
        first, second = (self._written(tmp_path, _every_status()) for _ in range(2))
        assert first == second, "the same run is written differently each time"

    def test_a_run_over_logs_is_written(self, tmp_path: Path) -> None:
        """Runs in logs with every verdict and kind of error are written, twice with equal reports."""
        for results in (log_results(), []):
            cases = [FinishedCase(result=result, case=EvalCase(eval_id=result.eval_id)) for result in results]
            report = self._report(cases)
            over_logs = {"agent": None, "logs": logs_info(), "prepared": prepared()}
            report = replace(report, run=self.run.model_copy(update=over_logs))
            first, second = (self._written_of(tmp_path, report) for _ in range(2))
            assert first, "nothing was written"
            assert first == second, "the same verdicts were written differently"

    def _written(self, folder: Path, cases: Sequence[ReportedCase], *, detailed: bool = False) -> bytes:
        return self._written_of(folder, self._report(cases, detailed=detailed))

    def _written_of(self, folder: Path, report: RunReport) -> bytes:
        reporter: Reporter = self.build(folder)
        stream = io.BytesIO()
        with watched("write"):
            found: object = reporter.write(report, stream)  # type: ignore[func-returns-value]
        assert found is None, (
            f"write returned {type(found).__name__}; it returns nothing, and is no coroutine function"
        )
        assert not stream.closed, "the reporter closed the stream"
        well_formed(stream.getvalue(), self.spec.suffixes)
        return stream.getvalue()

    def _report(self, cases: Sequence[ReportedCase], *, detailed: bool = False) -> RunReport:
        def each() -> Iterator[ReportedCase]:
            return iter(cases)

        counts: dict[Status, int] = {}
        for case in cases:
            counts[case.result.status] = counts.get(case.result.status, 0) + 1
        criterion = CriterionSummary(
            criterion_name="helpful", criterion="acme/helpful", mean=0.5, counts=counts
        )
        summary = RunSummary(
            status="FAIL" if cases else "error",
            verdict=Verdict.FAIL if cases else None,
            exit_status=1 if cases else 3,
            cases=len(cases),
            counts=counts,
            criteria=(criterion,) if cases else (),
        )
        return RunReport(
            run=self.run, summary=summary, cases=each, warnings=("a plugin was slow ✂",), detailed=detailed
        )


def _every_status() -> list[ReportedCase]:
    tested = list(criterion_cases(simulated=True))
    statuses: list[Status] = [*SCORES, *SCORES]
    reported = [
        FinishedCase(result=case_result(case.case.eval_id, status), case=case.case, actual=case.actual)
        for case, status in zip(tested, statuses, strict=False)
    ]
    return [*reported, FinishedCase(result=broken_case(), case=tested[0].case)]
