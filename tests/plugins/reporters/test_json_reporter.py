"""The JSON result: what is in it, that its schema is true, and that it is written in bounded memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import jsonschema
import pytest

from adjudge.model.evidence import Absence, Citation, Evidence, Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.step import Usage
from adjudge.plugin import ReportedCase, RunReport
from adjudge.testing import FinishedCase, ReporterConformance
from adjudge_plugins.reporters import json_reporter
from adjudge_plugins.reporters.json_reporter.schema import result_schema
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter

PUBLISHED = Path(__file__).parents[3] / "docs" / "reference" / "result.schema.json"


class TestConformance(ReporterConformance):
    plugin = json_reporter
    component = "json"


def closed(schema: Any) -> Any:
    """The schema, with keys that it does not name forbidden: the published one lets newer minor versions pass."""
    if isinstance(schema, dict):
        strict = {key: closed(value) for key, value in cast("dict[str, Any]", schema).items()}
        return {**strict, "additionalProperties": False} if "properties" in strict else strict
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


def checked(raw: bytes) -> Any:
    """The document, after the schema said yes to every key and missed none."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    document = json.loads(raw.decode("utf-8"), parse_constant=refuse)
    jsonschema.Draft202012Validator(closed(result_schema())).validate(document)
    return document


def everything(run_of: Any, a_turn: Any) -> RunReport:
    """A run in which every object and every key of the format occurs."""
    run = run_of(rules={"answer_match": 0.8, "seconds": None}, warnings=("something odd",))
    evidence = Evidence(
        citations=(Citation(step=1, field="action", quote="find"),),
        absences=(Absence(steps=(1, 2), scan="delete"),),
    )
    outcomes = [
        Outcome.scored(0.75, "far off", details={"recall": 0.1}, evidence=evidence),
        Outcome.failed("judge_lost", "no reply", origin="judge", retryable=True),
    ]
    turns = [a_turn("Hello", "Hi.", [("find", {"id": 1})]), a_turn("And?", None)]
    for repeat in (1, 2):
        run.add(
            "a",
            {"answer_match": outcomes, "seconds": Measurement(overall=outcomes[0])},
            expected=turns,
            actual=turns[:1],
            repeat=repeat,
        )
        run.add(
            "b", Failure(code="agent_raised", message="boom", origin="python"), actual=None, repeat=repeat
        )
    run.cases.sort(key=lambda case: case.result.eval_id)
    first = run.cases[0]
    used = first.result.model_copy(update={"usage": Usage(input_tokens=3, extra={"x": 1})})
    call = first.actual.invocations[0].steps[0].items[0].model_copy(update={"id": "c1", "raw_args": "id=1"})
    step = first.actual.invocations[0].steps[0].model_copy(update={"items": (call,)})
    turn = first.actual.invocations[0].model_copy(update={"steps": (step,)})
    run.cases[0] = FinishedCase(
        result=used, case=first.case, actual=first.actual.model_copy(update={"invocations": (turn,)})
    )
    return cast("RunReport", run.report())


def test_a_run_is_written_with_every_key_that_the_schema_names(run_of: Any, a_turn: Any, write: Any) -> None:
    document = checked(write(JsonReporter(), everything(run_of, a_turn)))

    assert document["schema_version"] == "2.0"
    assert document["run"]["name"] == "nightly"
    assert document["warnings"] == ["something odd"]
    assert [(row["eval_id"], row["repeat"]) for row in document["cases"]] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
        ("b", 2),
    ]
    row = document["cases"][0]
    assert row["status"] == "error"
    assert row["verdict"] is None
    assert row["usage"]["input_tokens"] == 3
    assert row["usage"]["output_tokens"] is None
    criterion = row["criteria"][0]
    assert (criterion["criterion_name"], criterion["criterion"]) == ("answer_match", "plugin/answer_match")
    assert (criterion["score"], criterion["scored"], criterion["total"]) == (None, 1, 2)
    assert criterion["error"]["code"] == "judge_lost"
    scored, lost = criterion["per_invocation"]
    assert (scored["score"], scored["verdict"], scored["details"]) == (0.75, "FAIL", {"recall": 0.1})
    assert scored["evidence"] == {
        "citations": [{"step": 1, "field": "action", "quote": "find", "shortened": False}],
        "absences": [{"steps": [1, 2], "scan": "delete"}],
    }
    assert (lost["verdict"], lost["status"], lost["error"]["retryable"]) == (None, "error", True)
    assert row["invocations"] == [
        {
            "invocation_id": "",
            "prompt": "Hello",
            "expected_response": "Hi.",
            "actual_response": "Hi.",
            "expected_calls": [{"name": "find", "args": {"id": 1}}],
            "actual_calls": [{"step": 1, "name": "find", "args": {"id": 1}, "id": "c1", "raw_args": "id=1"}],
            "nested_calls": [],
        },
        {
            "invocation_id": "",
            "prompt": "And?",
            "expected_response": None,
            "actual_response": None,
            "expected_calls": [],
            "actual_calls": None,
            "nested_calls": [],
        },
    ]


