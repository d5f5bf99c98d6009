"""Writes JUnit XML: a suite per eval set with a test case per eval case, or a suite per run in a log with one per criterion.

A test case is an eval case over all its repeats, because that is what passes or fails. The file is
valid under the schema of Jenkins' xUnit plugin (``junit-10.xsd``), which allows no properties inside
a test case: scores are in ``system-out``, where CI systems show them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import BinaryIO

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from adjudge.kit import render
from adjudge.model import Status
from adjudge.plugin import RunReport


@dataclass(frozen=True, slots=True)
class _Test:
    """A lazily built test case: its status is read in both passes, the rest only in the second."""

    status: Status
    seconds: float
    make: Callable[[], TestCase]


@dataclass(frozen=True, slots=True)
class _Suite:
    """A suite, whose test cases are read one at a time."""

    name: str
    file: str | None
    tests: Iterator[_Test]


@dataclass(slots=True)
class _Counts:
    """The attributes of a suite, which are known only after its last case."""

    tests: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0
    time: float = 0.0

    def add(self, test: _Test) -> None:
        self.tests += 1
        self.failures += test.status == "FAIL"
        self.errors += test.status in ("error", "UNSURE")
        self.skipped += test.status == "not_applicable"
        self.time += test.seconds


class JUnitReporter:
    """Reads the cases twice, first to count and then to write, so that memory does not grow with their number."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the XML."""
        counts = _counted(report)
        stream.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
        stream.write(_opening(_root(report, counts)))
        for number, suite in enumerate(_suites(report)):
            stream.write(_opening(_suite(report, suite, counts[number])))
            stream.writelines(_serialised(test.make()) + b"\n" for test in suite.tests)
            stream.write(b"</testsuite>\n")
        if _errors_of_run(report):
            stream.write(_serialised(_of_run(report)) + b"\n")
        stream.write(b"</testsuites>\n")


def _suites(report: RunReport) -> Iterator[_Suite]:
    if report.run.logs is not None:
        for case in report.cases():
            result = case.result
            source = result.source or result.eval_set_id
            findings = render.findings_of(result, decides=report.run.decides)
            tests = (_Test(item.status, 0, partial(_of_finding, source, item)) for item in findings)
            yield _Suite(source if result.run is None else f"{source} run {result.run}", None, tests)
        return
    for (eval_set_id, file), cases in groupby(
        render.whole_cases(report), key=lambda case: (case.overall.eval_set_id, case.overall.eval_set_file)
    ):
        tests = (_Test(case.overall.status, case.seconds or 0.0, partial(_of_case, case)) for case in cases)
        yield _Suite(eval_set_id, file, tests)


def _counted(report: RunReport) -> list[_Counts]:
    counted: list[_Counts] = []
    for suite in _suites(report):
        counts = _Counts()
        for test in suite.tests:
            counts.add(test)
        counted.append(counts)
    return counted


def _serialised(element: JUnitXml | TestSuite | TestCase) -> bytes:
    return bytes(element.tostring())  # type: ignore[no-untyped-call]  # pyright: ignore[reportUnknownArgumentType]


def _opening(element: JUnitXml | TestSuite) -> bytes:
    """The XML of an element without its end tag, so that its content can be written piece by piece."""
    return re.sub(rb"\s*/>\Z", b">", _serialised(element).removesuffix(b"</testsuite>")) + b"\n"


def _root(report: RunReport, counts: list[_Counts]) -> JUnitXml:
    root = JUnitXml(name=render.clean(report.run.name))
    of_run = len(_errors_of_run(report))
    root.tests = sum(item.tests for item in counts) + of_run
    root.failures = sum(item.failures for item in counts)
    root.errors = sum(item.errors for item in counts) + of_run
    spent = sum(item.time for item in counts) if report.run.logs is None else report.run.duration
    root.time = round(spent, 3)
    return root


def _errors_of_run(report: RunReport) -> list[tuple[str, str, str]]:
    """The errors of the whole run, as (test name, kind, message)."""
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


def _suite(report: RunReport, found: _Suite, counts: _Counts) -> TestSuite:
    suite = TestSuite(name=render.clean(found.name))
    suite.tests, suite.failures, suite.errors, suite.skipped = (
        counts.tests,
        counts.failures,
        counts.errors,
        counts.skipped,
    )
    suite.time = round(counts.time, 3)
    suite.timestamp = render.clean(report.run.started_at)
    properties = {
        "eval_set_file": found.file,
        "run": report.run.name,
        "adjudge_version": report.run.adjudge_version,
        "plan_hash": report.run.plan_hash,
    }
    for name, value in properties.items():
        if value is not None:
            suite.add_property(name, render.clean(str(value)))
    return suite


def _of_case(case: render.WholeCase) -> TestCase:
    overall = case.overall
    test = TestCase(
        name=render.clean(overall.eval_id),
        classname=render.clean(overall.eval_set_id),
        time=round(case.seconds or 0.0, 3),
    )
    if overall.status in ("FAIL", "error", "UNSURE"):
        kind = Failure if overall.status == "FAIL" else Error
        lines = [str(item) for item in render.explained(case)]
        result = kind(message=render.headline(case), type_=overall.status)
        result.text = "\n".join(lines)
        test.result = result
    elif overall.status == "not_applicable":
        error = overall.error
        test.result = Skipped(message=overall.status if error is None else render.clean(error.message))
    if overall.criteria:
        test.system_out = "\n".join(_scores(case))
    return test


def _of_finding(source: str, item: render.Finding) -> TestCase:
    """The test case for a criterion on a run in a log. UNSURE and unmeasured results become errors."""
    test = TestCase(name=render.clean(item.name), classname=render.clean(source), time=0)
    text = "\n".join(map(str, item.lines()))
    if item.status in ("FAIL", "error", "UNSURE"):
        kind = Failure if item.status == "FAIL" else Error
        of_kind = item.error.code if item.error is not None else item.status
        result = kind(message=render.clean(item.reasoning), type_=render.clean(of_kind))
        result.text = text
        test.result = result
    elif item.status == "not_applicable":
        test.result = Skipped(message=render.clean(item.reasoning))
    else:
        test.system_out = text
    return test


def _scores(case: render.WholeCase) -> Iterator[str]:
    for criterion in case.overall.criteria:
        yield render.clean(f"{criterion.criterion_name}: {render.brief_text(criterion)}")
