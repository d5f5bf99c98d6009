"""Runs for reporters to write: decided by the real algebra, held in memory instead of a journal."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from adjudge.model import RunInfo
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content, Text, ToolCall
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CaseResult
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Verdict
from adjudge.plugin import ReportedCase, Reporter, RunReport
from adjudge.testing import FinishedCase
from adjudge.verdict.algebra import Rule, case_status, criterion_result
from adjudge.verdict.summary import summarise

Call = tuple[str, dict[str, Any]]


def turn(prompt: str, answer: str | None, calls: Sequence[Call] = ()) -> Invocation:
    """One turn, expected or actual."""
    steps = tuple(
        Step(number=number, items=(ToolCall(name=name, args=args),))
        for number, (name, args) in enumerate(calls, 1)
    )
    return Invocation(
        user_content=Content.of_text(prompt),
        steps=steps,
        final_response=None if answer is None else Content(items=(Text(text=answer),)),
    )


NIGHTLY = RunInfo(
    name="nightly",
    started_at="2025-12-31T23:59:55.790+00:00",
    finished_at="2026-01-01T00:00:00.000+00:00",
    duration=4.21,
    adjudge_version="0.1.0",
    python_version="3.11.7",
    plan_hash="0" * 64,
    agent={"target": "agent:agent"},
    eval_sets={},
)


@dataclass
class RunOf:
    """Collects repeats of cases and makes the report of their run."""

    rules: Mapping[str, float | None] = field(default_factory=lambda: {"answer_match": 0.8})
    lower_is_better: frozenset[str] = frozenset()
    value_range: tuple[float, float] = (0.0, 1.0)
    run: dict[str, Any] = field(default_factory=dict[str, Any])
    """What differs from the run ``nightly``."""
    warnings: tuple[str, ...] = ()
    cases: list[ReportedCase] = field(default_factory=list)

    def rule(self, name: str) -> Rule:
        return Rule(
            criterion_name=name,
            criterion=f"plugin/{name}",
            threshold=self.rules[name],
            lower_is_better=name in self.lower_is_better,
            value_range=self.value_range,
        )

    def add(
        self,
        eval_id: str,
        scores: Mapping[str, Measurement | Sequence[Outcome | float]] | Failure,
        *,
        expected: Sequence[Invocation] = (),
        actual: Sequence[Invocation] | None = (),
        file: str = "home.evalset.json",
        repeat: int = 1,
        duration: float | None = 0.5,
    ) -> RunOf:
        """Add one repeat of a case, with what each criterion measured or why the agent failed."""
        failure: Failure | None
        if isinstance(scores, Failure):
            criteria, status, failure = (), "error", scores
        else:
            criteria = tuple(
                criterion_result(measurement(found), self.rule(name)) for name, found in scores.items()
            )
            status, failure = case_status(criteria)
        result = CaseResult(
            eval_set_id=file.split(".")[0],
            eval_set_file=file,
            eval_id=eval_id,
            repeat=repeat,
            status=status,
            verdict=Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
            error=failure,
            criteria=criteria,
            duration=duration,
        )
        self.cases.append(
            FinishedCase(
                result=result,
                case=EvalCase(eval_id=eval_id, conversation=tuple(expected) or None),
                actual=Trajectory(invocations=tuple(actual or ())),
            )
        )
        return self

    def report(self, *, detailed: bool = False) -> RunReport:
        """The report of the run."""
        rules = [self.rule(name) for name in self.rules]
        repeats = max(case.result.repeat for case in self.cases)
        return RunReport(
            run=NIGHTLY.model_copy(update=self.run),
            summary=summarise(
                (case.result for case in self.cases),
                {case.result.eval_set_file: rules for case in self.cases},
                repeats,
            ),
            cases=lambda: iter(self.cases),
            warnings=self.warnings,
            detailed=detailed,
        )


def measurement(found: Measurement | Sequence[Outcome | float]) -> Measurement:
    if isinstance(found, Measurement):
        return found
    return Measurement(
        per_invocation=tuple(item if isinstance(item, Outcome) else Outcome.scored(item) for item in found)
    )


@pytest.fixture
def run_of() -> type[RunOf]:
    return RunOf


@pytest.fixture
def a_turn() -> Any:
    return turn


def written(reporter: Reporter, report: RunReport) -> bytes:
    stream = io.BytesIO()
    reporter.write(report, stream)
    return stream.getvalue()


@pytest.fixture
def write() -> Any:
    return written
