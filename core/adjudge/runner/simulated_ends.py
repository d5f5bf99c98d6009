"""How the simulated conversations of a run ended: one that was cut off must not pass without a word."""

from __future__ import annotations

from typing import Final

from adjudge.model.result import CaseResult
from adjudge.model.simulation import TURN_LIMIT

_NAMED: Final = 3
"""Cases named in the warning."""


class SimulatedEnds:
    """Counts the simulated conversations that go by, and those that their turn limit ended."""

    def __init__(self) -> None:
        self._ended = 0
        self._cut = 0
        self._cases: dict[str, None] = {}

    def add(self, result: CaseResult) -> None:
        """Count one; what was broken off has not ended."""
        if result.simulation is None or result.simulation.stop_reason is None:
            return
        self._ended += 1
        if result.simulation.stop_reason == TURN_LIMIT:
            self._cut += 1
            self._cases[result.eval_id] = None

    def warnings(self) -> tuple[str, ...]:
        """What to tell of them; nothing where every user came to an end."""
        if not self._cut:
            return ()
        names = [*list(self._cases)[:_NAMED], *(["..."] if len(self._cases) > _NAMED else [])]
        limit = "its turn limit" if self._cut == 1 else "their turn limit"
        conversations = f"simulated conversation{'' if self._ended == 1 else 's'}"
        return (
            f"{self._cut} of {self._ended} {conversations} ended by {limit}, not by the user: {', '.join(names)}",
        )