def test_aggregates_over_repeats_are_in_the_summary(run_of: Any, write: Any) -> None:
    run = run_of()
    for repeat, score in enumerate([0.7, 0.9, 1.0], 1):
        run.add("a", {"answer_match": [score]}, repeat=repeat)

    summary = checked(write(JsonReporter(), run.report()))["summary"]

    assert (summary["cases"], summary["repeats"], summary["counts"]) == (1, 3, {"PASS": 1})
    [case] = summary["repeated"]
    assert case["verdict"] == "PASS"
    assert case["criteria"][0]["mean"] == pytest.approx(0.8667, abs=1e-4)
    assert case["criteria"][0]["standard_deviation"] == pytest.approx(0.1528, abs=1e-4)


def test_the_published_schema_is_the_schema() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == result_schema(), (
        "write it again: python -m adjudge_plugins.reporters.json_reporter.schema > "
        "docs/reference/result.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(result_schema())


def test_a_row_is_one_line(run_of: Any, write: Any) -> None:
    run = run_of().add("one", {"answer_match": [1.0]}).add("two\nlines", {"answer_match": [0.1]})

    rows = [line for line in write(JsonReporter(), run.report()).decode().splitlines() if "eval_id" in line]

    assert [json.loads(row.removesuffix(","))["eval_id"] for row in rows] == ["one", "two\nlines"]


def test_text_stays_readable_and_the_file_is_utf_8(run_of: Any, a_turn: Any, write: Any) -> None:
    turns = [a_turn("寝室の照明 👩🏽‍💻", "half \ud83d of a pair")]
    run = run_of().add("日本", {"answer_match": [1.0]}, expected=turns, actual=turns)

    raw = write(JsonReporter(), run.report())

    assert "寝室の照明 👩🏽‍💻".encode() in raw
    assert checked(raw)["cases"][0]["invocations"][0]["actual_response"] == "half \\ud83d of a pair"


def test_numbers_that_json_does_not_have_are_null(run_of: Any, write: Any) -> None:
    details = {"nan": float("nan"), "deep": [{"inf": float("inf")}], "fine": 0.5}
    run = run_of().add("x", {"answer_match": [Outcome.scored(0.9, details=details)]})

    [row] = checked(write(JsonReporter(), run.report()))["cases"]

    assert row["criteria"][0]["per_invocation"][0]["details"] == {
        "nan": None,
        "deep": [{"inf": None}],
        "fine": 0.5,
    }


class Nowhere:
    """A stream that counts what it is given and keeps nothing."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: bytes) -> int:
        self.size += len(data)
        return len(data)


def test_memory_does_not_grow_with_the_cases(run_of: Any, a_turn: Any) -> None:
    turns = [a_turn("prompt", "answer " * 500)]
    small = run_of().add("x", {"answer_match": [1.0]}, expected=turns, actual=turns)
    [case] = small.cases

    def many() -> Iterator[ReportedCase]:
        for _ in range(2000):
            yield case

    report = RunReport(run=small.report().run, summary=small.report().summary, cases=many)
    stream = Nowhere()
    tracemalloc.start()
    JsonReporter().write(report, cast("BinaryIO", stream))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert stream.size > 10_000_000
    assert peak < 1_000_000
