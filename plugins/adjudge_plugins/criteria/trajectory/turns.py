"""The base of the criteria that compare the expected and the actual calls of each turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from adjudge.kit.matching import CallOptions, is_large, per_turn
from adjudge.kit.threads import computed
from adjudge.model import ToolCall
from adjudge.plugin import CaseUnderTest, ComponentConfig, Measurement, Outcome


class PartialCreditConfig(CallOptions, ComponentConfig):
    """How calls are compared."""

    partial_credit: bool = False
    """Whether a call of the right tool counts by the share of its correct arguments, instead of 0 if one is wrong."""


class PerTurn(ABC):
    """Base class: scores every turn by its calls; the core computes the mean."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one outcome per turn, with a diff of the calls if they differ."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

    @abstractmethod
    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        """Score one turn."""
