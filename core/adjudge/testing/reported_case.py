"""A finished repeat of a case, for tests of reporters."""

from __future__ import annotations

from dataclasses import dataclass, field

from adjudge.model.eval_set import EvalCase
from adjudge.model.result import CaseResult
from adjudge.model.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCase:
    """A ``ReportedCase`` (see ``adjudge.plugin.ReportedCase``) created by a test."""

    result: CaseResult
    case: EvalCase
    actual: Trajectory = field(default_factory=Trajectory)
