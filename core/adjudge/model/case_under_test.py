"""The input of a criterion: a case and the agent's trajectory."""

from __future__ import annotations

from adjudge.model.base import Frozen
from adjudge.model.eval_set import EvalCase
from adjudge.model.invocation import Invocation
from adjudge.model.trajectory import Trajectory


class CaseUnderTest(Frozen):
    """One repeat of one case, ready to be scored."""

    case: EvalCase
    actual: Trajectory
    repeat: int = 1

    @property
    def pairs(self) -> tuple[tuple[Invocation, Invocation | None], ...]:
        """``(actual, expected)`` per turn; expected is ``None`` in a simulated conversation.

        Both have the same number of turns: otherwise the case is an ``error``, and not scored.
        """
        expected = self.case.conversation
        if expected is None:
            return tuple((turn, None) for turn in self.actual.invocations)
        return tuple(zip(self.actual.invocations, expected, strict=True))
