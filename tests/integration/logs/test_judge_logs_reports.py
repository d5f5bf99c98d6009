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

from adjudge import RunResult
from adjudge.extension.loader import Extensions, discover
from adjudge.model.evidence import UnsureCode
from adjudge.plugin import (
    Host,
    NoConfig,
    Reporter,
    ReporterSpec,
    RunReport,
    hookimpl,
)
from adjudge.testing import FakeHost, as_candidate, manager
from adjudge_plugins.reporters import console_reporter, json_reporter, junit_reporter
from adjudge_plugins.reporters.json_reporter.schema import result_schema

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "ai-judge.md"


def written(result: RunResult, plugin: object, folder: Path) -> bytes:
    [registered] = manager(plugin).reporters
    stream = io.BytesIO()
    with result.report() as report:
        registered.spec.factory(NoConfig(), FakeHost(folder)).write(report, stream)
    return stream.getvalue()


def closed(schema: Any) -> Any:
    """The schema, with keys that it does not name forbidden: the published one lets newer minor versions pass."""
    if isinstance(schema, dict):
        strict = {key: closed(value) for key, value in cast("dict[str, Any]", schema).items()}
        return {**strict, "additionalProperties": False} if "properties" in strict else strict
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


@pytest.fixture
def everything(judging: Any, of_logs: Any) -> RunResult:
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
    result: RunResult = judging.run(["a.json", "b.json", "odd.json"], *criteria, both)
    return result


def test_the_json_is_what_its_schema_says(everything: RunResult, tmp_path: Path) -> None:
    raw = written(everything, json_reporter, tmp_path)
    document = json.loads(raw.decode("utf-8"))
    jsonschema.Draft202012Validator(closed(result_schema())).validate(document)

    summary = document["summary"]
    assert (summary["verdict"], summary["exit_status"], summary["cases"]) == ("FAIL", 1, 3)
    assert summary["counts"] == {"FAIL": 2, "error": 1}
    read, second, unread = document["cases"]
    assert [(case["source"], case["run"]) for case in document["cases"]] == [
        ("a.json", 1),
        ("b.json", 1),
        ("odd.json", None),
    ]
    assert {(case["eval_set_id"], case["eval_id"]) for case in document["cases"]} == {(None, None)}
    assert (read["reader"], read["steps"], read["verdict"]) == ("history-log-reader/history_log", 2, "FAIL")
    assert [row["verdict"] for row in read["criteria"]] == ["PASS", "FAIL", "UNSURE", "UNSURE", None, "FAIL"]
    good = read["criteria"][0]
    assert list(good)[:6] == [
        "criterion_name",
        "verdict",
        "reasoning",
        "confidence_score",
        "used_granularity",
        "evidence",
    ]
    assert good["evidence"]["citations"][0]["step"] == 2
    assert good["criterion_sha256"] == document["run"]["prepared"]["good"]["sha256"]
    broken = next(row for row in second["criteria"] if row["criterion_name"] == "broken")
    assert (broken["status"], broken["error"]["code"]) == ("error", "judge_unreadable")
    assert (unread["criteria"], unread["error"]["code"]) == ([], "log_unreadable")
    assert (unread["reader"], unread["verdict"], unread["task_decomposition"]) == (None, None, None)
    assert written(everything, json_reporter, tmp_path) == raw


def test_decomposition_and_views_are_those_of_the_seed_and_stand_once(
    judging: Any, of_logs: Any, tmp_path: Path
) -> None:
    result = judging.run(judging.log(), of_logs.OUTCOME, of_logs.PROCESS)
    [case] = json.loads(written(result, json_reporter, tmp_path))["cases"]

    [first, *others] = case["aggregated_steps"]
    assert [view["granularity"] for view in (first, *others)] == ["global_summary", "step_level"]
    assert list(first) == ["granularity", "aggregated_content", "step_mapping", "summary_metadata"]
    assert others[0]["step_mapping"] == {"Step 2": [2], "Step 3": [3]}
    assert [step for cluster in case["task_decomposition"]["clusters"] for step in cluster["steps"]] == [2, 3]
    assert all("aggregated_steps" not in row and "task_decomposition" not in row for row in case["criteria"])


