"""Verdicts on logs as JUnit XML: a suite per run of a log, a test case per criterion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from adjudge.kit import render
from adjudge.kit.judged_logs import JudgedLogs, LogError
from adjudge.model import EvaluationResult, Inapplicable

_Item: TypeAlias = EvaluationResult | Inapplicable | LogError


def junit_of(judged: JudgedLogs) -> bytes:
    """The document. What is undecided or could not be measured is an error; what does not apply is skipped."""
    root = JUnitXml(name="adjudge judge")
    for source, run, items in _suites(judged):
        suite = TestSuite(name=render.clean(source if run is None else f"{source} run {run}"))
        suite.timestamp = render.clean(judged.started_at)
        suite.add_property("adjudge_version", render.clean(judged.adjudge_version))
        suite.add_testcases([_test_case(source, item) for item in items])
        root.add_testsuite(suite)
    root.update_statistics()  # type: ignore[no-untyped-call]
    root.time = judged.duration
    # The library writes the declaration with single quotes, which not every reader of XML likes.
    text = bytes(root.tostring())  # type: ignore[no-untyped-call]  # pyright: ignore[reportUnknownArgumentType]
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + text.split(b"?>\n", 1)[-1] + b"\n"


def _suites(judged: JudgedLogs) -> Iterator[tuple[str, int | None, Sequence[_Item]]]:
    """Every run with its verdicts and its errors, then the logs that could not be read."""
    runs = {(log.source, log.run) for log in judged.logs}
    errors: dict[tuple[str, int | None], list[LogError]] = {}
    for error in judged.errors:
        errors.setdefault((error.source, error.run), []).append(error)
    for log in judged.logs:
        yield log.source, log.run, [*log.results, *log.not_applicable, *errors.get((log.source, log.run), ())]
    for error in judged.errors:
        if (error.source, error.run) not in runs:
            yield error.source, error.run, [error]


def _test_case(source: str, item: _Item) -> TestCase:
    name = item.criterion_name or "log"
    test = TestCase(name=render.clean(name), classname=render.clean(source), time=0)
    if isinstance(item, EvaluationResult) and item.verdict == "PASS":
        test.system_out = "\n".join(map(str, render.judgement_lines(item)))
        return test
    if isinstance(item, Inapplicable):
        test.result = Skipped(message=render.clean(item.reasoning))
        return test
    found: Error | Failure
    if isinstance(item, LogError):
        lines = render.log_error_lines(item)
        found = Error(message=render.clean(item.error.message), type_=render.clean(item.error.code))
    else:
        lines = render.judgement_lines(item)
        kind = Failure if item.verdict == "FAIL" else Error
        found = kind(message=render.clean(item.reasoning), type_=str(item.verdict))
    found.text = "\n".join(map(str, lines))
    test.result = found
    return test
