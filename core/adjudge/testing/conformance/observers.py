"""Conformance tests of observers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Final

from adjudge.extension.hooks import (
    CaseFinished,
    CaseStarted,
    CriterionScored,
    RunEvent,
    RunFinished,
    RunObserver,
    RunStarted,
)
from adjudge.extension.specs import ObserverSpec
from adjudge.model.result import RunSummary
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.results import case_results
from adjudge.testing.conformance.watching import watched

_WAIT: Final = 1.0
"""The time in seconds to wait for a thread of an observer, which may also go on as long as the process."""


class ObserverConformance(ComponentConformance[ObserverSpec]):
    """Tests of an observer. Subclass it and set ``component``, and ``config`` if options are needed."""

    kind: ClassVar[str] = "run_observers"

    def test_every_event_is_observed(self, tmp_path: Path) -> None:
        """``observe`` handles every event of runs over cases and logs, without changing it and without waiting."""
        self._observe(tmp_path, list(run_events()))

    def test_an_interrupted_run_is_observed(self, tmp_path: Path) -> None:
        """An observer handles runs without first and last events, as after an interruption."""
        self._observe(tmp_path, list(run_events())[2:-1])

    def _observe(self, folder: Path, events: Iterable[RunEvent]) -> None:
        observer: RunObserver = self.build(folder)
        threads = set(threading.enumerate())
        with watched("observe", network="cut off"):
            try:
                for event in events:
                    self._check(observer, event)
            finally:
                # What it does in threads must not reach the network either, nor end with an exception.
                for thread in set(threading.enumerate()) - threads:
                    thread.join(_WAIT)

    @staticmethod
    def _check(observer: RunObserver, event: RunEvent) -> None:
        before = repr(event)
        with watched(f"observe({type(event).__name__})", network="cut off", never_waits=True):
            found: object = observer.observe(event)  # type: ignore[func-returns-value]
        assert found is None, (
            f"observe returned {type(found).__name__}; it returns nothing, and is no coroutine function"
        )
        assert repr(event) == before, f"the event {type(event).__name__} was changed"


def run_events() -> Iterator[RunEvent]:
    """Yield the events of a run with a case of every status."""
    results = case_results()
    yield RunStarted(run="conformance", cases=len(results), criteria=("helpful",))
    for result in results:
        eval_set, eval_id = result.eval_set_id, result.eval_id
        yield CaseStarted(run="conformance", eval_set_id=eval_set, eval_id=eval_id, repeat=1)
        for scored in result.criteria:
            yield CriterionScored(
                run="conformance", eval_set_id=eval_set, eval_id=eval_id, repeat=1, result=scored
            )
        yield CaseFinished(run="conformance", result=result)
    yield RunStarted(run="over-logs", cases=None, criteria=())
    yield RunFinished(
        run="conformance", summary=RunSummary(status="error", verdict=None, exit_status=3, cases=len(results))
    )
