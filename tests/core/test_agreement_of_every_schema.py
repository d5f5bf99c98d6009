"""``adjudge agreement`` reads the results of this version, and those that earlier versions wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

EVIDENCE = {"citations": [{"step": 3, "field": "action", "quote": "pay()"}], "absences": []}
JUDGING = {"models": ["openai/small"], "votes": 3}
ERROR = {"code": "judge_timeout", "message": "no answer", "origin": None, "retryable": True}
CALIBRATED = {"calibrated": True, "before_calibration": {"verdict": "PASS", "confidence_score": 0.625}}
"""The votes say PASS, and labels that they are not to be believed."""


def said(verdict: str | None, confidence: float | None, **more: Any) -> dict[str, Any]:
    """What all schemas have in common of a criterion in words."""
    return {
        "criterion_name": "done",
        "verdict": verdict,
        "reasoning": "because",
        "evidence": EVIDENCE,
        "judging": JUDGING,
        "confidence_score": confidence,
        "used_granularity": "step_level",
        "criterion_sha256": "abc",
        **more,
    }


WELL, BADLY, OPEN = said("PASS", 0.9), said("FAIL", 0.75), said("UNSURE", None, **CALIBRATED)


def logs_of_schema_2() -> dict[str, Any]:
    of_all = {"status": "-", "details": {}, "per_invocation": [], "error": None}
    broken = said(None, None, status="error", error=ERROR, details={}, per_invocation=[])
    absent = said(None, None, status="not_applicable", details={}, per_invocation=[])
    cases: list[dict[str, Any]] = [
        {"source": source, "run": 1, "steps": 4, "error": None, "criteria": [{**of_all, **result}]}
        for source, result in zip("abcdf", (WELL, BADLY, OPEN, broken, absent), strict=True)
    ]
    unread = {"source": "e", "run": None, "steps": 0, "error": ERROR, "criteria": []}
    return {"schema_version": "2.0", "run": {}, "summary": {}, "cases": [*cases, unread]}


def logs_of_schema_1() -> dict[str, Any]:
    logs = [
        {"source": source, "run": 1, "steps": 4, "results": [result], "not_applicable": []}
        for source, result in zip("abc", (WELL, BADLY, OPEN), strict=True)
    ]
    nothing = [{"criterion_name": "done", "reasoning": "there is no step"}]
    logs += [
        {"source": "d", "run": 1, "steps": 4, "results": [], "not_applicable": []},
        {"source": "f", "run": 1, "steps": 4, "results": [], "not_applicable": nothing},
    ]
    errors = [
        {"source": "d", "run": 1, "criterion_name": "done", "error": ERROR, "checks": []},
        {"source": "e", "run": None, "criterion_name": None, "error": ERROR, "checks": []},
        {"source": "all 4 runs", "run": None, "criterion_name": "other", "error": ERROR, "checks": []},
    ]
    return {"schema_version": "1.0", "summary": {}, "criteria": [], "logs": logs, "errors": errors}


def a_case(name: str, *criteria: dict[str, Any], **more: Any) -> dict[str, Any]:
    where = {"eval_set_id": "s", "eval_set_file": "s.test.json", "eval_id": name, "repeat": 1}
    return {**where, "error": None, "invocations": [{}], "criteria": list(criteria), **more}


def cases_of_schema_2() -> dict[str, Any]:
    of_all = {"status": "-", "details": {}, "per_invocation": [], "error": None}
    results = (WELL, BADLY, OPEN, said(None, None, error=ERROR))
    cases = [
        a_case(name, {**of_all, **result}, source=None, run=None, steps=9)
        for name, result in zip("abcd", results, strict=True)
    ]
    unread = a_case("e", source=None, run=None, steps=0, error=ERROR)
    return {"schema_version": "2.0", "run": {}, "summary": {}, "cases": [*cases, unread]}


def cases_of_schema_1() -> dict[str, Any]:
    """In which what was concluded stood in the details, without what is its default."""
    of_all = {"status": "-", "per_invocation": [], "error": None}
    own = ("verdict", "reasoning", "evidence", "judging", "criterion_name")
    cases: list[dict[str, Any]] = []
    for name, result in zip("abcd", (WELL, BADLY, OPEN, said(None, None, error=ERROR)), strict=True):
        evaluation = {key: value for key, value in result.items() if value is not None and key != "judging"}
        shown = {key: result[key] for key in own}
        cases.append(a_case(name, {**of_all, **shown, "details": {"evaluation": evaluation}}))
    cases.append(a_case("e", error=ERROR, invocations=[]))
    return {"schema_version": "1.2", "run": {}, "summary": {}, "cases": cases}


@pytest.mark.parametrize("schema", [logs_of_schema_2, logs_of_schema_1, cases_of_schema_2, cases_of_schema_1])
def test_the_same_verdicts_give_the_same_figures(
    tmp_path: Path, adjudge_here: Callable[..., CompletedProcess[str]], schema: Callable[[], dict[str, Any]]
) -> None:
    labels: list[dict[str, Any]] = [
        {"source" if "logs" in schema.__name__ else "case": name, "criterion": "done", "label": label}
        for name, label in zip("abcde", ("PASS", "FAIL", "FAIL", "PASS", "FAIL"), strict=True)
    ]
    labels[1]["step"] = 3
    (tmp_path / "results.json").write_text(json.dumps(schema()), encoding="utf-8")
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf-8")

    done = adjudge_here("agreement", "results.json", "labels.json", "--json")

    assert done.returncode == 0, done.stderr
    [found] = json.loads(done.stdout)["criteria"]
    assert found["counts"] == {"true_pass": 1, "false_fail": 0, "false_pass": 0, "true_fail": 1}
    assert (found["labelled"], found["decided"], found["unsure"], found["not_measured"]) == (5, 2, 1, 2)
    assert [row["confidence"] for row in found["risk_coverage"]] == [0.9, 0.75]
    assert found["localisation"]["located"] == 1
    assert json.loads(done.stdout)["judged_not_labelled"] == 0


def test_one_decision_of_another_criterion_has_its_confidence(
    tmp_path: Path, adjudge_here: Callable[..., CompletedProcess[str]]
) -> None:
    votes = {"tally": {"valid": 3}, "confidence": 0.9375}
    of_all = {"criterion_name": "match", "evidence": None, "judging": JUDGING, "details": {}}
    turn = {"details": {"votes": votes}}
    old = a_case("a", {**of_all, "verdict": "PASS", "per_invocation": [turn]})
    new_keys = {"used_granularity": None, "confidence_score": None}
    new = a_case("b", {**of_all, **new_keys, "verdict": "FAIL", "per_invocation": [turn]}, source=None)
    (tmp_path / "results.json").write_text(json.dumps({"cases": [old, new]}), encoding="utf-8")
    labels = [{"case": name, "criterion": "match", "label": "PASS"} for name in "ab"]
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf-8")

    done = adjudge_here("agreement", "results.json", "labels.json", "--json")

    [found] = json.loads(done.stdout)["criteria"]
    assert found["counts"] == {"true_pass": 1, "false_fail": 1, "false_pass": 0, "true_fail": 0}
    assert [row["confidence"] for row in found["risk_coverage"]] == [0.9375]
