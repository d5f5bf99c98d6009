"""What comes out of judging logs: JSON that its schema holds, JUnit, and the screen."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any, cast, get_args
from xml.etree import ElementTree

import jsonschema
import pytest

from adjudge.kit.judged_logs import JudgedLogs
from adjudge.model.evidence import UnsureCode
from adjudge.plugin import (
    Host,
    NoConfig,
    Reporter,
    ReporterSpec,
    RunReport,
    hookimpl,
)
from adjudge.testing import FakeHost, manager
from adjudge_plugins.reporters import console_reporter, json_reporter, junit_reporter
from adjudge_plugins.reporters.json_reporter.logs_document import logs_schema

PUBLISHED = Path(__file__).parents[3] / "docs" / "reference" / "judge-result.schema.json"


def written(judged: JudgedLogs, plugin: object, folder: Path) -> bytes:
    [registered] = manager(plugin).reporters
    stream = io.BytesIO()
    registered.spec.factory(NoConfig(), FakeHost(folder))._write_logs(judged, stream)  # type: ignore[attr-defined]
    return stream.getvalue()


def closed(schema: Any) -> Any:
    """The schema, with keys that it does not name forbidden: the published one lets newer minor versions pass."""
    if isinstance(schema, dict):
        strict = {key: closed(value) for key, value in cast("dict[str, Any]", schema).items()}
        return {**strict, "additionalProperties": False} if "properties" in strict else strict
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


@pytest.fixture
def everything(judging: Any, of_logs: Any) -> JudgedLogs:
    """Every verdict, and errors of logs and of criteria, in text that is not friendly."""
    unfriendly = "だめ <b>&\"'</b> ]]> \x1b[31m \x00"
    steps = [
        *of_logs.STEPS,
        {"step": 4, "thinking": unfriendly, "action": "done()", "observation": unfriendly},
    ]
    judging.log(name="a.json")
    judging.log(steps, name="b.json", task=unfriendly)
    Path("odd.json").write_text('{"foo": 1}')
    labels = {"good": "met", "bad": "not_met", "open": "cannot_tell", "none": "not_applicable"}
    judging.verdict = lambda text: labels.get(text.split()[2], "off the menu")
    criteria = [
        {"name": name, "description": "The result.", "checks": [f"The result {name} is there."]}
        for name in (*labels, "broken")
    ]
    both = {"name": "both", "description": "Two.", "checks": ["The result good is.", "The result bad is."]}
    judged: JudgedLogs = judging(["a.json", "b.json", "odd.json"], *criteria, both)
    return judged


def test_the_json_is_what_its_schema_says(everything: JudgedLogs, tmp_path: Path) -> None:
    raw = written(everything, json_reporter, tmp_path)
    document = json.loads(raw.decode("utf-8"))
    jsonschema.Draft202012Validator(closed(logs_schema())).validate(document)

    assert document["summary"]["counts"] == {"PASS": 2, "FAIL": 4, "UNSURE": 4, "error": 3}
    assert (document["summary"]["status"], document["summary"]["exit_status"]) == ("FAIL", 1)
    assert [log["source"] for log in document["logs"]] == ["a.json", "b.json"]
    good = document["logs"][0]["results"][0]
    assert list(good)[:6] == [
        "criterion_name",
        "verdict",
        "reasoning",
        "confidence_score",
        "used_granularity",
        "evidence",
    ]
    assert good["evidence"]["citations"][0]["step"] == 2
    assert {(error["source"], error["criterion_name"]) for error in document["errors"]} == {
        ("a.json", "broken"),
        ("b.json", "broken"),
        ("odd.json", None),
    }
    assert written(everything, json_reporter, tmp_path) == raw


def test_the_published_schema_of_verdicts_on_logs_is_the_schema() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == logs_schema(), (
        "write it again: python -m adjudge_plugins.reporters.json_reporter.logs_document > "
        "docs/reference/judge-result.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(logs_schema())


def test_every_reason_code_is_documented() -> None:
    guide = (PUBLISHED.parents[1] / "guide" / "ai-judge.md").read_text(encoding="utf-8")
    table = guide.partition("| reason code | meaning |")[2].partition("\n\n")[0]
    listed = logs_schema()["$defs"]["EvaluationRow"]["properties"]["reason_codes"]["description"]
    codes = set(re.findall(r"`(\w+)`", listed)) - {"UNSURE"}

    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == codes
    assert codes >= set(get_args(UnsureCode))


def test_junit_has_a_suite_a_log_and_a_case_a_criterion(everything: JudgedLogs, tmp_path: Path) -> None:
    root = ElementTree.fromstring(written(everything, junit_reporter, tmp_path))  # noqa: S314 - our own
    suites = {suite.get("name"): suite for suite in root}

    assert list(suites) == ["a.json run 1", "b.json run 1", "odd.json"]
    outcomes = {
        case.get("name"): next((child.tag for child in case if child.tag in ("failure", "error")), "passed")
        for case in suites["a.json run 1"].iter("testcase")
    }
    assert outcomes == {
        "good": "passed",
        "bad": "failure",
        "open": "error",
        "none": "error",
        "both": "failure",
        "broken": "error",
    }
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("13", "4", "7")
    assert "17: milk, 1.09." in "".join(suites["a.json run 1"].itertext())


def test_the_screen_shows_a_table_and_then_the_words_in_the_log(
    everything: JudgedLogs, tmp_path: Path
) -> None:
    screen = written(everything, console_reporter, tmp_path).decode()
    lines = screen.splitlines()

    assert lines[0].split() == ["log", "good", "bad", "open", "none", "broken", "both"]
    assert lines[1].split() == ["a.json", "PASS", "FAIL", "UNSURE", "UNSURE", "error", "FAIL"]
    assert lines[3].split() == ["odd.json", *["error"] * 6]
    assert "      step 2 observation: “17: milk, 1.09. 18: oat milk, 1.49.”" in lines
    assert "no trace reader knows this format" in screen
    assert "\x1b" not in screen and "\x00" not in screen
    assert lines[-1].startswith("FAIL  4 failed, 3 could not be measured, 4 undecided, 2 passed   2 runs")


def test_long_names_of_criteria_are_numbered(judging: Any, of_logs: Any, tmp_path: Path) -> None:
    names = [f"The agent does what is asked of it, part {n}" for n in range(3)]
    judged = judging(judging.log(), *({**of_logs.OUTCOME, "name": name} for name in names))
    lines = written(judged, console_reporter, tmp_path).decode().splitlines()

    assert lines[0].split() == ["log", "(1)", "(2)", "(3)"]
    assert lines[2:5] == [f"  ({n + 1})  {name}" for n, name in enumerate(names)]


def test_a_row_of_the_table_is_a_line_however_long_the_name_of_the_log(
    judging: Any, of_logs: Any, tmp_path: Path
) -> None:
    name = f"{'folder/' * 12}运行记录/the-one-that-differs.json"
    lines = written(judging(judging.log(name=name), of_logs.OUTCOME), console_reporter, tmp_path)
    header, row, *rest = lines.decode().splitlines()

    assert row.startswith("…")
    assert row.split()[0].endswith("/运行记录/the-one-that-differs.json")
    assert row.split()[1:] == ["PASS"]
    assert header.index("Success") == row.index("PASS") + 4, "four letters of the name are two columns wide"
    assert name in "".join(line.strip() for line in rest), "below, the log has its whole name"


def test_what_was_tried_on_logs_that_nobody_reads_is_told_once(
    judging: Any, of_logs: Any, tmp_path: Path
) -> None:
    for name in ("odd.json", "other.json"):
        Path(name).write_text('{"foo": 1}')
    for options in ({}, {"aggregate_only": True}):
        judged = judging([judging.log(), "odd.json", "other.json"], of_logs.OUTCOME, **options)
        screen = written(judged, console_reporter, tmp_path).decode()

        assert screen.count("no trace reader knows this format") == 2
        assert screen.count("    swe_agent: not found") == 1
        assert screen.count("(the rest as above)") == 1


class _RunsOnly:
    @hookimpl.reporters
    def reporters(self) -> list[ReporterSpec]:
        class Html:
            def write(self, report: RunReport, stream: Any) -> None: ...

        def make(_config: NoConfig, _host: Host) -> Reporter:
            return Html()

        return [ReporterSpec(name="html", summary="Runs alone.", factory=make, suffixes=(".html",))]


def test_reports_are_written_whole(judging: Any, of_logs: Any) -> None:
    judging(judging.log(), of_logs.OUTCOME, outputs=["out.json", "out.xml"])
    assert json.loads(Path("out.json").read_text())["summary"]["status"] == "PASS"
    assert ElementTree.parse("out.xml").getroot().get("tests") == "1"  # noqa: S314 - our own