def test_what_is_measured_has_a_reason_and_evidence_too(judging: Any, tmp_path: Path) -> None:
    result = judging.run(judging.log(), {"criterion": "step_count", "name": "Steps", "maximum": 1}, judge=())
    document = json.loads(written(result, json_reporter, tmp_path))
    jsonschema.Draft202012Validator(closed(result_schema())).validate(document)

    [row] = document["cases"][0]["criteria"]
    assert (row["verdict"], row["score"], row["threshold"]) == ("FAIL", 2.0, 1.0)
    assert (row["used_granularity"], row["confidence_score"]) == ("step_level", None)
    assert row["reasoning"]
    assert set(row["evidence"]) == {"citations", "absences"}
    assert len(row["criterion_sha256"]) == 64


def test_every_reason_code_is_documented() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("| reason code | meaning |")[2].partition("\n\n")[0]
    listed = result_schema()["$defs"]["CriterionRow"]["properties"]["reason_codes"]["description"]
    codes = set(re.findall(r"`(\w+)`", listed))

    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == codes
    assert codes >= set(get_args(UnsureCode))


def test_junit_has_a_suite_a_log_and_a_case_a_criterion(everything: RunResult, tmp_path: Path) -> None:
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
    everything: RunResult, tmp_path: Path
) -> None:
    screen = written(everything, console_reporter, tmp_path).decode()
    lines = screen.splitlines()

    assert lines[0].split() == ["log", "good", "bad", "open", "none", "broken", "both"]
    assert lines[1].split() == ["a.json", "PASS", "FAIL", "UNSURE", "UNSURE", "error", "FAIL"]
    assert lines[3].split() == ["odd.json", *["error"] * 6]
    assert "      step 2 observation: “17: milk, 1.09. 18: oat milk, 1.49.”" in lines
    assert "no trace reader knows this format" in screen
    assert "\x1b" not in screen and "\x00" not in screen
    assert (
        "\nFAIL  4 verdicts failed, 2 could not be measured, 4 undecided, 2 passed   2 runs, 1 log not read"
    ) in screen


def test_long_names_of_criteria_are_numbered(judging: Any, of_logs: Any, tmp_path: Path) -> None:
    names = [f"The agent does what is asked of it, part {n}" for n in range(3)]
    judged = judging.run(judging.log(), *({**of_logs.OUTCOME, "name": name} for name in names))
    lines = written(judged, console_reporter, tmp_path).decode().splitlines()

    assert lines[0].split() == ["log", "(1)", "(2)", "(3)"]
    assert lines[2:5] == [f"  ({n + 1})  {name}" for n, name in enumerate(names)]


def test_a_row_of_the_table_is_a_line_however_long_the_name_of_the_log(
    judging: Any, of_logs: Any, tmp_path: Path
) -> None:
    name = f"{'folder/' * 12}运行记录/the-one-that-differs.json"
    lines = written(judging.run(judging.log(name=name), of_logs.OUTCOME), console_reporter, tmp_path)
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
        judged = judging.run([judging.log(), "odd.json", "other.json"], of_logs.OUTCOME, **options)
        screen = written(judged, console_reporter, tmp_path).decode()

        assert screen.count("no trace reader knows this format") == 2
        assert screen.count("    swe_agent: not found") == 1
        assert screen.count("(the rest as above)") == 1


class _Strange:
    @hookimpl.reporters
    def reporters(self) -> list[ReporterSpec]:
        class Lines:
            def write(self, report: RunReport, stream: Any) -> None:
                for case in report.cases():
                    stream.write(f"{case.result.source} {case.result.verdict}\n".encode())

        def make(_config: NoConfig, _host: Host) -> Reporter:
            return Lines()

        return [ReporterSpec(name="lines", summary="A line a case.", factory=make, suffixes=(".lines",))]


def test_a_strangers_reporter_is_given_runs_in_logs_like_cases(judging: Any, of_logs: Any) -> None:
    extensions = Extensions([*discover(), *judging.candidates(), as_candidate("lines", _Strange())])
    judging.run(judging.log(), of_logs.OUTCOME, outputs=["out.lines"], extensions=extensions)

    assert Path("out.lines").read_text() == "log.json PASS\n"


def test_reports_are_written_whole(judging: Any, of_logs: Any) -> None:
    judging.run(judging.log(), of_logs.OUTCOME, outputs=["out.json", "out.xml"])
    assert json.loads(Path("out.json").read_text())["summary"]["status"] == "PASS"
    assert ElementTree.parse("out.xml").getroot().get("tests") == "1"  # noqa: S314 - our own
