"""What came out of judging logs: the runs in them, the verdicts with their evidence, and what could not be measured."""

from __future__ import annotations

from typing import Literal, TypeAlias

from adjudge.model.aggregated import AggregatedSteps, TaskDecomposition
from adjudge.model.base import Frozen
from adjudge.model.calibration import Calibration
from adjudge.model.evaluation import (
    CheckResult,
    CompiledCriterion,
    EvaluationResult,
    Inapplicable,
    MeasuredCriterion,
)
from adjudge.model.measurement import Failure
from adjudge.model.result import JudgeCalls, Participant, Verdict

JudgedStatus: TypeAlias = Literal["PASS", "FAIL", "UNSURE", "error"]


class JudgedLog(Frozen):
    """One run of an agent, read from a log. A log with several runs gives several."""

    source: str
    """The log, as the user named it or as it was found."""
    run: int
    """Which run of that log, from 1."""
    reader: str
    """Who read it, as ``plugin/component``."""
    task: str | None
    """The goal; ``None`` where nobody names one."""
    agent: str | None
    steps: int
    """How many steps the run has."""
    lost: tuple[str, ...]
    """What the reader could not keep, in its words."""
    task_decomposition: TaskDecomposition
    aggregated_steps: tuple[AggregatedSteps, ...]
    """What the judge was given an overview with: every view that was made, in the order of use, each once."""
    results: tuple[EvaluationResult, ...]
    """Every criterion that has a verdict, those in words first, in the order of the criteria."""
    not_applicable: tuple[Inapplicable, ...] = ()
    """Criteria that have nothing to measure here. Whatever is in neither is an error."""


class LogError(Frozen):
    """Something that could not be measured. Never a verdict."""

    source: str
    """The log."""
    run: int | None = None
    """Which run of it; ``None`` where the log could not be read up to there."""
    criterion_name: str | None = None
    """``None`` where it concerns every criterion."""
    error: Failure
    checks: tuple[CheckResult, ...] = ()
    """What is known of the criterion all the same."""


class JudgedLogs(Frozen):
    """What ``adjudge judge`` concludes."""

    started_at: str
    """ISO 8601, UTC."""
    duration: float
    """Seconds."""
    adjudge_version: str
    criteria: tuple[CompiledCriterion, ...]
    """Those in words, with their locked checks; empty where it ended after aggregation."""
    measured: tuple[MeasuredCriterion, ...] = ()
    """Those that measure."""
    logs: tuple[JudgedLog, ...]
    """In the order in which the logs were named, then in the order of each log."""
    errors: tuple[LogError, ...]
    """In the same order."""
    judges: dict[str, JudgeCalls] = {}
    """What was asked, by model."""
    calibrations: tuple[Calibration, ...] = ()
    """What made confidences of these results probabilities; those that changed nothing are not here."""
    warnings: tuple[str, ...] = ()
    plugins: tuple[Participant, ...] = ()
    """What took part: criteria, strategies, readers, judge backends, reporters."""

    @property
    def status(self) -> JudgedStatus | None:
        """FAIL before ``error`` before UNSURE before PASS; ``None`` where nothing was to be judged."""
        verdicts = {result.verdict for log in self.logs for result in log.results}
        if Verdict.FAIL in verdicts:
            return "FAIL"
        if self.errors:
            return "error"
        if Verdict.UNSURE in verdicts:
            return "UNSURE"
        return "PASS" if verdicts else None

    @property
    def exit_status(self) -> int:
        """1 where anything failed; else 3 where anything could not be measured or decided; else 0."""
        return {"FAIL": 1, "error": 3, "UNSURE": 3, "PASS": 0, None: 0}[self.status]

    @property
    def passed(self) -> bool:
        """Whether everything has the verdict PASS. What could not be measured never passes."""
        return self.status == "PASS"
