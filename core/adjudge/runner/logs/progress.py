"""Progress: how far the judging of logs has come, for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from adjudge.model.judging import total_cost
from adjudge.model.result import JudgeCalls


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsProgress:
    """How far it has come. How many runs there are is known when every log is read to its end."""

    logs: int
    """Logs to read."""
    criteria: int
    """By which each run is judged; 0 where it ends after aggregation."""
    logs_read: int = 0
    """Logs that are read to their end, or cannot be read."""
    runs: int = 0
    """Runs that are read."""
    runs_done: int = 0
    """Runs that are judged, or aggregated where nothing is judged."""
    verdicts: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often each verdict was given so far; ``error`` for what could not be measured."""
    calls: int = 0
    """Calls to judges."""
    cost: float | None = None
    """USD for them; ``None`` where there was none, or the price of one is not known."""


LogsWatch: TypeAlias = Callable[[LogsProgress], None]


class Progress:
    """Keeps account, and tells a watcher of every change."""

    def __init__(
        self, watch: LogsWatch | None, calls: Callable[[], Mapping[str, JudgeCalls]], *, logs: int
    ) -> None:
        """Begin; nothing is told yet. ``calls`` says what was asked so far."""
        self._watch = watch
        self._calls = calls
        self._now = LogsProgress(logs=logs, criteria=0)

    def begin(self, criteria: int) -> None:
        """Every run is about to be judged by so many criteria."""
        self._now = replace(self._now, criteria=criteria)
        self.tell()

    def log_read(self) -> None:
        """A log is at its end, or cannot be read any further."""
        self._now = replace(self._now, logs_read=self._now.logs_read + 1)
        self.tell()

    def run_read(self) -> None:
        """A run is read."""
        self._now = replace(self._now, runs=self._now.runs + 1)
        self.tell()

    def run_done(self) -> None:
        """A run is done."""
        self._now = replace(self._now, runs_done=self._now.runs_done + 1)
        self.tell()

    def found(self, status: str) -> None:
        """One criterion is decided on one run; ``error``: it, or a log, could not be measured."""
        verdicts = {**self._now.verdicts, status: self._now.verdicts.get(status, 0) + 1}
        self._now = replace(self._now, verdicts=verdicts)
        self.tell()

    def tell(self) -> None:
        """Tell how far it has come, with what was asked so far."""
        if self._watch is None:
            return
        asked = [item for item in self._calls().values() if item.calls]
        calls, cost = sum(item.calls for item in asked), total_cost(item.cost for item in asked)
        self._watch(replace(self._now, calls=calls, cost=cost))
