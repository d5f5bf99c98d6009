"""JUnit XML: the shape that CI systems read, and what people see in it."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from junitparser import JUnitXml

from adjudge.model.evidence import Failure
from adjudge.model.measurement import Outcome
from adjudge.plugin import RunReport
from adjudge.testing import ReporterConformance
from adjudge_plugins.reporters import junit_reporter
from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter

# The schema of Jenkins' xUnit plugin (junit-10.xsd): attributes, those that must be there, and children.
SHAPE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {
            "name",
            "tests",
            "failures",
            "errors",
            "skipped",
            "time",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
        },
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": (
        {"name", "time", "classname", "group"},
        {"name"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "system-out": (set(), set(), set()),
}


class TestConformance(ReporterConformance):
    plugin = junit_reporter
    component = "junit"


def valid(raw: bytes) -> ElementTree.Element:
    """The root, after every element was held against the schema."""
    root = ElementTree.fromstring(raw)  # noqa: S314 - it is our own
    for element in root.iter():
        allowed, required, children = SHAPE[element.tag]
        assert required <= set(element.attrib) <= allowed, element.attrib
        assert {child.tag for child in element} <= children, element.tag
        if "time" in element.attrib:
            assert re.fullmatch(r"[0-9]+(\.[0-9]*)?", element.attrib["time"])
    return root


def mixed(run_of: Any, a_turn: Any) -> RunReport:
    run = run_of(rules={"answer_match": 0.8, "seconds": None}, value_range=(0.0, 100.0))
    expected, actual = [a_turn("Turn it off.", "It is off.")], [a_turn("Turn it off.", "It is on.")]
    run.add("good", {"answer_match": [1.0], "seconds": [2.5]}, expected=expected, actual=expected)
    run.add(
        "bad", {"answer_match": [0.7999], "seconds": [1.0]}, expected=expected, actual=actual, duration=1.25
    )
    run.add("broken", Failure(code="agent_raised", message="ValueError: boom"))
    run.add("split", {"answer_match": [Outcome.unsure("split_votes", "2 of 4 votes")], "seconds": [1.0]})
    run.add("alone", {"answer_match": [1.0], "seconds": [1.0]}, file="office.evalset.json")
    report: RunReport = run.report()
    return report


def test_a_suite_is_an_eval_set_and_a_test_is_a_case(run_of: Any, a_turn: Any, write: Any) -> None:
    root = valid(write(JUnitReporter(), mixed(run_of, a_turn)))

    assert root.attrib == {"name": "nightly", "tests": "5", "failures": "1", "errors": "2", "time": "3.25"}
    home, office = root
    assert home.attrib == {
        "name": "home",
        "tests": "4",
        "failures": "1",
        "errors": "2",
        "skipped": "0",
        "time": "2.75",
        "timestamp": "2025-12-31T23:59:55.790+00:00",
    }
    assert {item.get("name"): item.get("value") for item in home.iter("property")} == {
        "eval_set_file": "home.evalset.json",
        "run": "nightly",
        "adjudge_version": "0.1.0",
        "plan_hash": "0" * 64,
    }
    assert [(case.get("classname"), case.get("name")) for case in home.iter("testcase")] == [
        ("home", "good"),
        ("home", "bad"),
        ("home", "broken"),
        ("home", "split"),
    ]
    assert [case.get("name") for case in office.iter("testcase")] == ["alone"]


def test_a_failure_is_explained(run_of: Any, a_turn: Any, write: Any) -> None:
    root = valid(write(JUnitReporter(), mixed(run_of, a_turn)))
    good, bad, broken, split = root[0].iter("testcase")

    assert [child.tag for child in good] == ["system-out"]
    assert (
        good.findtext("system-out")
        == "answer_match: 1.00, threshold 0.80, PASS\nseconds: 2.50, informational"
    )
    [failure] = bad.iter("failure")
    assert failure.attrib == {"type": "FAIL", "message": "answer_match 0.7999, below the threshold 0.80"}
    assert "turn 1 of 1  Turn it off." in str(failure.text)
    assert "actual    It is {+on+}." in str(failure.text)
    assert bad.get("time") == "1.25"
    [error] = broken.iter("error")
    assert error.attrib == {"type": "error", "message": "agent_raised: ValueError: boom"}
    [undecided] = split.iter("error")
    assert undecided.get("type") == "UNSURE"
    assert "2 of 4 votes" in str(undecided.text)


def test_the_library_of_the_format_reads_it_back(run_of: Any, a_turn: Any, write: Any) -> None:
    parsed = JUnitXml.fromstring(write(JUnitReporter(), mixed(run_of, a_turn)))

    before = (parsed.tests, parsed.failures, parsed.errors)
    parsed.update_statistics()

    assert (parsed.tests, parsed.failures, parsed.errors) == before == (5, 1, 2)


@pytest.mark.parametrize(("scores", "failures"), [([0.7, 0.9, 1.0], 0), ([0.9, 0.5, 0.4], 1)])
def test_repeats_are_one_test_with_the_verdict_that_decides_the_exit_status(
    run_of: Any, write: Any, scores: list[float], failures: int
) -> None:
    run = run_of()
    for repeat, score in enumerate(scores, 1):
        run.add("flaky", {"answer_match": [score]}, repeat=repeat)

    root = valid(write(JUnitReporter(), run.report()))

    assert (root.get("tests"), root.get("failures"), root.get("time")) == ("1", str(failures), "1.5")


def test_characters_that_xml_does_not_have_are_replaced(run_of: Any, a_turn: Any, write: Any) -> None:
    text = "\x1b[31mred\x1b[0m \x00 \ud800 \ufffe <&\"'> ]]>"
    run = run_of(run={"name": text, "started_at": "2026-01-01T00:00:00Z"})
    run.add(text, {"answer_match": [Outcome.scored(0.1, text)]}, file=text, actual=[a_turn(text, text)])

    root = valid(write(JUnitReporter(), run.report()))

    assert root.get("name") == "red \ufffd \ufffd \ufffd <&\"'> ]]>"
