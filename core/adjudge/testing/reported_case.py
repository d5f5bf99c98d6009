"""A finished repeat of a case, made by hand, for tests of reporters."""

from __future__ import annotations

from dataclasses import dataclass, field

from adjudge.model.eval_set import EvalCase
from adjudge.model.result import CaseResult
from adjudge.model.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCase:
    """What a reporter is given (see ``adjudge.plugin.ReportedCase``)."""

    result: CaseResult
    case: EvalCase
    actual: Trajectory = field(default_factory=Trajectory)
