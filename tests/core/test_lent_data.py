"""What one plugin does to what it is given can never be seen by another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.extension.loader import Extensions
from adjudge.plugin import (
    CaseUnderTest,
    CriterionScored,
    CriterionSpec,
    Measurement,
    Outcome,
    ReporterSpec,
    RunReport,
    hookimpl,
)

TURN = {
    "user_content": {"parts": [{"text": "book it"}]},
    "final_response": {"parts": [{"text": "done"}]},
    "intermediate_data": {"tool_uses": [{"name": "book", "args": {"seats": 2}}]},
}
CASES = {"eval_set_id": "set", "eval_cases": [{"eval_id": "a", "conversation": [TURN]}]}


def agent(text: str) -> Any:
    """Books one seat, where two are expected."""
    return {
        "intermediate_data": {"tool_uses": [{"name": "book", "args": {"seats": 1}}]},
        "final_response": {"parts": [{"text": "done"}]},
    }


class Meddler:
    """Makes what was done what was expected, wherever it comes across it."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Change the arguments of the agent's call in place."""
        for step in case.actual.steps:
            for call in step.calls:
                call.args["seats"] = 2  # type: ignore[index]
        return Measurement(overall=Outcome.scored(1.0, details={"kept": ["as it was"]}))

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Change the plan in place, and the details of a result."""
        report.run.eval_sets.clear()
        for case in report.cases():
            case.result.criteria[0].details.clear()
        stream.write(b"done")

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        yield CriterionSpec(name="meddler", summary="Meddles", factory=lambda _config, _host: self)

    @hookimpl.reporters
    def reporters(self) -> Iterable[ReporterSpec]:
        yield ReporterSpec(
            name="meddler", summary="Meddles", factory=lambda _config, _host: self, suffixes=(".odd",)
        )

    @hookimpl.criterion_scored
    def change(self, event: CriterionScored) -> None:
        event.result.details.clear()


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_built_ins: Callable[[object], Extensions]
) -> Callable[..., RunResult]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.test.json").write_text(json.dumps(CASES), encoding="utf-8")

    def evaluate(criteria: dict[str, Any], **options: Any) -> RunResult:
        config = {"criteria": criteria, **options.pop("config", {})}
        return evaluate_sync(
            agent, "set.test.json", config=config, extensions=beside_built_ins(Meddler()), **options
        )

    return evaluate


def test_a_criterion_that_changes_a_case_changes_no_other_verdict(run: Callable[..., RunResult]) -> None:
    alone = run({"tool_trajectory_avg_score": 1.0})
    beside = run({"meddler": 1.0, "tool_trajectory_avg_score": 1.0})

    assert alone.status == beside.status == "FAIL"
    [detail] = beside.details()
    [step] = detail.actual.steps
    assert [dict(call.args or {}) for call in step.calls] == [{"seats": 1}]


def test_a_metric_function_that_changes_its_turns_changes_no_other_verdict(
    run: Callable[..., RunResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "meddling_metric.py").write_text(
        "async def meddle(metric, actual, expected, scenario=None):\n"
        "    for turn in actual:\n"
        "        for call in turn.intermediate_data.tool_uses:\n"
        "            call.args['seats'] = 2\n"
        "    return {'overall_score': 1.0}\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    code = {"custom_metrics": {"meddle": {"code_config": {"name": "meddling_metric.meddle"}}}}

    result = run({"meddle": 0.5, "tool_trajectory_avg_score": 1.0}, config=code)

    [case] = result.cases()
    assert {item.criterion_name: item.status for item in case.criteria}["tool_trajectory_avg_score"] == "FAIL"


def test_an_observer_and_a_reporter_change_nothing_that_others_see(
    run: Callable[..., RunResult], tmp_path: Path
) -> None:
    seen: list[Any] = []

    result = run({"meddler": 1.0}, outputs=["first.odd", "second.json"], watch=seen.append)

    written = json.loads((tmp_path / "second.json").read_text(encoding="utf-8"))
    assert (tmp_path / "first.odd").read_bytes() == b"done"
    assert "set.test.json" in written["run"]["eval_sets"]
    [event] = [item for item in seen if isinstance(item, CriterionScored)]
    assert event.result.details == {"kept": ["as it was"]}
    [case] = result.cases()
    assert case.criteria[0].details == {"kept": ["as it was"]}
