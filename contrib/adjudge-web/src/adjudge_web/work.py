"""The runs that this page has started: what is done of each, and how it ended."""

from __future__ import annotations

from collections import Counter
from typing import Any

from adjudge_web.workers import Work, Workers


class Progress:
    """A run that is under way: what is done of it, and how it ended."""

    def __init__(self, name: str, what: str, planned: int | None = None) -> None:
        """Begin with nothing done.

        Args:
            name: The run.
            what: Who is evaluated, and by what.
            planned: How many repeats of cases it has, where it goes on.
        """
        self.name = name
        self.what = what
        self.total = planned
        """Of all repeats of cases; ``None`` while the plan is made."""
        self.before = 0
        """Those that were finished when it was interrupted."""
        self.counts: Counter[str] = Counter()
        self.cases: dict[tuple[str, int], str] = {}
        """The status of each case and repeat; ``""`` while it goes on."""
        self.scores: dict[str, dict[str, tuple[str, float | None]]] = {}
        """By case and criterion, of the last repeat: status and score."""
        self.judge_calls = 0
        self.cost: float | None = None
        self.problems: list[str] = []
        self.outcome: str | None = None
        """``finished``, ``stopped`` or ``failed`` when it is over."""
        self.has_begun = False
        self.is_stopping = False
        self._work: Work | None = None

    def begin(self, workers: Workers, **task: Any) -> None:
        """Start the process and follow it."""
        self._work = workers.begin(self._take, self._end, **task)

    async def stop(self) -> None:
        """Interrupt the run; what is finished of it stays."""
        self.is_stopping = True
        if self._work is not None:
            await self._work.stop()

    @property
    def done(self) -> int:
        """Repeats of cases that have a result."""
        return self.before + sum(self.counts.values())

    def _end(self, work: Work) -> None:
        if self.outcome is None:
            self.outcome = "stopped" if self.is_stopping else "failed"
            if not self.is_stopping:
                self.problems.append(f"the process that ran it ended.\n{work.trouble}")

    def _take(self, said: dict[str, Any]) -> None:
        match said:
            case {"started": _, "cases": cases}:
                self.has_begun = True
                if cases is not None:  # how many runs are in logs is not known yet
                    self.total = max(cases, self.total or 0)
                    self.before = self.total - cases
            case {"playing": case, "repeat": repeat}:
                self.cases[case, repeat] = ""
            case {"scored": case, "criterion": criterion, "status": status, "score": score}:
                self.scores.setdefault(case, {})[criterion] = (status, score)
            case {"case": case, "repeat": repeat, "status": status}:
                self.cases[case, repeat] = status
                self.counts[status] += 1
            case {"judged": calls, "cost": cost}:
                self.judge_calls, self.cost = calls, cost
            case {"finished": _}:
                self.outcome = "finished"
            case {"stopped": _}:
                self.outcome = "stopped"
            case {"problems": problems}:
                self.outcome = "failed"
                self.problems += problems
            case _:
                pass


class Runs:
    """The runs that this page has started."""

    def __init__(self, workers: Workers) -> None:
        """Begin with none; each will be a process of ``workers``."""
        self._workers = workers
        self._under_way: dict[str, Progress] = {}

    def get(self, name: str) -> Progress | None:
        """The run of that name, if it was started here."""
        return self._under_way.get(name)

    @property
    def active(self) -> list[Progress]:
        """Those that are not over."""
        return [run for run in self._under_way.values() if run.outcome is None]

    def begin(self, name: str, what: str = "", planned: int | None = None, **task: Any) -> Progress:
        """Start a run, or go on with one of ``planned`` repeats of cases."""
        progress = Progress(name, what, planned)
        progress.begin(self._workers, **task)
        self._under_way[name] = progress
        return progress
