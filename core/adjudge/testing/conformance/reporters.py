"""What every reporter must keep."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from adjudge.extension.protocols import ReportedCase, Reporter, RunReport
from adjudge.extension.specs import ReporterSpec
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.result import (
    CaseResult,
    CriterionResult,
    CriterionSummary,
    InvocationResult,
    RunInfo,
    RunSummary,
)
from adjudge.model.verdict import Status, Verdict
from adjudge.testing.conformance.cases import criterion_cases
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.log_results import log_results, logs_info, prepared
from adjudge.testing.reported_case import FinishedCase


class ReporterConformance(ComponentConformance[ReporterSpec]):
    """Subclass it and set ``component``."""

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
    """What a report says of the run as a whole."""

    def test_a_run_without_cases_is_written(self, tmp_path: Path) -> None:
        """An interrupted run may have nothing to show."""
        assert self._written(tmp_path, [])

    def test_every_status_is_written(self, tmp_path: Path) -> None:
        """Passed, failed, unsure, not applicable, informational, and agents that broke; in any script."""
        for detailed in (False, True):
            assert self._written(tmp_path, _every_status(), detailed=detailed)

    def test_the_stream_stays_open(self, tmp_path: Path) -> None:
        """The core opens and closes the file."""
        reporter: Reporter = self.build(tmp_path)
        stream = io.BytesIO()
        reporter.write(self._report(_every_status()), stream)
        assert not stream.closed, "the reporter closed the stream"

    def test_the_same_run_is_written_the_same(self, tmp_path: Path) -> None:
        """A report is a function of the run: two of them can be compared."""
        assert self._written(tmp_path, _every_status()) == self._written(tmp_path, _every_status())

    def test_a_run_over_logs_is_written(self, tmp_path: Path) -> None:
        """Every verdict and every error of runs that were read from logs, and the same twice."""
        reporter: Reporter = self.build(tmp_path)
        for results in (log_results(), []):
            cases = [FinishedCase(result=result, case=EvalCase(eval_id=result.eval_id)) for result in results]
            report = self._report(cases)
            over_logs = {"agent": None, "logs": logs_info(), "prepared": prepared()}
            report = replace(report, run=self.run.model_copy(update=over_logs))
            first, second = io.BytesIO(), io.BytesIO()
            reporter.write(report, first)
            reporter.write(report, second)
            assert first.getvalue(), "nothing was written"
            assert first.getvalue() == second.getvalue(), "the same verdicts were written differently"
            assert not first.closed, "the reporter closed the stream"

    def _written(self, folder: Path, cases: Sequence[ReportedCase], *, detailed: bool = False) -> bytes:
        reporter: Reporter = self.build(folder)
        stream = io.BytesIO()
        reporter.write(self._report(cases, detailed=detailed), stream)
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


_SCORES: dict[Status, float | None] = {
    "PASS": 1.0,
    "FAIL": 0.25,
    "UNSURE": None,
    "error": None,
    "not_applicable": None,
    "informational": 0.5,
}
_UNFRIENDLY = "だめ <b>&\"'</b> ]]> \x1b[31m \x00 \u202e 👩🏽‍💻"


def _every_status() -> list[ReportedCase]:
    tested = list(criterion_cases(simulated=True))
    statuses: list[Status] = [*_SCORES, *_SCORES]
    reported = [
        FinishedCase(result=_case_result(case.case.eval_id, status), case=case.case, actual=case.actual)
        for case, status in zip(tested, statuses, strict=False)
    ]
    broken = CaseResult(
        eval_set_id="set",
        eval_set_file="folder/set.evalset.json",
        eval_id="agent_broke",
        status="error",
        error=Failure(code="agent_raised", message=_UNFRIENDLY, origin="python:agent", retryable=True),
    )
    return [*reported, FinishedCase(result=broken, case=tested[0].case)]


def _case_result(eval_id: str, status: Status) -> CaseResult:
    verdict = Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None
    failure = Failure(code="criterion_raised", message=_UNFRIENDLY) if status == "error" else None
    per_invocation = InvocationResult(
        status=status,
        verdict=verdict,
        score=_SCORES[status],
        reasoning=_UNFRIENDLY,
        unsure_code="split_votes" if status == "UNSURE" else None,
        error=failure,
        details={"expected": _UNFRIENDLY, "rows": [1, None, {"a": 2.5}]},
    )
    criterion = CriterionResult(
        criterion_name="helpful",
        criterion="acme/helpful",
        status=status,
        verdict=verdict,
        score=_SCORES[status],
        threshold=None if status == "informational" else 0.8,
        reasoning=_UNFRIENDLY,
        error=failure,
        scored=0 if _SCORES[status] is None else 1,
        total=0 if status == "not_applicable" else 1,
        per_invocation=(per_invocation,),
    )
    return CaseResult(
        eval_set_id="set",
        eval_set_file="folder/set.evalset.json",
        eval_id=eval_id,
        status=status,
        verdict=verdict,
        criteria=(criterion,),
        duration=0.5,
    )
