"""What the criteria that compare calls share: one figure per turn, from the expected and the actual calls."""

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
    """A call of the right tool counts by the share of arguments that are right."""


class PerTurn(ABC):
    """Measures every turn by its calls; the core takes the mean."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn, with the diff of every call where they differ."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

    @abstractmethod
    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        """The outcome of one turn."""
