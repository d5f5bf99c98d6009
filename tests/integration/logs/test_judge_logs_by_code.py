"""Criteria that measure logs by code: without a judge, beside criteria in words, in every report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.model import Verdict
from adjudge.testing.log_runs import judged_sync

LOOPS = {"name": "Loops", "criterion": "action_repeats", "maximum": 2}
TOOLS = {"criterion": "unknown_tools", "maximum": 0}
CLICK = {"action": "click(4)", "error": "Button 4 is not clickable"}
LOOPING = [{"step": number, **CLICK} for number in (3, 4, 5)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loops.json").write_text(json.dumps(LOOPING))
    (tmp_path / "works.json").write_text(json.dumps(LOOPING[:1]))
    return tmp_path


def test_a_folder_of_logs_is_measured_without_a_judge(folder: Path) -> None:
    judged = judged_sync(["loops.json", "works.json"], [LOOPS])

    assert judged.exit_status == 1
    assert judged.judges == {}
    [criterion] = judged.measured
    assert (criterion.name, criterion.threshold, criterion.lower_is_better) == ("Loops", 2.0, True)
    failed, passed = (log.results[0] for log in judged.logs)
    assert (failed.verdict, failed.score, failed.threshold) == (Verdict.FAIL, 3.0, 2.0)
    assert {(item.step, item.field) for item in failed.evidence.citations} == {
        (3, "action"),
        (4, "action"),
        (5, "action"),
    }
    assert failed.criterion_sha256 == criterion.sha256
    assert failed.confidence_score is None
    assert (passed.verdict, passed.score) == (Verdict.PASS, 1.0)
    assert passed.evidence.absences, "a count of nothing is evidence too"


def test_words_and_code_stand_in_one_file(judging: Any, of_logs: Any) -> None:
    judged = judging(judging.log(), of_logs.OUTCOME, LOOPS)

    [log] = judged.logs
    assert [(item.criterion_name, item.verdict) for item in log.results] == [
        ("Success", Verdict.PASS),
        ("Loops", Verdict.PASS),
    ]
    in_words = {key: value for key, value in of_logs.OUTCOME.items() if key != "name"}
    named = judging(judging.log(), {**in_words, "name": "Success", "criterion": "ai_judge"}, LOOPS)
    assert named.criteria == judged.criteria, "a config names ai_judge, and a criteria file may"


def test_what_does_not_apply_is_no_verdict(folder: Path) -> None:
    both = judged_sync("works.json", [LOOPS, TOOLS])
    [log] = both.logs
    assert [item.criterion_name for item in log.results] == ["Loops"]
    assert [(item.criterion_name, item.reasoning) for item in log.not_applicable] == [
        ("unknown_tools", "the run declares no tools")
    ]
    assert both.exit_status == 3, "it applies to no run of the command"
    [error] = both.errors
    assert (error.criterion_name, error.error.code) == ("unknown_tools", "nothing_measured")

    alone = judged_sync("works.json", [TOOLS])
    [error] = alone.errors
    assert error.error.code == "nothing_measured"
    assert alone.exit_status == 3


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ({"criterion": "action_repeats"}, "no criterion has a threshold that a score can miss"),
        ({"criterion": "acton_repeats", "maximum": 1}, "Did you mean 'action_repeats'?"),
        ({"criterion": "action_repeats", "maxmum": 1}, "maxmum"),
        (
            {"criterion": "response_match_score", "threshold": 0.8},
            "it needs an expected conversation, a reference answer ('final_response'), which a log",
        ),
        ({"criterion": "tool_trajectory_avg_score"}, "which a log does not have"),
        ({"criterion": "action_repeats", "maximum": "two"}, "'maximum' must be a finite number, found 'two'"),
        (
            {"criterion": "action_repeats", "maximum": float("inf")},
            "'maximum' must be a finite number, found inf",
        ),
        (
            {"criterion": "done_without_action", "maximum": 1},
            "no criterion has a threshold that a score can miss",
        ),
        ({"criterion": 3, "maximum": 2}, "'criterion' must be the name of a component"),
    ],
)
def test_what_cannot_measure_a_log_is_told_before_it_is_read(
    folder: Path, criterion: dict[str, object], message: str
) -> None:
    with pytest.raises(adjudge.AdjudgeError) as caught:
        judged_sync("works.json", [{"name": "It", **criterion}])
    assert message in str(caught.value)


def test_a_configuration_measures_logs_as_it_measures_eval_sets(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    run = request.getfixturevalue("adjudge")
    criteria = {"Loops": {"criterion": "action_repeats", "maximum": 2}, "tool_call_count_v1": {}}
    (folder / "test_config.json").write_text(json.dumps({"criteria": criteria}))

    done = run("judge", "loops.json", "--criteria", "test_config.json", "--output", "r.json")

    assert (done.returncode, done.stderr) == (1, "")
    [case] = json.loads((folder / "r.json").read_text())["cases"]
    assert {item["criterion_name"]: item["status"] for item in case["criteria"]} == {
        "Loops": "FAIL",
        "tool_call_count_v1": "informational",
    }


def test_a_criteria_file_that_is_wrong_asks_for_no_judge(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    run = request.getfixturevalue("adjudge")
    (folder / "criteria.json").write_text(json.dumps([{"name": "repeated_errors", "maximum": 1}]))

    done = run("judge", "loops.json", "--criteria", "criteria.json")

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: criteria.json, $[0]: criterion has no 'description'.",
        "  An installed criterion, which needs none, is named by 'criterion'.",
    ]


def test_every_report_has_it(folder: Path, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue("adjudge")
    (folder / "criteria.json").write_text(json.dumps([LOOPS, TOOLS]))
    command = ["judge", "loops.json", "works.json", "--criteria", "criteria.json"]
    done = run(*command, "--output", "r.json", "--output", "r.xml")

    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["log", "Loops", "unknown_tools"],
        ["loops.json", "FAIL", "n/a"],
        ["works.json", "PASS", "n/a"],
    ]
    assert "  FAIL    Loops  3.00, above the threshold 2.00" in lines
    assert (
        "      click with the same arguments, with the same outcome, occurs 3 times: steps 3, 4 and 5"
        in lines
    )
    assert "  n/a     unknown_tools" in lines

    report = json.loads((folder / "r.json").read_text())
    loops, unknown = report["cases"][0]["criteria"]
    assert [item["criterion"].rpartition("/")[2] for item in (loops, unknown)] == [
        "action_repeats",
        "unknown_tools",
    ]
    assert (loops["score"], loops["threshold"]) == (3.0, 2.0)
    assert (unknown["criterion_name"], unknown["status"]) == ("unknown_tools", "not_applicable")
    junit = (folder / "r.xml").read_text()
    assert junit.count("<skipped") == 2
    assert 'tests="5" ' in junit and 'failures="1"' in junit and 'errors="1"' in junit
