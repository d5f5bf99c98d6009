"""Writes JUnit XML: a suite per eval set, a test case per eval case.

A test case is an eval case over all its repeats, because that is what passes or fails. The file is
valid under the schema of Jenkins' xUnit plugin (``junit-10.xsd``), which knows no properties inside
a test case: scores stand in ``system-out``, where CI systems show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import BinaryIO

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from adjudge.kit import render
from adjudge.kit.judged_logs import JudgedLogs, judged_logs
from adjudge.plugin import RunReport


@dataclass(slots=True)
class _Counts:
    """What the attributes of a suite say; known only after its last case."""

    tests: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0
    time: float = 0.0

    def add(self, case: render.WholeCase) -> None:
        self.tests += 1
        self.failures += case.overall.status == "FAIL"
        self.errors += case.overall.status in ("error", "UNSURE")
        self.skipped += case.overall.status == "not_applicable"
        self.time += case.seconds or 0.0


class JUnitReporter:
    """Reads the cases twice, once to count and once to write, so that memory does not grow with them."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the XML."""
        if report.run.logs is not None:
            self._write_logs(judged_logs(report), stream)
            return
        counts = _counted(report)
        stream.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
        stream.write(_opening(_root(report, counts)))
        for number, ((eval_set_id, file), cases) in enumerate(_by_eval_set(report)):
            stream.write(_opening(_suite(report, eval_set_id, file, counts[number])))
            stream.writelines(_serialised(_test_case(case)) + b"\n" for case in cases)
            stream.write(b"</testsuite>\n")
        if _errors_of_run(report):
            stream.write(_serialised(_of_run(report)) + b"\n")
        stream.write(b"</testsuites>\n")

    def _write_logs(self, judged: JudgedLogs, stream: BinaryIO) -> None:
        """Write verdicts on logs."""
        from adjudge_plugins.reporters.junit_reporter.logs import junit_of

        stream.write(junit_of(judged))


def _by_eval_set(
    report: RunReport,
) -> Iterator[tuple[tuple[str, str | None], Iterator[render.WholeCase]]]:
    return groupby(
        render.whole_cases(report), key=lambda case: (case.overall.eval_set_id, case.overall.eval_set_file)
    )


def _counted(report: RunReport) -> list[_Counts]:
    counted: list[_Counts] = []
    for _, cases in _by_eval_set(report):
        counts = _Counts()
        for case in cases:
            counts.add(case)
        counted.append(counts)
    return counted


def _serialised(element: JUnitXml | TestSuite | TestCase) -> bytes:
    return bytes(element.tostring())  # type: ignore[no-untyped-call]  # pyright: ignore[reportUnknownArgumentType]


def _opening(element: JUnitXml | TestSuite) -> bytes:
    """Give the element without its end, so that what it contains can be written piece by piece."""
    return re.sub(rb"\s*/>\Z", b">", _serialised(element).removesuffix(b"</testsuite>")) + b"\n"


def _root(report: RunReport, counts: list[_Counts]) -> JUnitXml:
    root = JUnitXml(name=render.clean(report.run.name))
    of_run = len(_errors_of_run(report))
    root.tests = sum(item.tests for item in counts) + of_run
    root.failures = sum(item.failures for item in counts)
    root.errors = sum(item.errors for item in counts) + of_run
    root.time = round(sum(item.time for item in counts), 3)
    return root


def _errors_of_run(report: RunReport) -> list[tuple[str, str, str]]:
    """What is an error whatever the cases came to: the name of its test, the kind, and what is said of it."""
    errors = [
        (f"{criterion.criterion_name} measures something", criterion.error.code, criterion.error.message)
        for criterion in report.summary.criteria
        if criterion.error is not None
    ]
    if report.summary.incomplete:
        what = f"the run was interrupted; finish it with: adjudge resume {report.run.name}"
        errors.append(("the run is finished", "incomplete", what))
    return errors


def _of_run(report: RunReport) -> TestSuite:
    name = render.clean(report.run.name)
    suite = TestSuite(name=name)
    suite.timestamp = render.clean(report.run.started_at)
    for test_name, kind, what in _errors_of_run(report):
        test = TestCase(name=render.clean(test_name), classname=name, time=0)
        test.result = Error(message=render.clean(what), type_=render.clean(kind))
        suite.add_testcase(test)
    return suite


def _suite(report: RunReport, eval_set_id: str, file: str | None, counts: _Counts) -> TestSuite:
    suite = TestSuite(name=render.clean(eval_set_id))
    suite.tests, suite.failures, suite.errors, suite.skipped = (
        counts.tests,
        counts.failures,
        counts.errors,
        counts.skipped,
    )
    suite.time = round(counts.time, 3)
    suite.timestamp = render.clean(report.run.started_at)
    properties = {
        "eval_set_file": file,
        "run": report.run.name,
        "adjudge_version": report.run.adjudge_version,
        "plan_hash": report.run.plan_hash,
    }
    for name, value in properties.items():
        if value is not None:
            suite.add_property(name, render.clean(str(value)))
    return suite


def _test_case(case: render.WholeCase) -> TestCase:
    overall = case.overall
    test = TestCase(
        name=render.clean(overall.eval_id),
        classname=render.clean(overall.eval_set_id),
        time=round(case.seconds or 0.0, 3),
    )
    if overall.status in ("FAIL", "error", "UNSURE"):
        kind = Failure if overall.status == "FAIL" else Error
        lines = [str(item) for item in render.explained(case)]
        result = kind(message=lines[0] if lines else overall.status, type_=overall.status)
        result.text = "\n".join(lines)
        test.result = result
    elif overall.status == "not_applicable":
        error = overall.error
        test.result = Skipped(message=overall.status if error is None else render.clean(error.message))
    if overall.criteria:
        test.system_out = "\n".join(_scores(case))
    return test


def _scores(case: render.WholeCase) -> Iterator[str]:
    for criterion in case.overall.criteria:
        score = "-" if criterion.mean is None else render.score_text(criterion.mean, criterion.threshold)
        threshold = (
            "" if criterion.threshold is None else f", threshold {render.threshold_text(criterion.threshold)}"
        )
        yield render.clean(f"{criterion.criterion_name}: {score}{threshold}, {criterion.status}")
