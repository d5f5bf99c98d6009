"""The ends of simulated conversations of a run, with a warning for truncated ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from adjudge.model.result import CaseResult
from adjudge.model.simulation import TURN_LIMIT

_NAMED: Final = 3
"""The maximum number of cases named in the warning."""


class SimulatedEnds:
    """Counts finished simulated conversations, and those among them that the turn limit ended."""

    def __init__(self) -> None:
        self._ended = 0
        self._cut = 0
        self._cases: dict[str, None] = {}

    def counted(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """The results, each counted as it passes. Conversations that were interrupted are not counted."""
        for result in results:
            if result.simulation is not None and result.simulation.stop_reason is not None:
                self._ended += 1
                if result.simulation.stop_reason == TURN_LIMIT:
                    self._cut += 1
                    self._cases[result.eval_id] = None
            yield result

    def warnings(self) -> tuple[str, ...]:
        """A warning if the turn limit ended a conversation; otherwise empty."""
        if not self._cut:
            return ()
        names = [*list(self._cases)[:_NAMED], *(["..."] if len(self._cases) > _NAMED else [])]
        limit = "its turn limit" if self._cut == 1 else "their turn limit"
        conversations = f"simulated conversation{'' if self._ended == 1 else 's'}"
        return (
            f"{self._cut} of {self._ended} {conversations} ended by {limit}, not by the user: {', '.join(names)}",
        )
