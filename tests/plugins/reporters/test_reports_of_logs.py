"""Reports of a run over logs that was interrupted: what is not judged yet never looks like a result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from adjudge.kit.viewer import viewed
from adjudge.model.evaluation import CheckResult
from adjudge.model.evidence import Citation, Evidence, Failure
from adjudge.model.result import NOT_FINISHED, CriterionResult, RunSummary
from adjudge.model.verdict import Verdict
from adjudge.plugin import RunReport
from adjudge.testing.log_runs import log_case, report_of
from adjudge_plugins.reporters.console_reporter.reporter import ConsoleReporter
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter
from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter
from adjudge_plugins.reporters.markdown_reporter.reporter import MarkdownReporter

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


def test_markdown_lists_no_run_that_waits_and_the_page_gives_it_no_reason(
    interrupted: RunReport, write: Any
) -> None:
    text = write(MarkdownReporter(), interrupted).decode()

    assert "## 🟣 INCOMPLETE 2 not finished, 1 verdict passed" in text
    assert "did not pass" not in text
    assert WAITING.message not in text
    assert [row["headline"] for row in viewed(interrupted).document["rows"]] == ["", ""]


def test_markdown_has_a_line_for_each_criterion_that_did_not_pass_failures_first(write: Any) -> None:
    quote = Citation(step=2, field="action", quote="buy({})")
    met, not_met = (
        CheckResult(
            check_id=f"c{number}",
            text=text,
            state=state,
            reasoning=why,
            evidence=evidence,
            granularity="step_level",
        )
        for number, text, state, why, evidence in (
            (1, "It looks.", "met", "It looked.", Evidence()),
            (2, "It pays.", "not_met", "It never paid.", Evidence(citations=(quote,))),
        )
    )
    fault = {"step": 2, "agent": "buyer", "source_ref": None, "runners_up": [{"step": 1, "agent": "buyer"}]}
    unsure = result("Open", Verdict.UNSURE).model_copy(
        update={"reasoning": "Nobody can tell.", "reason_codes": ("abstained",)}
    )
    failed = result("Done", Verdict.FAIL).model_copy(
        update={"reasoning": "It pays. (not met): It never paid.", "checks": (met, not_met), "details": fault}
    )
    waiting = result("Care", None)
    report = report_of([log_case("a.json", result("Fine", Verdict.PASS), waiting, unsure, failed)])

    lines = write(MarkdownReporter(), report).decode().split("### What did not pass\n\n")[1].splitlines()

    assert lines[: lines.index("")] == [
        "- 🔴 **FAIL** `a.json#1`",
        "  - **FAIL** `Done` `It pays. (not met): It never paid.` `first error: step 2 (buyer); then step 1 "
        "(buyer)` `step 2 action: “buy({})”`",
        "  - **UNSURE** `Open` `Nobody can tell.` `note: the judge cannot tell from what it was shown`",
    ]
    [row] = viewed(report).document["rows"]
    assert row["headline"] == "Done: It pays. (not met): It never paid.; Open: Nobody can tell."


def test_files_for_programs_say_it_too(interrupted: RunReport, write: Any) -> None:
    document = json.loads(write(JsonReporter(), interrupted))
    root = ElementTree.fromstring(write(JUnitReporter(), interrupted))  # noqa: S314 - it is our own

    assert (document["summary"]["incomplete"], document["summary"]["verdict"]) == (True, None)
    assert [case["verdict"] for case in document["cases"]] == [None, None]
    assert [suite.get("name") for suite in root] == ["a.json run 1", "b.json", "recorded"]
    assert [error.get("type") for error in root.iter("error")] == [NOT_FINISHED, NOT_FINISHED, "incomplete"]
