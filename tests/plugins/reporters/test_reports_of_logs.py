"""Reports of a run over logs that was interrupted: what is not judged yet never looks like a result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from adjudge.model.evidence import Failure
from adjudge.model.result import NOT_FINISHED, CriterionResult, RunSummary
from adjudge.model.verdict import Verdict
from adjudge.plugin import RunReport
from adjudge.testing.log_runs import log_case, report_of
from adjudge_plugins.reporters.console_reporter.reporter import ConsoleReporter
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter
from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter

WAITING = Failure(code=NOT_FINISHED, message="the run was interrupted before this was done", retryable=True)


def result(name: str, verdict: Verdict | None) -> CriterionResult:
    status = "error" if verdict is None else verdict.value
    error = WAITING if verdict is None else None
    return CriterionResult(
        criterion_name=name, criterion="acme/words", status=status, verdict=verdict, error=error
    )


@pytest.fixture
def interrupted() -> RunReport:
    judged = log_case("a.json", result("Done", Verdict.PASS), result("Care", None))
    report = report_of([judged, log_case("b.json", run=None, error=WAITING)])
    return replace(
        report,
        run=report.run.model_copy(update={"finished_at": None}),
        summary=RunSummary(status="error", exit_status=3, incomplete=True, cases=2, counts={"error": 2}),
    )


def test_the_screen_says_what_is_not_finished(interrupted: RunReport, write: Any) -> None:
    lines = write(ConsoleReporter(), interrupted).decode().splitlines()

    assert [line.split() for line in lines[:3]] == [
        ["log", "Done", "Care"],
        ["a.json", "PASS", "-"],
        ["b.json", "-", "-"],
    ]
    assert "not finished:  adjudge resume recorded" in lines
    assert lines[-1].startswith("INCOMPLETE  2 not finished, 1 verdict passed   1 run   run recorded")
    assert WAITING.message not in " ".join(lines)


def test_files_for_programs_say_it_too(interrupted: RunReport, write: Any) -> None:
    document = json.loads(write(JsonReporter(), interrupted))
    root = ElementTree.fromstring(write(JUnitReporter(), interrupted))  # noqa: S314 - it is our own

    assert (document["summary"]["incomplete"], document["summary"]["verdict"]) == (True, None)
    assert [case["verdict"] for case in document["cases"]] == [None, None]
    assert [suite.get("name") for suite in root] == ["a.json run 1", "b.json", "recorded"]
    assert [error.get("type") for error in root.iter("error")] == [NOT_FINISHED, NOT_FINISHED, "incomplete"]
